"""Who is timed: a package, the settings it is given, and the cases it can enter."""

from collections.abc import Mapping
from dataclasses import dataclass

import real_env
from case import Case, Group

# Gymnasium's async mode starts one process per environment.
MAX_PROCESSES = 64


@dataclass(frozen=True)
class Contender:
    """One package with one setting; `options` go to the function that makes its environments."""

    name: str
    group: Group
    package: str
    """What the worker is to time."""
    options: Mapping[str, int | str]
    beside_ours: bool = False
    """Runs in the interpreter of our envpool: the real EnvPool's lacks the simulators."""

    @property
    def num_threads(self) -> int:
        """Or worker processes, where it has these."""
        threads = self.options.get("num_threads", self.options.get("num_workers", 1))
        assert isinstance(threads, int)
        return threads

    def enters(self, case: Case) -> bool:
        """Whether this contender offers what the case asks for."""
        if case.contenders:
            return self.name in case.contenders
        if self.group in case.without or case.num_threads not in {None, self.num_threads}:
            return False
        return self.group != "gymnasium" or self._is_vectorized_for(case)

    def _is_vectorized_for(self, case: Case) -> bool:
        if case.is_async:
            return False
        match self.options["vectorization_mode"]:
            case "async":
                return case.num_envs <= MAX_PROCESSES
            case "vector_entry_point":
                return case.vector_entry_point
        return True


def with_threads(
    name: str, group: Group, package: str, *counts: int, **options: int
) -> list[Contender]:
    """The same contender with several numbers of threads."""
    return [
        Contender(
            f"{name}, {count} thread{'s' if count > 1 else ''}",
            group,
            package,
            {"num_threads": count, **options},
            beside_ours=group != "envpool",
        )
        for count in counts
    ]


def ours(*counts: int, name: str = "ours", **options: int) -> list[Contender]:
    return with_threads(name, "ours", "envpool", *counts, **options)


def real(*counts: int) -> list[Contender]:
    return with_threads(real_env.NAME, "envpool", "envpool", *counts)


def gymnasium(
    mode: str = "sync", package: str = "gymnasium", beside_ours: bool = True
) -> Contender:
    options = {"vectorization_mode": mode}
    return Contender(f"gymnasium {mode}", "gymnasium", package, options, beside_ours)


def ale(*counts: int) -> list[Contender]:
    return with_threads("ALE vector", "ale", "suites.atari.ale", *counts)


def ceiling(suite: str, *counts: int, name: str = "ceiling") -> list[Contender]:
    """Bare threads, of the module `ceiling` of a suite."""
    return with_threads(name, "ceiling", f"suites.{suite}.ceiling", *counts)
