"""A pool whose workers are killed at random moments, beside a model of what may come of that."""

from __future__ import annotations

import functools
import os
import random
import signal
import threading
import time
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces

from envpool.errors import EnvironmentFailure
from envpool.workers.pool_side.pool import PythonPool
from pools import pool_options

LONGEST_WAIT_S = 20.0  # for what takes milliseconds


class Noted(gymnasium.Env):
    """Tells who it is and how often it was stepped, also in infos of all lengths."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Box(-np.inf, np.inf, (), np.float64)

    def __init__(self, number: int) -> None:
        self.number = number
        self.steps: int | None = None

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.steps = 0
        return self._observe(), {"noise": noise(self.number, 0)}

    def step(self, action: Any) -> Any:
        assert self.steps is not None, "it was never reset"
        self.steps += 1
        time.sleep(random.random() * 0.001)
        info = {"noise": noise(self.number, self.steps)}
        return self._observe(), float(action), False, False, info

    def _observe(self) -> Any:
        return np.array([self.number, self.steps], np.float64)


def noise(number: int, steps: int) -> str:
    """What the info of an environment's step must be."""
    return f"{number} {steps} " * (steps * 7919 % 1500)


class Pending(NamedTuple):
    """The result that must come, unless its worker is killed."""

    steps: int
    reward: float


