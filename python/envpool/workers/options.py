"""PoolOptions: how a pool of environments written in Python is run."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, Self

from envpool.machine import cores
from envpool.spec.values import failures_survived


@dataclasses.dataclass(frozen=True)
class PoolOptions:
    """How a pool of environments written in Python is run.

    Attributes:
        num_envs: How many environments there are.
        batch_size: How many results a batch has.
        num_workers: How many processes run them: by default one per core, but no more than there
            are environments. With 0 they are run in this process, by the thread that waits.
        worker_threads: How many environments of a process can run at the same time.
        start_method: How processes start: "spawn", "forkserver" or "fork". None of them runs
            ``__main__`` again.
        step_timeout: Seconds after which an environment that does not return counts as hanging,
            and its process is ended. None: never.
        max_episode_steps: After so many steps episodes are truncated.
        record_episode_statistics: Count steps and rewards of episodes.
        autoreset_mode: What follows the end of an episode.
        failures: How many episodes an exception of their environment, or the end of its process,
            may end as truncated. The next one is raised.
        reward_dtype: The type of rewards in results.
        time_step: Results have dm_env's step types and discounts, and no infos.
        check_actions: Actions come as flavours take them: an array, or a tuple with one for each
            leaf of the space; they are converted to the space's types and checked. Otherwise they
            come as elements of the batched space, and environments get them in the types that they
            have.
        cast_observations: Take observations in any type and shape that Gymnasium writes to its
            shared memory. Otherwise types and shapes must be as numpy.stack takes them.
        raw_infos: Results are to the letter those of Gymnasium's vector environments, whoever has
            the pool checks that all environments have the same spaces. Otherwise the infos are
            added to those that the plan of results has, and spaces have to be equal.
        row_infos: Infos are not merged: they are a list with each row's own dict.
        snapshots: What environments' states are: their "own", by their methods ``get_state`` and
            ``set_state``; or the environments themselves, by "pickle".
        seeds: For the first reset of each environment, unless it gets another then. After its
            worker was restarted, that is another one, which follows from it. Empty: none.
        record: The file, not there yet, of a recording of all that happens. Empty: none.
    """

    num_envs: int
    batch_size: int
    num_workers: int | None
    worker_threads: int
    start_method: str
    step_timeout: float | None
    max_episode_steps: int
    record_episode_statistics: bool
    autoreset_mode: str
    failures: int
    snapshots: str
    reward_dtype: Literal["float32", "float64"] = "float32"
    time_step: bool = False
    check_actions: bool = True
    cast_observations: bool = False
    raw_infos: bool = False
    row_infos: bool = False
    seeds: Sequence[int | None] = ()
    record: str = ""

    @classmethod
    def of(cls, config: Any, **others: Any) -> Self:
        """The options of a pool.

        Args:
            config: The values of all options that :func:`envpool.make_python` takes, checked.
            **others: What follows from none of them, or otherwise than by its name.
        """
        given = config._asdict()
        given["failures"] = failures_survived(config.on_failure, config.max_failures)
        names = [field.name for field in dataclasses.fields(cls) if field.name in given]
        return cls(**({name: given[name] for name in names} | {"record": ""} | others))

    def workers(self) -> list[int]:
        """The worker of each environment; neighbours have the same one."""
        count = cores() if self.num_workers is None else max(1, self.num_workers)
        count = min(count, self.num_envs)
        return [env_id * count // self.num_envs for env_id in range(self.num_envs)]

    def description(self) -> dict[str, Any]:
        """Returns the options as the native pool reads those that it needs."""
        return vars(self) | {
            "workers": self.workers(),
            "in_process": self.num_workers == 0,
        }
