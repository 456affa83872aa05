"""The pages that are made from the code say what the code says; the site's check finds mistakes."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import envpool
from envpool.cli import app

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "docs/scripts"
FAMILY = "box2d"  # which needs no other package


@pytest.fixture(scope="module")
def scripts() -> Iterator[Any]:
    """Imports one of the scripts; they are forgotten afterwards."""
    names = [path.stem for path in SCRIPTS.glob("*.py")]
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(SCRIPTS))
    yield importlib.import_module
    sys.path.remove(str(SCRIPTS))
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(before)


@pytest.fixture(scope="module")
def pages(scripts: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of a family without pictures."""
    pytest.importorskip("PIL", reason="needs pillow")
    folder: Path = tmp_path_factory.mktemp("generated")
    try:
        scripts("environments").write(folder, False, [FAMILY])
    except ImportError as error:
        pytest.skip(str(error))
    return folder


def cells(text: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    rows = text.split(f"\n{heading}\n")[1].split("\n## ", maxsplit=1)[0]
    lines = [line for line in rows.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def documented() -> set[str]:
    """The full names of what the API's reference describes."""
    found = set()
    for path in re.findall(r"^\.\. auto\w+:: (\S+)$", (ROOT / "docs/api.md").read_text(), re.M):
        with contextlib.suppress(ImportError):  # of what is not installed
            found.add(full_name(pkgutil.resolve_name(path)))
    return found


def full_name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


@pytest.mark.parametrize(
    "name", [f"envpool{part}" for part in ("", ".checks", ".curriculum", ".sb3", ".sdk", ".vector")]
)
def test_all_that_is_public_is_in_the_reference(name: str) -> None:
    if name == "envpool.sb3":
        pytest.importorskip("stable_baselines3")
    module = importlib.import_module(name)
    public = [getattr(module, each) for each in module.__all__]
    public_names = {full_name(value) for value in public if callable(value)}
    assert public_names
    assert sorted(public_names - documented()) == []


def test_every_task_is_on_one_page(pages: Path) -> None:
    tasks = [
        task_id
        for path in (pages / "environments" / FAMILY).glob("*.md")
        if path.name != "index.md"
        for first, others, *_ in cells(path.read_text(), "## Tasks")
        for task_id in re.findall(r"`(.+?)`", first + others)
    ]
    registered = envpool.registration.registry.tasks
    expected = {name for name in registered if registered[name].import_path.endswith(FAMILY)}
    assert expected and sorted(tasks) == sorted(expected)


def test_a_page_has_what_the_spec_says(pages: Path) -> None:
    text = (pages / "environments" / FAMILY / "lunarlander.md").read_text()
    spec = envpool.make_spec("LunarLander-v3")
    options = {name: (default, meaning) for name, default, _, meaning in cells(text, "## Options")}
    assert options == {
        f"`{name}`": (f"`{spec.known.defaults[name]!r}`", entry["description"])
        for name, entry in spec.env_type.options.items()
    }
    infos = dict(cells(text, "## Infos"))
    assert infos['`info["elapsed_step"]`'] == "int32 ()" and len(infos) == len(
        spec.spaces.info_keys
    )
    (task,) = cells(text, "## Tasks")
    assert task[3:5] == ["1,000", "200"]
    assert "Discrete(4)" in text and "Box(8,) float32" in text
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(compile(code, "lunarlander.md", "exec"), {})


def test_what_numbers_mean_has_a_row_for_each_of_them(scripts: Any) -> None:
    """Of the tasks that are here; a page's table is one of them."""
    meanings = scripts("meanings")
    compared = set()
    for task_id, meaning in meanings.MEANINGS.items():
        try:
            spec = envpool.make_spec(task_id)
        except ImportError:
            continue  # without MuJoCo
        for rows, space in (
            (meaning.observation, spec.observation_space),
            (meaning.action, spec.action_space),
        ):
            if isinstance(rows, tuple):
                expected = space.n if hasattr(space, "n") else space.shape[0]
                assert meanings.size(rows) == expected, task_id
        compared.add(task_id)
    assert {"CartPole-v1", "Blackjack-v1", "BipedalWalker-v3"} <= compared


def test_a_page_says_what_the_numbers_mean(pages: Path) -> None:
    page = (pages / "environments/box2d/lunarlander.md").read_text()
    assert cells(page, "## Action")[2] == ["2", "main engine"]
    assert cells(page, "## Observation")[-1][0] == "7"
    assert "\n**Terminated**: " in page


def test_the_family_names_its_pages(pages: Path) -> None:
    folder = pages / "environments" / FAMILY
    listed = re.search(
        r"```\{toctree\}\n(?::.*\n)+\n((?:.+\n)+?)```", (folder / "index.md").read_text()
    )
    assert listed is not None
    assert {*listed[1].split(), "index"} == {path.stem for path in folder.glob("*.md")}
    assert f"{FAMILY}/index" in (pages / "environments" / "index.md").read_text()


def test_all_common_options_are_told(pages: Path) -> None:
    text = "\n" + (pages / "options.md").read_text()
    told = {name.strip("`") for name, *_ in cells(text, "# Options of all environments")}
    assert {"num_envs", "seed", "autoreset_mode", "max_episode_steps"} < told


def test_the_command_line_is_whole(scripts: Any, tmp_path: Path) -> None:
    scripts("commands").write(tmp_path / "commands.md")
    text = (tmp_path / "commands.md").read_text()
    names = {command.name for command in app.registered_commands if not command.hidden}
    assert set(re.findall(r"^## (.+)$", text, re.M)) == names
    assert "`--num-envs" in text and "[default: 0.5; 0.01<=x<=3600]" in text


def test_measurements_tell_how_they_were_made(scripts: Any, tmp_path: Path) -> None:
    results = ROOT / "benchmarks/results"
    scripts("benchmarks").write(results, tmp_path)
    pages = {path.stem: path.read_text() for path in (tmp_path / "benchmarks").glob("*.md")}
    assert pages.keys() == {"index", *(path.stem for path in results.glob("*.json"))}
    assert "python benchmarks/run.py --suite atari\n" in pages["atari"]
    assert "python benchmarks/footprint.py --family box2d\n" in pages["box2d-footprint"]
    assert re.search(r"Measured at commit [0-9a-f]{7,}( dirty)?\.", pages["atari"])


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="b.html">', ""),
        ('<a href="b.html#here">', ""),
        ('<a href="https://example.org">', ""),
        ('<a href="c.html">', "there is no c.html"),
        ('<a href="b.html#there">', "b.html#there has no such anchor"),
        ('<img src="c.png">', "there is no c.png"),
        ('<script src="https://example.org/x.js">', "would fetch https://example.org/x.js"),
    ],
)
def test_the_check_of_the_site(scripts: Any, tmp_path: Path, html: str, problem: str) -> None:
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<h1 id="here">')
    found = scripts("check_site").problems(tmp_path)
    assert len(found) == bool(problem)
    assert all(problem in line for line in found)


def test_a_site_without_pages_is_none(scripts: Any, tmp_path: Path) -> None:
    assert "no pages" in scripts("check_site").problems(tmp_path)[0]
