"""The table over all families, of the reports that are in results/.

    python benchmarks/overview.py README.md

replaces what is between the markers ``<!-- families-benchmark:begin -->`` and its end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from suite import part
from table import markdown

PART = part("families")
RESULTS = Path(__file__).parent / "results"
SUITES = {
    "classic": "classic control",
    "toy_text": "toy text",
    "box2d": "Box2D",
    "mujoco": "MuJoCo",
    "dm_control": "dm_control",
    "robotics": "Gymnasium-Robotics",
    "minigrid": "MiniGrid, BabyAI",
    "atari": "Atari",
    "rendering": "MuJoCo's pictures",
    "python": "in Python",
}
# Who is not EnvPool: the package that the environments are from.
ORIGINALS = {"gymnasium", "dm_control"}


class Ratio(NamedTuple):
    """How many times faster ours is in a case."""

    times: float
    case: str


def fastest(case: dict[str, Any], groups: Iterable[str]) -> float | None:
    """Microseconds per call of the fastest contender of some groups."""
    medians = [
        result["microseconds_per_call"]["median"]
        for result in case["results"]
        if result["contender"]["group"] in groups and not result["failure"]
        if "fast" not in result["contender"]["name"]  # less exact pictures than the original's
    ]
    return min(medians, default=None)


def ratios(cases: list[dict[str, Any]], groups: Iterable[str]) -> Iterator[Ratio]:
    """Ours against the fastest of some groups, in the cases that both entered."""
    for case in cases:
        ours, theirs = fastest(case, {"ours"}), fastest(case, groups)
        if ours and theirs:
            yield Ratio(theirs / ours, case["title"])


def shown(ratio: Ratio) -> str:
    """A ratio and its case."""
    digits = 0 if ratio.times >= 10 else 1 if ratio.times >= 2 else 2
    return f"{ratio.times:.{digits}f}x ({ratio.case})"


def cells(cases: list[dict[str, Any]], groups: Iterable[str]) -> list[str]:
    """The lowest and the highest ratio."""
    found = sorted(ratios(cases, groups))
    if not found:
        return ["-", "-"]
    return [shown(found[0]), shown(found[-1])]


def row(suite: str, family: str) -> list[str]:
    """The line of a family."""
    found = json.loads((RESULTS / f"{suite}.json").read_text())
    text = (RESULTS / f"{suite}.md").read_text()
    titles = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    cases = [case | {"title": title} for case, title in zip(found["cases"], titles, strict=True)]
    spreads = sorted(
        result["spread"]
        for case in cases
        for result in case["results"]
        if result["contender"]["group"] == "ours" and not result["failure"]
    )
    spread = f"{spreads[len(spreads) // 2]:.0%}, {spreads[-1]:.0%}"
    commit = found["provenance"]["commit"]
    own = [*cells(cases, {"envpool"}), *cells(cases, ORIGINALS)]
    return [family, *own, spread, commit, f"`run.py --suite {suite}`"]


def overview() -> str:
    """The table and what it needs to be understood."""
    head = ["family", "EnvPool: least", "most", "original: least", "most", "spread", "commit", "by"]
    rows = [row(suite, family) for suite, family in SUITES.items()]
    note = (
        "How many times faster ours is than EnvPool 1.2.5 and than the package that the "
        "environments are from, in the case that suits it least and in the one that suits it most; "
        "below 1 it is slower. In brackets: the task, what is called, `num_envs/batch_size`. "
        "Everyone with the number of threads or processes that suits them best, on two cores. "
        "Spread: (max - min) / median of our rounds, in the middle case and in the worst. “dirty”: "
        "with changes that were not committed."
    )
    return "\n".join([*markdown(head, rows), "", note]) + "\n"


def main(
    page: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="With the markers.")],
) -> None:
    """Replace the table of all families in a page."""
    if not PART.is_in(page):
        raise typer.BadParameter(f"{page} lacks {PART.begin} or {PART.end}")
    PART.replace(page, overview())


if __name__ == "__main__":
    typer.run(main)
