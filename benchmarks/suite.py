"""The suites: cases that are timed together, by whom, and how they are summed up."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import atari_ceiling
import atari_table
import box2d_ceiling
import box2d_table
import case
import contender
import dm_control_table
import mujoco_table
import python_suite
import python_table
import python_tasks
import robotics_table
import table
import xla_suite
import xla_table
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
    prepare: Callable[[], None] | None = None
    """Called before the workers run; builds what takes too long to build then."""


class SuiteName(StrEnum):
    CLASSIC = "classic"
    TOY_TEXT = "toy_text"
    BOX2D = "box2d"
    MUJOCO = "mujoco"
    DM_CONTROL = "dm_control"
    ROBOTICS = "robotics"
    MINIGRID = "minigrid"
    RENDERING = "rendering"
    ATARI = "atari"
    PYTHON = "python"
    XLA = "xla"


SUITES = {
    SuiteName.CLASSIC: Suite(
        cases=case.CLASSIC,
        contenders=contender.CLASSIC,
        compact=table.compact,
        results="latest",
        part=Part("benchmark"),
        seconds=0.1,
    ),
    SuiteName.TOY_TEXT: Suite(
        cases=case.TOY_TEXT,
        contenders=contender.TOY_TEXT,
        compact=table.compact,
        results="toy_text",
        part=Part("toy-text-benchmark"),
        seconds=0.1,
    ),
    SuiteName.BOX2D: Suite(
        cases=case.BOX2D,
        contenders=contender.BOX2D,
        compact=box2d_table.speed,
        results="box2d",
        part=Part("box2d-benchmark"),
        seconds=0.5,
        prepare=box2d_ceiling.build,
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
    SuiteName.DM_CONTROL: Suite(
        cases=case.DM_CONTROL,
        contenders=contender.DM_CONTROL,
        compact=dm_control_table.speed,
        results="dm_control",
        part=Part("dm-control-benchmark"),
        seconds=0.5,
    ),
    SuiteName.ROBOTICS: Suite(
        cases=case.ROBOTICS,
        contenders=contender.ROBOTICS,
        compact=robotics_table.speed,
        results="robotics",
        part=Part("robotics-benchmark"),
        seconds=0.5,
    ),
    SuiteName.MINIGRID: Suite(
        cases=case.MINIGRID,
        contenders=contender.MINIGRID,
        compact=table.compact,
        results="minigrid",
        part=Part("minigrid-benchmark"),
        seconds=0.1,
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
        prepare=atari_ceiling.build,
    ),
    SuiteName.PYTHON: Suite(
        cases=python_suite.CASES,
        contenders=python_suite.CONTENDERS,
        compact=python_table.compact,
        results="python",
        part=Part("python-benchmark"),
        seconds=0.5,
        prepare=python_tasks.calibrate,
    ),
    SuiteName.XLA: Suite(
        cases=xla_suite.CASES,
        contenders=xla_suite.CONTENDERS,
        compact=xla_table.compact,
        results="xla",
        part=Part("xla-benchmark"),
        seconds=0.5,
    ),
}
