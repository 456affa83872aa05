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


def gymnasium(mode: str, package: str = "gymnasium", beside_ours: bool = False) -> Contender:
    options = {"vectorization_mode": mode}
    return Contender(f"gymnasium {mode}", "gymnasium", package, options, beside_ours)


def ale(*counts: int) -> list[Contender]:
    return with_threads("ALE vector", "ale", "ale", *counts)


CLASSIC = [
    *ours(1, 2, 8),
    *real(1, 2),
    *(gymnasium(mode) for mode in ("sync", "async", "vector_entry_point")),
]

TOY_TEXT = [*ours(1, 2), *real(1, 2), gymnasium("sync")]

BOX2D = [
    *ours(1, 2),
    *real(1, 2),
    *with_threads("ceiling", "ceiling", "box2d_ceiling", 1, 2),
    gymnasium("sync", beside_ours=True),
]

BOX2D_FOOTPRINT = [*ours(2), *real(2)]

MUJOCO = [
    *ours(1, 2),
    *real(1, 2),
    *with_threads("ceiling", "ceiling", "mujoco_ceiling", 1, 2),
    gymnasium("sync", beside_ours=True),
]

DM_CONTROL = [
    *ours(1, 2),
    *real(1, 2),
    *with_threads("ceiling", "ceiling", "dm_control_ceiling", 1, 2),
    Contender("dm_control", "dm_control", "dm_control", {}, beside_ours=True),
]

ROBOTICS = [
    *ours(1, 2),
    *real(1, 2),
    *with_threads("ceiling", "ceiling", "robotics_ceiling", 1, 2),
    gymnasium("sync", package="gymnasium_robotics", beside_ours=True),
]

MUJOCO_FOOTPRINT = [
    *ours(2),
    *real(2),
    *with_threads("bare mjData", "ceiling", "mujoco_ceiling", 2),
]

DM_CONTROL_FOOTPRINT = [
    *ours(2),
    *real(2),
    *with_threads("bare mjData", "ceiling", "dm_control_ceiling", 2),
]

ROBOTICS_FOOTPRINT = [
    *ours(2),
    *real(2),
    *with_threads("bare mjData", "ceiling", "robotics_ceiling", 2),
]

MINIGRID = [
    *ours(1, 2),
    *real(1, 2),
    gymnasium("sync", package="gymnasium_minigrid", beside_ours=True),
]

FAST = {"render_shadows": False, "render_reflections": False, "render_multisamples": 0}

# Without the real EnvPool, whose process exits at the first frame where there is no GPU.
RENDERING = [
    *ours(1, 2),
    *ours(1, 2, name="ours, fast", **FAST),
    gymnasium("sync", beside_ours=True),
]

ATARI = [
    *ours(1, 2),
    *real(1, 2),
    *ale(1, 2),
    *with_threads("ceiling", "ceiling", "atari_ceiling", 1, 2),
    gymnasium("sync", package="gymnasium_atari", beside_ours=True),
]

ATARI_FOOTPRINT = [*ours(2), *real(2), *ale(2)]
