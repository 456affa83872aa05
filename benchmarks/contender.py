"""Who is timed: a package, the settings it is given, and the cases it can enter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import real_env
from case import Case

Group = Literal["ours", "envpool", "gymnasium", "ceiling"]

# Gymnasium's async mode starts one process per environment.
MAX_PROCESSES = 64


@dataclass(frozen=True)
class Contender:
    """One package with one setting; `options` go to the function that makes its environments."""

    name: str
    group: Group
    options: Mapping[str, int | str]
    beside_ours: bool = False
    """Runs in the interpreter of our envpool: the real EnvPool's has no `mujoco` package."""

    @property
    def package(self) -> str:
        """What the worker is to time."""
        return "envpool" if self.group == "ours" else self.group

    @property
    def num_threads(self) -> int:
        threads = self.options.get("num_threads", 1)
        assert isinstance(threads, int)
        return threads

    def enters(self, case: Case) -> bool:
        """Whether this contender offers what the case asks for."""
        if case.num_threads not in {None, self.num_threads}:
            return False
        if self.group != "gymnasium":
            return True
        if case.is_async:
            return False
        match self.options["vectorization_mode"]:
            case "async":
                return case.num_envs <= MAX_PROCESSES
            case "vector_entry_point":
                return case.vector_entry_point
        return True


def with_threads(name: str, group: Group, *counts: int, **options: int) -> list[Contender]:
    """The same contender with several numbers of threads."""
    return [
        Contender(
            f"{name}, {count} thread{'s' if count > 1 else ''}",
            group,
            {"num_threads": count, **options},
            beside_ours=group != "envpool",
        )
        for count in counts
    ]


MUJOCO_GYMNASIUM = Contender(
    "gymnasium sync", "gymnasium", {"vectorization_mode": "sync"}, beside_ours=True
)

CLASSIC = [
    *with_threads("ours", "ours", 1, 2, 8),
    *with_threads(real_env.NAME, "envpool", 1, 2),
    Contender("gymnasium sync", "gymnasium", {"vectorization_mode": "sync"}),
    Contender("gymnasium async", "gymnasium", {"vectorization_mode": "async"}),
    Contender(
        "gymnasium vector_entry_point", "gymnasium", {"vectorization_mode": "vector_entry_point"}
    ),
]

MUJOCO = [
    *with_threads("ours", "ours", 1, 2),
    *with_threads(real_env.NAME, "envpool", 1, 2),
    *with_threads("ceiling", "ceiling", 1, 2),
    MUJOCO_GYMNASIUM,
]

FAST = {"render_shadows": False, "render_reflections": False, "render_multisamples": 0}

# Without the real EnvPool, whose process exits at the first frame where there is no GPU.
RENDERING = [
    *with_threads("ours", "ours", 1, 2),
    *with_threads("ours, fast", "ours", 1, 2, **FAST),
    MUJOCO_GYMNASIUM,
]
