"""Times our envpool, the real EnvPool and Gymnasium side by side on the same cases."""

import json
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import plot
import provenance
import real_env
import suite as suites
import table
from case import Case
from contender import Contender
from race import Race
from report import Report
from suite import Suite
from worker_client import WorkerClient

RESULTS = Path(__file__).with_name("results")
QUICK_ROUNDS = 2
QUICK_SECONDS = 0.02

COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())

console = Console()

Ours = Annotated[
    Path,
    typer.Option(
        metavar="PYTHON",
        exists=True,
        dir_okay=False,
        help="Interpreter that has our envpool.",
        show_default="the one that runs this",
    ),
]
RealEnv = Annotated[
    Path | None,
    typer.Option(
        "--real-env",
        metavar="DIR",
        help="Virtual environment of the real EnvPool, created if it is missing.",
        show_default="a cache folder",
    ),
]


def main(
    suite_name: Annotated[
        str,
        typer.Option(
            "--suite",
            metavar="NAME",
            callback=suites.known("cases"),
            help=f"What to time: {', '.join(suites.names('cases'))}.",
        ),
    ] = "classic_control",
    ours: Ours = Path(sys.executable),
    real: RealEnv = None,
    cases: Annotated[
        str, typer.Option(metavar="PATTERN", help="Only cases whose name contains this.")
    ] = "*",
    rounds: Annotated[int, typer.Option(min=1, help="Timed rounds of each contender.")] = 7,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Least length of a round.", show_default="the suite's"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run: few, short rounds.")] = False,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the result files.", show_default='the suite\'s, or "quick"'),
    ] = None,
    readme_path: Annotated[
        Path | None,
        typer.Option(
            "--readme",
            "--docs",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Also put a compact table between this file's markers for the suite.",
        ),
    ] = None,
) -> None:
    """Time our envpool, the real EnvPool and Gymnasium side by side on the same cases."""
    suite = suites.find(suite_name)
    chosen = [case for case in suite.cases if case.matches(cases)]
    if not chosen:
        raise typer.BadParameter("no case has such a name", param_hint="--cases")
    if readme_path and not suite.part.is_in(readme_path):
        markers = f"{suite.part.begin} and {suite.part.end}"
        raise typer.BadParameter(f"lacks {markers}", param_hint="--readme")
    seconds = suite.seconds if seconds is None else seconds
    if quick:
        rounds, seconds = QUICK_ROUNDS, QUICK_SECONDS
    needs_reference = any(not contender.beside_ours for contender in suite.contenders)
    reference_command = set_up(real or real_env.default_directory()) if needs_reference else []
    if suite.prepare:
        with console.status("preparing; to build a ceiling takes minutes for the first time"):
            suite.prepare()
    # Safe path: no file beside the worker may hide a package.
    ours_command = [str(ours.absolute()), "-P"]
    report = measure(ours_command, reference_command, suite.contenders, chosen, rounds, seconds)
    write(report, name or ("quick" if quick else suite.name))
    if readme_path:
        suite.part.replace(readme_path, suite.compact(report))
    summarise(report, suite)


def set_up(real: Path) -> list[str]:
    """The command of the interpreter with the real EnvPool."""
    with console.status("setting up the real EnvPool"):
        return real_env.ensure(real)


def measure(
    ours: list[str],
    reference: list[str],
    contenders: list[Contender],
    cases: list[Case],
    rounds: int,
    seconds: float,
) -> Report:
    """Time all cases; `ours` and `reference` are the commands of the two interpreters.

    `reference` is empty where no contender needs it.
    """
    origin = provenance.collect(ours, reference)
    if origin.ours["envpool"] is None:
        raise typer.BadParameter("this interpreter has no envpool", param_hint="--ours")
    # Refreshed by hand between rounds: a thread that draws would compete with what is timed.
    with ExitStack() as stack, Progress(*COLUMNS, console=console, auto_refresh=False) as progress:
        workers = {}
        for contender in contenders:
            worker = WorkerClient(ours if contender.beside_ours else reference)
            workers[contender.name] = stack.enter_context(closing(worker))

        def show(case: Case, contender: Contender) -> None:
            progress.update(
                bar, advance=1, refresh=True, description=f"{case.name}: {contender.name}"
            )

        race = Race(contenders, workers, rounds, seconds, show)
        bar = progress.add_task("", total=sum(race.turns(case) for case in cases))
        results = [race.run(case) for case in cases]
        return Report(origin, contenders, rounds, seconds, results)


def write(report: Report, name: str) -> None:
    """Write the report as JSON with all raw rounds, as Markdown, and as a plot."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(report.to_json(), indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(table.full(report), "utf-8")
    plot.draw(report, RESULTS / f"{name}.png")


def summarise(report: Report, suite: Suite) -> None:
    """Print the compact table, and why any contender failed."""
    console.print(Markdown(suite.compact(report)))
    for case in report.cases:
        for result in case.results:
            if result.failure:
                line = f"{case.case.name}, {result.contender.name}: {result.failure}"
                console.print(line, style="red", markup=False)


if __name__ == "__main__":
    typer.run(main)