class ModelledWorkers:
    """Makes random calls of a pool, and fails if one does not do what it must.

    An environment is doomed if the process that last served it was killed: then it may work once
    more or fail, but only with an error that tells so. All others must work.
    """

    def __init__(self, seed: int, num_envs: int = 6, **options: Any) -> None:
        self.random = random.Random(seed)
        self.num_envs = num_envs
        given = {"batch_size": 2, "num_workers": 3, "start_method": "fork"} | options
        self.batch_size = given["batch_size"]
        self.pool = PythonPool(
            [functools.partial(Noted, i) for i in range(num_envs)],
            pool_options(num_envs=num_envs, **given),
            lambda columns: dict.fromkeys(
                ("step", "reset", "final_step"),
                (columns.observation, "@reward", {"env_id": "@env_id"}),
            ),
        )
        # None: it has failed. A step of one that was never reset is its first reset.
        self.steps: list[int | None] = [-1] * num_envs
        self.served_by = [self.pid_of(env_id) for env_id in range(num_envs)]
        self.pending: dict[int, Pending] = {}
        self.sends: list[int] = []  # how many rows each batch of a synchronous pool will have
        self.killed: set[int] = set()
        self.timers: list[threading.Timer] = []
        self.log: list[str] = []
        self.counts = dict.fromkeys(("kills", "rows", "failures", "refused"), 0)

    def is_doomed(self, env_id: int) -> bool:
        return self.served_by[env_id] in self.killed

    def pid_of(self, env_id: int) -> int:
        workers = self.pool._workers
        return workers.processes[workers.worker_of[env_id]].pid

    def kill(self, env_id: int) -> None:
        """Kills the process that has an environment."""
        pid = self.pid_of(env_id)
        if pid and pid not in self.killed:
            self.killed.add(pid)
            self.counts["kills"] += 1
            os.kill(pid, signal.SIGKILL)

    def kill_soon(self) -> None:
        env_id = self.random.randrange(self.num_envs)
        if self.random.random() < 0.5:
            self.kill(env_id)
            return
        timer = threading.Timer(self.random.random() * 0.01, self.kill, (env_id,))
        timer.start()
        self.timers.append(timer)

    def some_ids(self) -> list[int]:
        ids = self.random.sample(range(self.num_envs), self.random.randint(1, self.num_envs))
        if self.random.random() < 0.8:  # otherwise it is probably refused
            ids = [env_id for env_id in ids if env_id not in self.pending]
        return ids

    def can_send(self, ids: list[int]) -> bool:
        return not any(env_id in self.pending for env_id in ids)

    def note_sent(self, ids: list[int], pending: dict[int, Pending]) -> None:
        self.pending |= pending
        self.sends.append(len(ids))
        for env_id in ids:
            self.served_by[env_id] = self.pid_of(env_id)

    def step(self) -> None:
        ids = self.some_ids()
        if not ids:
            return
        actions = [self.random.random() for _ in ids]
        may_work = self.can_send(ids) and all(
            self.is_doomed(i) or self.steps[i] is not None for i in ids
        )
        must_work = may_work and not any(map(self.is_doomed, ids))
        try:
            self.pool.send(np.array(actions), ids)
        except EnvironmentFailure as failure:  # killed when these did not run
            assert set(failure.env_ids) <= set(ids)
            assert all(map(self.is_doomed, failure.env_ids)), failure
            self.assert_killed(failure)
            self.counts["refused"] += 1
            return
        except RuntimeError as error:
            assert not must_work, error
            self.counts["refused"] += 1
            return
        assert may_work, ids
        pending = {}
        for env_id, action in zip(ids, actions, strict=True):
            steps = self.steps[env_id]
            pending[env_id] = Pending(steps + 1, action) if steps != -1 else Pending(0, 0.0)
        self.note_sent(ids, pending)

    def reset(self) -> None:
        ids = self.some_ids()
        if not ids:
            return
        kills = len(self.killed)
        try:
            self.pool.send_reset(ids, [], {} if self.random.random() < 0.5 else None)
        except EnvironmentFailure as failure:  # killed when it was started again
            assert len(self.killed) > kills or any(map(self.is_doomed, ids)), failure
            self.assert_killed(failure)
            return
        except RuntimeError as error:
            assert not self.can_send(ids), error
            self.counts["refused"] += 1
            return
        assert self.can_send(ids)
        self.note_sent(ids, dict.fromkeys(ids, Pending(0, 0.0)))

    def assert_killed(self, failure: EnvironmentFailure) -> None:
        for message in failure.messages:
            assert "was killed by SIGKILL" in message, message

    def can_receive(self) -> bool:
        is_synchronous = self.batch_size == self.num_envs
        return bool(self.sends) if is_synchronous else len(self.pending) >= self.batch_size

    def receive(self) -> None:
        if not self.can_receive():
            return
        failed: list[int] = []
        try:
            results = self.pool.recv(False, LONGEST_WAIT_S)
        except EnvironmentFailure as failure:
            self.assert_killed(failure)
            results, failed = failure.results, failure.env_ids
            assert set(failed) <= set(failure.to_reset)
            assert all(self.is_doomed(i) for i in failure.to_reset), failure
        observation, reward, info = results
        is_synchronous = self.batch_size == self.num_envs
        expected = self.sends.pop(0) if is_synchronous else self.batch_size
        assert len(reward) + len(failed) == expected
        for env_id in failed:
            assert self.is_doomed(env_id), env_id
            del self.pending[env_id]
            self.steps[env_id] = None
            self.counts["failures"] += 1
        for row, env_id in enumerate(info["env_id"].tolist()):
            pending = self.pending.pop(env_id)
            assert observation[row].tolist() == [env_id, pending.steps]
            assert reward[row] == np.float32(pending.reward)
            assert info["noise"][row] == noise(env_id, pending.steps)
            self.steps[env_id] = pending.steps
            self.counts["rows"] += 1

    def call(self) -> None:
        ids = self.some_ids()
        if not ids:
            return
        try:
            assert self.pool.call("number", env_ids=ids, timeout=LONGEST_WAIT_S) == ids
        except EnvironmentFailure as failure:
            self.assert_killed(failure)
            for env_id in failure.env_ids:
                assert self.pid_of(env_id) in {0, *self.killed}
        except RuntimeError as error:
            assert not self.can_send(ids), error

    def play(self, seconds: float) -> None:
        """Makes calls for so long, and sees that all is well in the end."""
        moves = [self.step] * 6 + [self.reset] * 4 + [self.receive] * 8 + [self.call]
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.random.random() < 0.02:
                self.kill_soon()
            move = self.random.choice(moves)
            move()
        self.finish()

    def finish(self) -> None:
        for timer in self.timers:
            timer.join()
        while self.can_receive():
            self.receive()
        rest = [env_id for env_id in range(self.num_envs) if env_id not in self.pending]
        self.pool.send_reset(rest, [], None)
        self.note_sent(rest, dict.fromkeys(rest, Pending(0, 0.0)))
        while self.can_receive():
            self.receive()
        if self.batch_size == self.num_envs:
            assert not self.pending
        for _ in range(3):  # some may have been in flight, and failed, until now
            idle = [env_id for env_id in range(self.num_envs) if env_id not in self.pending]
            self.pool.send_reset(idle, [], None)
            self.note_sent(idle, dict.fromkeys(idle, Pending(0, 0.0)))
            while self.can_receive():
                self.receive()

    def close(self) -> None:
        for timer in self.timers:
            timer.cancel()
            timer.join()
        self.pool.close(terminate=True)


def play(seed: int, seconds: float, **options: Any) -> dict[str, int]:
    """Plays with a pool, and returns how much of what has happened."""
    modelled = ModelledWorkers(seed, **options)
    try:
        modelled.play(seconds)
    except BaseException as error:
        error.add_note(f"seed {seed}, {options}, {modelled.counts}")
        raise
    finally:
        modelled.close()
    return modelled.counts


WAYS: dict[str, dict[str, Any]] = {
    "asynchronous": {},
    "synchronous": {"batch_size": 6},
    "threads": {"worker_threads": 2},
    "one worker": {"num_workers": 1, "worker_threads": 3},
    "spawned": {"start_method": "spawn"},
}
