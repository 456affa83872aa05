"""Measures how long making many environments takes, and how much memory each one needs.

Of which environments, and for whom, stands in `footprint.py` of some of the suites: TASKS,
NUM_ENVS, which is how many environments are usually many, and CONTENDERS.
"""

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown

import provenance
import real_env
import suite as suites
from contender import Contender
from provenance import Provenance
from run import Ours, RealEnv, set_up
from table import ABSENT, noted
from worker_client import WorkerClient, WorkerError

RESULTS = Path(__file__).with_name("results")
STEPS = 20
"""Of every environment: enough for contacts, so that MuJoCo's buffers are in use."""


console = Console()


@dataclass(frozen=True)
class Measure:
    """One process: the seconds that its environments took, and its memory in bytes."""

    make_seconds: float
    reset_seconds: float
    """Of the first reset, which is when some environments do what others do when made."""
    resident: int
    """After a reset and some steps of all environments."""


@dataclass
class Footprint:
    """One contender and task, in processes with one and with many environments."""

    task: str
    contender: Contender
    one: list[Measure] = field(default_factory=list)
    many: list[Measure] = field(default_factory=list)
    failure: str | None = None

    @property
    def ready_seconds(self) -> float:
        """From nothing to the first observations."""
        return median(measure.make_seconds + measure.reset_seconds for measure in self.many)

    def bytes_per_env(self, num_envs: int) -> float:
        """What each environment adds to a process that has one."""
        one, many = (median(m.resident for m in measures) for measures in (self.one, self.many))
        return (many - one) / (num_envs - 1)


@dataclass(frozen=True)
class Report:
    provenance: Provenance
    num_envs: int
    rounds: int
    footprints: list[Footprint]

    def to_json(self) -> dict[str, Any]:
        return {
            "provenance": asdict(self.provenance),
            "num_envs": self.num_envs,
            "rounds": self.rounds,
            "steps": STEPS,
            "footprints": [self._footprint_json(footprint) for footprint in self.footprints],
        }

    def _footprint_json(self, footprint: Footprint) -> dict[str, Any]:
        data = asdict(footprint)
        if not footprint.failure:
            data["ready_seconds"] = footprint.ready_seconds
            data["bytes_per_env"] = footprint.bytes_per_env(self.num_envs)
        return data


def main(
    family_name: Annotated[
        str,
        typer.Option(
            "--family",
            metavar="NAME",
            callback=suites.known("footprint"),
            help=f"What to make: {', '.join(suites.names('footprint'))}.",
        ),
    ] = "mujoco",
    ours: Ours = Path(sys.executable),
    real: RealEnv = None,
    num_envs: Annotated[
        int | None,
        typer.Option(min=2, help="How many environments are many.", show_default="the family's"),
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Processes of each kind.")] = 3,
    name: Annotated[
        str | None, typer.Option(help="Name of the result files.", show_default="the family's")
    ] = None,
) -> None:
    """Measure what making many environments costs, in seconds and in memory."""
    family = suites.load(family_name, "footprint")
    results = f"{family_name}-footprint"
    reference = set_up(real or real_env.default_directory())
    ours_command = [str(ours.absolute()), "-P"]
    footprints = [Footprint(task, who) for task in family.TASKS for who in family.CONTENDERS]
    report = measure(ours_command, reference, footprints, num_envs or family.NUM_ENVS, rounds)
    name = name or results
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(report.to_json(), indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(f"# Footprint\n\n{table(report)}", "utf-8")
    console.print(Markdown(table(report)))
    for footprint in report.footprints:
        if footprint.failure:
            line = f"{footprint.task}, {footprint.contender.name}: {footprint.failure}"
            console.print(line, style="red", markup=False)


def measure(
    ours: list[str], reference: list[str], footprints: list[Footprint], num_envs: int, rounds: int
) -> Report:
    """Measure all contenders in turn; `ours` and `reference` are commands of interpreters."""
    origin = provenance.collect(ours, reference)
    for _ in range(rounds):
        for footprint in footprints:
            contender = footprint.contender
            if footprint.failure:
                continue
            command = ours if contender.beside_ours else reference
            try:
                with console.status(f"{footprint.task}: {contender.name}"):
                    one = measure_process(command, contender, footprint.task, 1)
                    footprint.one.append(one)
                    many = measure_process(command, contender, footprint.task, num_envs)
                    footprint.many.append(many)
            except WorkerError as error:
                footprint.failure = str(error)
    return Report(origin, num_envs, rounds, footprints)


def measure_process(
    command: Sequence[str], contender: Contender, task: str, num_envs: int
) -> Measure:
    """Measure in a fresh process, whose memory nothing else has touched."""
    with closing(WorkerClient(command)) as worker:
        opened = worker.ask(
            "open",
            package=contender.package,
            what="step",
            task=task,
            num_envs=num_envs,
            batch_size=None,
            options=contender.options,
            frames=None,
            action_batches=STEPS,
        )
        worker.ask("advance", steps=STEPS)
        resident = worker.ask("memory")["resident"]
        return Measure(opened["make_seconds"], opened["reset_seconds"], resident)


def table(report: Report) -> str:
    """Markdown with one line per task and contender."""
    head = [
        "task",
        "contender",
        f"seconds to make and reset {report.num_envs:,}",
        "KiB per environment",
    ]
    body = [row(footprint, report.num_envs) for footprint in report.footprints]
    note = f"Medians of {report.rounds} fresh processes each. Memory: resident "
    note += f"after a seeded reset and {STEPS} steps of all environments, less that of a process "
    note += "with one."
    return noted(head, body, note, report.provenance)


def row(footprint: Footprint, num_envs: int) -> list[str]:
    if footprint.failure:
        return [footprint.task, footprint.contender.name, "failed", ABSENT]
    return [
        footprint.task,
        footprint.contender.name,
        f"{footprint.ready_seconds:.3g}",
        f"{footprint.bytes_per_env(num_envs) / 1024:,.0f}",
    ]


if __name__ == "__main__":
    typer.run(main)
