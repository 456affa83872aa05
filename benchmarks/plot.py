"""A bar chart of a report."""

from math import floor, log10
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import NullFormatter

from report import CaseReport, Report, Result
from table import micros

SHADES = {
    "ours": ["#08519c", "#4292c6", "#9ecae1", "#c6dbef", "#08306b", "#6baed6"],
    "envpool": ["#d94801", "#fdae6b"],
    "gymnasium": ["#404040", "#808080", "#bdbdbd"],
    "dm_control": ["#404040"],
    "sb3": ["#a50f15"],
    "ale": ["#54278f", "#9e9ac8"],
    "ceiling": ["#238b45", "#74c476"],
}
GAP = 1.2  # Between cases, in bars.
INCHES_PER_BAR = 0.19


def draw(report: Report, path: Path) -> None:
    """Write one group of bars per case, microseconds per call on a log axis, as PNG."""
    colors = contender_colors(report)
    cases = [case for case in report.cases if case.case.what != "idle"]
    bars = sum(len(case.results) + GAP for case in cases)
    figure = Figure(figsize=(10, 2.2 + INCHES_PER_BAR * bars), layout="constrained")
    axes = figure.add_subplot()
    style(axes)
    draw_cases(axes, cases, colors)
    axes.set_xlim(left=left_edge(cases))
    handles = [Patch(color=color, label=name) for name, color in colors.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    figure.supxlabel("\n".join(report.provenance.lines()), fontsize=8, color="0.4")
    figure.savefig(path, dpi=150)


def draw_cases(axes: Axes, cases: list[CaseReport], colors: dict[str, str]) -> None:
    top, ticks = 0.0, []
    for case in cases:
        ticks.append(top + (len(case.results) - 1) / 2)
        for place, result in enumerate(case.results):
            draw_bar(axes, result, top + place, colors[result.contender.name])
        top += len(case.results) + GAP
    axes.set_yticks(ticks, [case.case.name for case in cases])
    axes.set_ylim(top - GAP, -1)  # Downwards.


def draw_bar(axes: Axes, result: Result, y: float, color: str) -> None:
    """A bar as long as the median, with a whisker from the fastest to the slowest round."""
    if result.failure:
        at_left_edge = axes.get_yaxis_transform()
        axes.text(0.01, y, "failed", va="center", size=7, color=color, transform=at_left_edge)
        return
    whisker = [[result.median - result.fastest], [result.slowest - result.median]]
    axes.barh(y, result.median, height=0.85, color=color)
    axes.errorbar(result.median, y, xerr=whisker, ecolor="0.2", elinewidth=0.8)
    axes.annotate(
        micros(result.median),
        (result.slowest, y),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        size=7,
    )


def style(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("microseconds per call, median with fastest and slowest round (less is better)")
    axes.xaxis.set_major_formatter("{x:,g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.1)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)


def left_edge(cases: list[CaseReport]) -> float:
    """A power of ten that leaves the shortest bar at least a factor of two long."""
    medians = [r.median for case in cases for r in case.results if not r.failure]
    return float(10 ** floor(log10(min(medians, default=2) / 2)))


def contender_colors(report: Report) -> dict[str, str]:
    """A color for every contender, shades of one hue within a group."""
    shades = {group: iter(colors) for group, colors in SHADES.items()}
    return {contender.name: next(shades[contender.group]) for contender in report.contenders}
