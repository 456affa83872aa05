"""Who is timed: a package, the settings it is given, and the cases it can enter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import real_env
from case import Case

Group = Literal["ours", "envpool", "gymnasium"]

# Gymnasium's async mode starts one process per environment.
MAX_PROCESSES = 64


@dataclass(frozen=True)
class Contender:
    """One package with one setting; `options` go to the function that makes its environments."""

    name: str
    group: Group
    options: Mapping[str, int | str]

    def enters(self, case: Case) -> bool:
        """Whether this contender offers what the case asks for."""
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


CONTENDERS = [
    Contender("ours, 1 thread", "ours", {"num_threads": 1}),
    Contender("ours, 2 threads", "ours", {"num_threads": 2}),
    Contender("ours, 8 threads", "ours", {"num_threads": 8}),
    Contender(f"{real_env.NAME}, 1 thread", "envpool", {"num_threads": 1}),
    Contender(f"{real_env.NAME}, 2 threads", "envpool", {"num_threads": 2}),
    Contender("gymnasium sync", "gymnasium", {"vectorization_mode": "sync"}),
    Contender("gymnasium async", "gymnasium", {"vectorization_mode": "async"}),
    Contender(
        "gymnasium vector_entry_point", "gymnasium", {"vectorization_mode": "vector_entry_point"}
    ),
]
