"""A pool of Counting environments beside a model of it, which says what every call must do."""

from collections import Counter
from functools import partial

import numpy as np
import pytest

import envpool.families.testing.registration  # noqa: F401 - the tasks
from counting_model import Counting, rows_of
from helpers import HANG_S, make

MODES = ["NextStep", "SameStep", "Disabled"]
LENGTHS = [4, 4, 4, 2]
LIMIT = 3  # so episodes terminate, are truncated, and both
N = len(LENGTHS)

# Everything that was ever saved. Equal states must have equal bytes, other states other bytes,
# whatever pool they were saved from and however it got there.
bytes_of_states = {}
states_of_bytes = {}


def is_step(row):
    return row.elapsed > 0 or row.final is not None


class ModelledPool:
    """Every method makes a call of the pool, and fails if it does not do what it must."""

    def __init__(self, mode, batch_size):
        self.pool = make(
            "testing/Counting-v0",
            N,
            batch_size=batch_size,
            seed=0,
            episode_length=LENGTHS,
            max_episode_steps=LIMIT,
            autoreset_mode=mode,
        )
        self.models = [Counting(length, LIMIT, mode, env) for env, length in enumerate(LENGTHS)]
        self.is_sync = batch_size == N
        self.needed = 1 if self.is_sync else batch_size  # requests in flight, for a recv
        self.pending = {}  # the row that must come for each environment in flight
        self.sends = []  # the ids of each send that was not received, for synchronous pools
        self.counts = Counter()  # what stats() must tell when nothing is in flight
        self.first_states = self.save(np.arange(N))

    def refuse(self, error, call):
        """The call raises and changes nothing."""

        def everything():
            stats = self.pool.stats()
            counts = stats.batches if self.pending else (stats.batches, stats.steps, stats.episodes)
            return counts, self.pool.get_state(self.idle())

        before = everything()
        with pytest.raises(error):
            call()
        assert everything() == before

    def idle(self):
        return np.array([env for env in range(N) if env not in self.pending], np.int32)

    def is_idle(self, ids):
        return not any(env in self.pending for env in ids.tolist())

    def can_step(self, ids):
        return self.is_idle(ids) and all(self.models[env].can_step for env in ids)

    def can_receive(self, count):
        """Would the results of so many more requests be returned at once?"""
        if self.is_sync:
            return not self.sends
        return count == 0 or len(self.pending) + count >= self.needed

    def start(self, ids, advance):
        """Notes what requests must result in."""
        for env in ids.tolist():
            self.pending[env] = advance(self.models[env], env)
        if self.is_sync and len(ids):
            self.sends.append(ids.tolist())

    def check(self, results):
        """The rows are those of requests in flight, which are no more."""
        ids = results[-1]["env_id"].tolist()
        if self.is_sync:
            assert ids == self.sends.pop(0)
        else:
            assert len(ids) == self.needed
        for env, row in zip(ids, rows_of(results), strict=True):
            expected = self.pending.pop(env)
            columns = len(row) if len(results) > 2 else 3
            assert row[:columns] == expected[:columns], f"environment {env}"
            self.counts["steps"] += is_step(expected)
            self.counts["episodes"] += expected.terminated or expected.truncated
        self.counts["batches"] += 1

    def request(self, is_allowed, call, ids, advance):
        """A call that requests something and, if it returns something, also receives."""
        if not is_allowed:
            self.refuse(RuntimeError, call)
            return
        results = call()
        self.start(ids, advance)
        if results is not None and len(ids):
            self.check(results)

    def send(self, ids, actions):
        call = partial(self.pool.send, actions[ids], ids)
        self.request(self.can_step(ids), call, ids, lambda model, env: model.step(actions[env]))

    def step(self, ids, actions):
        is_allowed = self.can_step(ids) and self.can_receive(len(ids))
        call = partial(self.pool.step, actions[ids], ids)
        self.request(is_allowed, call, ids, lambda model, env: model.step(actions[env]))

    def reset(self, ids, seed=None, options=None, as_mask=False):
        options = dict(options or {})
        start = options.get("start", 0)
        call = partial(self.pool.reset, ids, seed=seed, options=options)
        if as_mask:
            ids = np.sort(ids)
            options["reset_mask"] = np.isin(np.arange(N), ids)
            call = partial(self.pool.reset, seed=seed, options=options)
            if len(ids) == 0:
                self.refuse(ValueError, call)
                return

        def advance(model, env):
            return model.reset(None if seed is None else seed + env, start)

        self.request(self.is_idle(ids) and self.can_receive(len(ids)), call, ids, advance)

    def async_reset(self):
        ids = np.arange(N)
        advance = lambda model, _: model.reset()  # noqa: E731
        self.request(self.is_idle(ids), self.pool.async_reset, ids, advance)

    def recv(self, is_reset=False, timeout=None):
        if len(self.pending) < self.needed:
            error = RuntimeError if timeout is None else TimeoutError
            self.refuse(error, partial(self.pool.recv, is_reset, timeout=timeout))
        else:
            self.check(self.pool.recv(is_reset, timeout=None if timeout is None else HANG_S))

    def stats(self, restart=False):
        stats = self.pool.stats(reset=restart)
        steps = sum(map(is_step, self.pending.values()))
        episodes = sum(row.terminated or row.truncated for row in self.pending.values())
        assert self.counts["steps"] <= stats.steps <= self.counts["steps"] + steps
        assert self.counts["episodes"] <= stats.episodes <= self.counts["episodes"] + episodes
        assert stats.batches == self.counts["batches"]
        if restart:
            counted = {name: getattr(stats, name) for name in ("steps", "episodes", "batches")}
            self.counts.subtract(counted)
        return stats

    def save(self, ids):
        """Snapshots, each with the length of the environment's episodes and the model's state."""
        if not self.is_idle(ids):
            self.refuse(RuntimeError, partial(self.pool.get_state, ids))
            return []
        saved = []
        for env, state in zip(ids.tolist(), self.pool.get_state(ids), strict=True):
            model = self.models[env]
            key = (model.length, model.state)
            assert bytes_of_states.setdefault(key, state) == state
            assert states_of_bytes.setdefault(state, key) == key
            saved.append((*key, state))
        return saved

    def restore(self, saved, ids):
        call = partial(self.pool.set_state, [state for *_, state in saved], ids)
        if not self.is_idle(ids):
            self.refuse(RuntimeError, call)
        elif [length for length, *_ in saved] != [self.models[env].length for env in ids]:
            self.refuse(ValueError, call)
        else:
            call()
            for env, (_, state, _) in zip(ids.tolist(), saved, strict=True):
                self.models[env].state = state
            self.save(ids)

    def close(self):
        """Forgets what is in flight, and nothing else."""
        self.pool.close()
        self.save(self.idle())
        stats = self.stats()
        for name in ("steps", "episodes"):  # from here on they are certain again
            self.counts[name] = getattr(stats, name)
        # Nobody knows whether the requests in flight were begun.
        lost = np.array(list(self.pending), np.int32)
        self.pending.clear()
        self.sends.clear()
        self.refuse(RuntimeError, self.pool.recv)
        self.restore([self.first_states[env] for env in lost], lost)
