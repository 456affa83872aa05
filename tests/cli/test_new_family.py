"""``envpool new-family``: what it writes, and what it refuses."""

import ast
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envpool.cli import app, new_family

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(*arguments):
    """The exit code and all that was printed."""
    result = CliRunner().invoke(app, ["new-family", *arguments])
    unexpected = result.exception and not isinstance(result.exception, SystemExit)
    assert not unexpected, result.exception
    return result.exit_code, result.output


def contents(folder):
    """The text of each file, but for what pip and Python leave there."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_text()
        for name, path in files.items()
        if path.suffix != ".pyc" and "build" not in name.parts
    }


@pytest.mark.parametrize(
    ("flags", "example", "task", "own"),
    [
        ([], "walkenv", "Walk", {"cpp/walk.cpp", "tests/test_walk.py"}),
        (
            ["--mujoco"],
            "robotenv",
            "Reach",
            {"cpp/reach.cpp", "src/ropes/arm.xml", "tests/test_reach.py"},
        ),
    ],
)
def test_a_package_is_complete(flags, example, task, own, scratch_directory):
    exit_code, output = run("ropes", *flags)
    assert exit_code == 0
    written = contents(scratch_directory / "ropes")
    assert {str(path) for path in written} == own | {
        "CMakeLists.txt",
        "README.md",
        "pyproject.toml",
        "src/ropes/__init__.py",
        "src/ropes/registration.py",
    }
    for path in written:
        assert f"ropes/{path}\n" in output
    for text in written.values():
        assert "$" not in text and example not in text
    for path, text in written.items():
        if path.suffix == ".py":
            assert "ropes" in text and ast.parse(text)
    assert "pip install --no-build-isolation ./ropes\n" in output
    assert f"python -m envpool check ropes/{task}-v0\n" in output
    assert ("envpool-next[mujoco]" in output) == bool(flags)


@pytest.mark.parametrize("example", ["walkenv", "robotenv", "games", "gridenv"])
def test_a_package_requires_this_envpool_by_its_name(example):
    project = tomllib.loads((EXAMPLES / example / "pyproject.toml").read_text())
    (needed,) = project["project"]["dependencies"]
    assert needed in project["build-system"]["requires"]
    name, at_least, below = needed.replace(">=", " ").replace(",<", " ").split()
    own = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text())["project"]
    assert name.removesuffix("[mujoco]") == own["name"]
    version, low, high = (
        [int(part) for part in text.split(".")] for text in (own["version"], at_least, below)
    )
    assert low <= version < high


def test_into_another_folder(scratch_directory):
    exit_code, output = run("ropes", "--into", "my games/new")
    assert exit_code == 0
    assert (scratch_directory / "my games/new/ropes/pyproject.toml").exists()
    assert "pip install --no-build-isolation './my games/new/ropes'\n" in output


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "lower-case letters"),
        ("Ropes", "lower-case letters"),
        ("2ropes", "lower-case letters"),
        ("_ropes", "lower-case letters"),
        ("ropes_", "lower-case letters"),
        ("rope-walk", "lower-case letters"),
        ("../ropes", "lower-case letters"),
        ("/ropes", "lower-case letters"),
        ("ropes\n", "lower-case letters"),
        ("séil", "lower-case letters"),
        ("class", "Python"),
        ("json", "module"),
        ("numpy", "module"),
        ("envpool", "module"),
    ],
)
def test_names_that_do_not_work(name, reason, scratch_directory):
    exit_code, output = run(name)
    assert exit_code == 2
    assert output.startswith("error: NAME is ") and reason in output
    assert list(scratch_directory.iterdir()) == []


def test_a_folder_of_the_name_is_no_module(scratch_directory, monkeypatch):
    monkeypatch.syspath_prepend(scratch_directory)
    (scratch_directory / "ropes").mkdir()
    assert new_family.name_problem("ropes") == ""


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_nothing_is_overwritten(kind, scratch_directory):
    place = scratch_directory / "ropes"
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to("nowhere")
    exit_code, output = run("ropes")
    assert exit_code == 1
    assert output == "error: [Errno 17] File exists: 'ropes'\n"
    assert list(scratch_directory.rglob("*")) == [place]


def test_places_that_cannot_be_written():
    exit_code, output = run("ropes", "--into", "/proc/nowhere")
    assert exit_code == 1
    assert output.startswith("error: ") and "/proc/nowhere" in output
