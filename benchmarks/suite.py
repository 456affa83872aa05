"""The suites: cases that are timed together, by whom, and how they are summed up."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import atari_ceiling
import atari_table
import case
import contender
import mujoco_table
import table
from case import Case
from contender import Contender
from readme import Part
from report import Report


@dataclass(frozen=True)
class Suite:
    """What one run times; `seconds` is the usual length of a round."""

    cases: list[Case]
    contenders: list[Contender]
    compact: Callable[[Report], str]
    results: str
    """Name of the result files."""
    part: Part
    """Where `compact` goes in a README or a page of the documentation."""
    seconds: float
    build: Callable[[], None] | None = None
    """Builds what takes too long to build once the workers run."""


class SuiteName(StrEnum):
    CLASSIC = "classic"
    MUJOCO = "mujoco"
    RENDERING = "rendering"
    ATARI = "atari"


SUITES = {
    SuiteName.CLASSIC: Suite(
        cases=case.CLASSIC,
        contenders=contender.CLASSIC,
        compact=table.compact,
        results="latest",
        part=Part("benchmark"),
        seconds=0.1,
    ),
    SuiteName.MUJOCO: Suite(
        cases=case.MUJOCO,
        contenders=contender.MUJOCO,
        compact=mujoco_table.speed,
        results="mujoco",
        part=Part("mujoco-benchmark"),
        # Steps differ more among themselves than those of classic control.
        seconds=0.5,
    ),
    SuiteName.RENDERING: Suite(
        cases=case.RENDERING,
        contenders=contender.RENDERING,
        compact=mujoco_table.frames,
        results="rendering",
        part=Part("rendering-benchmark"),
        seconds=0.5,
    ),
    SuiteName.ATARI: Suite(
        cases=case.ATARI,
        contenders=contender.ATARI,
        compact=atari_table.speed,
        results="atari",
        part=Part("atari-benchmark"),
        seconds=0.5,
        build=atari_ceiling.build,
    ),
}
