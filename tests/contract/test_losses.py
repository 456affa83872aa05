"""Promises about rows that are not lost (docs/errors.md); other tests have the others."""

import time
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration

TESTS = Path(__file__).parents[1]
# Each promise about rows and data (docs/errors.md), and the tests that prove it.
PROOFS = {
    "Ctrl-C, or an exception of another signal's handler, while reset, step or recv waits": (
        "robustness/test_lifecycle.py::test_ctrl_c_in_blocking_calls",
        "robustness/test_lifecycle.py::test_signals_are_looked_at_before_results_are_handed_out",
    ),
    "Ctrl-C in a step with num_workers=0": (
        "workers/test_faults.py::test_interrupts_in_the_callers_thread_lose_nothing",
        "workers/test_faults.py::test_interrupts_in_the_callers_thread_keep_actions",
    ),
    "recv(timeout=...) raises TimeoutError": (
        "contract/test_losses.py::test_a_wait_that_is_over_loses_nothing",
    ),
    "step_wait or reset_wait of AsyncVectorEnv times out": (
        "vector/test_vector_misuse.py::test_waits_end_when_the_time_is_over",
    ),
    "an environment fails in reset or step": (
        "contract/test_pools.py::test_failures_leave_the_others_alone",
        "contract/test_environments.py::test_failures_name_the_environment_and_keep_the_others",
    ),
    'a failure in step with on_failure="reset"': (
        "contract/test_on_failure.py::test_next_step",
        "contract/test_on_failure.py::test_same_step",
        "contract/test_on_failure.py::test_asynchronous",
    ),
    "an info or an observation cannot be merged, pickled or unpickled": (
        "workers/test_odd_infos.py::test_what_cannot_be_read_is_told",
        "workers/test_odd_infos.py::test_asynchronous_pools_go_on",
    ),
    "an exception cannot be pickled or unpickled": (
        "workers/test_faults.py::test_exceptions_that_do_not_unpickle",
    ),
    "a worker process ends": (
        "workers/test_deaths.py::test_in_a_step",
        "workers/test_deaths.py::test_in_a_reset",
        "workers/test_deaths.py::test_between_calls",
        "workers/test_deaths.py::test_before_a_call",
    ),
    "step_timeout is over": ("workers/test_deaths.py::test_environments_that_hang",),
    'the end of a worker with on_failure="reset"': (
        "contract/test_on_failure.py::test_next_step",
        "workers/test_survived_deaths.py::test_others_of_the_worker_are_told_once",
        "workers/test_survived_deaths.py::test_between_calls",
        "workers/test_survived_deaths.py::test_ctrl_c_while_it_is_started_again",
    ),
    "a worker cannot unpickle what call or set_attr sends": (
        "workers/test_faults.py::test_requests_that_do_not_unpickle",
    ),
    "an environment forks, and its child comes back": (
        "workers/test_forking.py::test_children_of_environments_end",
    ),
    "an action, id or mask is refused": (
        "contract/test_pools.py::test_wrong_actions_are_refused",
        "contract/test_pools.py::test_wrong_ids_are_refused",
        "vector/test_vector_misuse.py::test_actions_are_refused_and_nothing_is_stepped",
    ),
    "Ctrl-C in call, get_attr": ("workers/test_pool.py::test_interrupted_calls",),
    "Ctrl-C in close": ("robustness/test_lifecycle.py::test_after_an_interrupted_close",),
    "close with results in flight": (
        "robustness/test_misuse.py::test_close_forgets_what_is_in_flight",
    ),
    "a step in a JAX program fails": ("xla/test_xla.py::test_results_of_the_others",),
    "the process is killed while it records": (
        "recordings/test_recordings.py::test_a_killed_process_loses_a_second_at_most",
    ),
    "the process ends without close while it records": (
        "recordings/test_recordings.py::test_a_process_that_closes_nothing_loses_nothing",
    ),
    "the disk is full while a pool records": (
        "recordings/test_recordings.py::test_a_full_disk_ends_the_recording_only",
    ),
    "a recording's file is damaged": (
        "recordings/test_recordings.py::test_damaged_files_are_read_up_to_the_damage",
    ),
    "the caller keeps a result": ("flavours/test_sb3.py::test_results_stay_what_they_are",),
}


class Slow(gymnasium.Env):
    """Counts its steps, each of which takes a while."""

    observation_space = spaces.Box(0, 1e9, (1,))
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.count = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        time.sleep(0.2)
        self.count += 1
        return np.float32([self.count]), 1.0, False, False, {}


def make_native(num_envs, **options):
    return envpool.make("testing/Sleeping-v0", num_envs=num_envs, step_ms=200, **options)


def make_in_workers(num_envs, **options):
    return envpool.make_python(Slow, num_envs=num_envs, start_method="fork", **options)


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_native, make_in_workers])
@pytest.mark.parametrize("batch_size", [2, 4])
def test_a_wait_that_is_over_loses_nothing(make, batch_size):
    with make(4, batch_size=batch_size) as pool:
        pool.async_reset()
        ids = [pool.recv(reset=True)[-1]["env_id"] for _ in range(4 // batch_size)]
        for of_batch in ids:
            pool.send(np.zeros(batch_size, int), of_batch)
        seen = []
        while len(seen) < 4:
            try:
                obs, *_, info = pool.recv(timeout=0.03)
            except TimeoutError:
                continue
            seen += zip(info["env_id"].tolist(), obs.reshape(-1).tolist(), strict=True)
        assert sorted(seen) == [(env, 1.0) for env in range(4)]


@pytest.mark.parametrize("tests", PROOFS.values(), ids=PROOFS.keys())
def test_each_promise_is_tested(tests):
    for path, _, name in (test.partition("::") for test in tests):
        assert f"def {name}(" in (TESTS / path).read_text(), (path, name)
