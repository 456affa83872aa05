"""The pages of measurements: the reports in benchmarks/results, and how each was made."""

import json
import re
import shutil
from pathlib import Path

from envpool.families.record import records
from markdown import code, toctree

# Titles of reports by their names, in the order of the list; others follow by their names.
_TITLES = {
    **{name: record.title for name, record in records().items()},
    "rendering": "Pictures",
    "python": "Environments written in Python",
    "xla": "Programs of JAX",
}


def write(results: Path, folder: Path) -> None:
    """Writes a page for each report.

    Args:
        results: The folder with the reports.
        folder: Where the folder ``benchmarks`` is made.
    """
    root = folder / "benchmarks"
    root.mkdir()
    names = sorted((path.stem for path in results.glob("*.json")), key=_order)
    for name in names:
        plot = results / f"{name}.png"
        if plot.exists():
            shutil.copy(plot, root)
        (root / f"{name}.md").write_text(_page(results, name, plot.exists()))
    introduction = (
        "What was measured, with the machine, the versions, the commit and the spread over the "
        "rounds; and, on each page, the command that repeats it. `benchmarks/README.md` in the "
        "repository says how it is done. Figures of different pages were taken at different times: "
        "compare within a page."
    )
    (root / "index.md").write_text(f"# Benchmarks\n\n{introduction}\n\n{toctree(names)}\n")


def _order(name: str) -> tuple[int, str]:
    known = list(_TITLES)
    return (known.index(name) if name in known else len(known), name)


def _title(name: str) -> str:
    family = name.removesuffix("-footprint")
    title = _TITLES.get(family, family)
    return title if family == name else f"Start and memory: {title}"


def _command(name: str) -> str:
    """What writes the report."""
    if name.endswith("-footprint"):
        return f"python benchmarks/footprint.py --family {name.removesuffix('-footprint')}"
    return f"python benchmarks/run.py --suite {name}"


def _page(results: Path, name: str, has_plot: bool) -> str:
    report = re.sub(r"^# .*\n", "", (results / f"{name}.md").read_text())
    commit = json.loads((results / f"{name}.json").read_text())["provenance"]["commit"]
    parts = [f"# {_title(name)}"]
    if has_plot:
        parts.append(f"![{_title(name)}: microseconds per call of all contenders]({name}.png)")
    parts += [f"Measured at commit {commit}. To repeat it:", code("bash", _command(name))]
    if "dirty" in commit:
        parts.append("The working tree had changes that were not committed (“dirty”).")
    return "\n\n".join([*parts, report.strip()]) + "\n"
