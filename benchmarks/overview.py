"""The chart and the table over all families, of the reports that are in results/.

    python benchmarks/overview.py README.md

draws results/overview.png, and replaces what is between the markers
``<!-- families-benchmark:begin -->`` and its end: in README by the chart, and in
docs/performance.md by the table behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import geometric_mean
from typing import Annotated, Any

import typer
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from envpool.families.record import records
from plot import SHADES
from suite import part
from table import markdown

PART = part("families")
RESULTS = Path(__file__).parent / "results"
CHART = RESULTS / "overview.png"
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
# Those of families, and others that are no families, if they were measured.
SUITES = {
    suite: title
    for suite, title in {
        **{name: record.title for name, record in records().items()},
        "rendering": "MuJoCo's pictures",
        "python": "in Python",
    }.items()
    if (RESULTS / f"{suite}.json").exists()
}
# Who is not EnvPool: the package that the environments are from.
ORIGINALS = {"gymnasium", "dm_control"}


def fastest(case: dict[str, Any], groups: Iterable[str]) -> float | None:
    """Microseconds per call of the fastest contender of some groups."""
    medians = [
        result["microseconds_per_call"]["median"]
        for result in case["results"]
        if result["contender"]["group"] in groups and not result["failure"]
        if "fast" not in result["contender"]["name"]  # less exact pictures than the original's
    ]
    return min(medians, default=None)


def ratios(cases: list[dict[str, Any]], groups: Iterable[str]) -> Iterator[float]:
    """How many times faster ours is than the fastest of some groups, in the cases of both."""
    for case in cases:
        ours, theirs = fastest(case, {"ours"}), fastest(case, groups)
        if ours and theirs:
            yield theirs / ours


def rounded(times: float) -> str:
    """Such as 1.22x, 6.1x or 139x."""
    digits = 0 if times >= 10 else 1 if times >= 2 else 2
    return f"{times:.{digits}f}x"


def cells(cases: list[dict[str, Any]], groups: Iterable[str]) -> list[str]:
    """The lowest and the highest ratio."""
    found = sorted(ratios(cases, groups))
    return [rounded(found[0]), rounded(found[-1])] if found else ["-", "-"]


def cases_of(suite: str) -> list[dict[str, Any]]:
    """What was measured."""
    found: list[dict[str, Any]] = json.loads((RESULTS / f"{suite}.json").read_text())["cases"]
    return found


def real_version(suite: str) -> str:
    """Of the EnvPool that was measured, if it was."""
    reference = json.loads((RESULTS / f"{suite}.json").read_text())["provenance"]["reference"]
    return reference.get("envpool") or "-"


def real_versions() -> str:
    """Such as "EnvPool 1.2.5 and 1.2.7"."""
    return "EnvPool " + " and ".join(sorted({real_version(suite) for suite in SUITES} - {"-"}))


def draw(path: Path) -> None:
    """Draws bars as long as the mean over a family's cases, with whiskers from least to most."""
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    axes = figure.add_subplot()
    others = [
        ("than the original environments", ORIGINALS, SHADES["gymnasium"][1]),
        (f"than {real_versions()}", {"envpool"}, SHADES["envpool"][0]),
    ]
    for place, (label, groups, color) in enumerate(others):
        for line, suite in enumerate(SUITES):
            times = list(ratios(cases_of(suite), groups))
            if not times:
                continue
            mean, height = geometric_mean(times), line + (place - 0.5) * 0.4
            name = label if suite == next(iter(SUITES)) else None
            axes.barh(height, mean - 1, left=1, height=0.38, color=color, label=name)
            axes.hlines(height, min(times), max(times), color="0.2", lw=0.9)
            end = max(*times, 1.0) * 1.08
            axes.text(end, height, rounded(mean), va="center", size=8, color=color)
    axes.set(xscale="log", xlim=(0.7, 2000))
    axes.set_yticks(range(len(SUITES)), list(SUITES.values()))
    axes.invert_yaxis()
    axes.axvline(1, color="0.2", lw=0.8)
    axes.xaxis.set_major_formatter("{x:,g}x")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("how many times faster: geometric mean, least and most of all cases")
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, reverse=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def row(suite: str, family: str) -> list[str]:
    """The line of a family."""
    cases = cases_of(suite)
    spreads = sorted(
        result["spread"]
        for case in cases
        for result in case["results"]
        if result["contender"]["group"] == "ours" and not result["failure"]
    )
    spread = f"{spreads[len(spreads) // 2]:.0%}, {spreads[-1]:.0%}"
    others = [real_version(suite), *cells(cases, {"envpool"}), *cells(cases, ORIGINALS)]
    return [family, *others, spread]


def overview() -> str:
    """The table and what it needs to be understood."""
    head = ["family", "EnvPool", "least", "most", "original: least", "most", "spread"]
    rows = [row(suite, family) for suite, family in SUITES.items()]
    note = (
        "How many times faster ours is than EnvPool and than the package that the "
        "environments are from, in the case that suits it least and in the one that suits it most; "
        "below 1 it is slower. Everyone with the number of threads or processes that suits them "
        "best. Spread: (max - min) / median of our rounds, in the middle case and in the worst."
    )
    return "\n".join([*markdown(head, rows), "", note]) + "\n"


def main(
    readme: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="For the chart.")],
    page: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="For its table.")] = PAGE,
) -> None:
    """Draw the chart of all families, and put it and its table between the markers of two pages."""
    for path in (readme, page):
        if not PART.is_in(path):
            raise typer.BadParameter(f"{path} lacks {PART.begin} or {PART.end}")
    draw(CHART)
    alternative = f"How many times faster than {real_versions()} and than the original environments"
    PART.replace(readme, f"[![{alternative}](benchmarks/results/{CHART.name})](docs/{PAGE.name})\n")
    PART.replace(page, overview())


if __name__ == "__main__":
    typer.run(main)
