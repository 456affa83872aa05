"""What is timed: a task, a number of environments, and a way of calling them."""

from dataclasses import dataclass
from fnmatch import fnmatch


@dataclass(frozen=True)
class Case:
    """One workload, the same for every contender.

    A sync case times `step` calls on all `num_envs` environments; a case with a `batch_size`
    times pairs of `recv` and `send` on that many of them.
    """

    task: str
    num_envs: int
    batch_size: int | None = None
    vector_entry_point: bool = False
    """Whether Gymnasium has a NumPy-vectorised version of the task."""

    @property
    def is_async(self) -> bool:
        return self.batch_size is not None

    @property
    def steps_per_call(self) -> int:
        """Environment steps in one timed call."""
        return self.batch_size or self.num_envs

    @property
    def name(self) -> str:
        if self.is_async:
            return f"{self.task} async {self.num_envs}/{self.batch_size}"
        return f"{self.task} sync {self.num_envs}"

    def matches(self, pattern: str) -> bool:
        """Whether the shell-style pattern occurs in the name."""
        return fnmatch(self.name.lower(), f"*{pattern.lower()}*")


CASES = [
    *(Case("CartPole-v1", n, vector_entry_point=True) for n in (1, 8, 64, 1024)),
    Case("CartPole-v1", 64, batch_size=16),
    Case("CartPole-v1", 1024, batch_size=256),
    Case("Pendulum-v1", 64),
    Case("Acrobot-v1", 64),
]
