"""What guides show of C++ stands in files that are built and tested."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/write-an-environment.md").read_text()
BUILT = [
    ROOT / "cpp/sdk/include/envpool/env.h",
    ROOT / "examples/walkenv/cpp/walk.cpp",
    ROOT / "examples/robotenv/cpp/reach.cpp",
    ROOT / "examples/games/cpp/race.cpp",
    *(ROOT / "cpp/envs/testing").glob("*.cpp"),
]


def snippets(language, guide=GUIDE):
    return re.findall(rf"```{re.escape(language)}\n(.*?)```", guide, re.S)


@pytest.mark.parametrize("snippet", snippets("c++"), ids=lambda text: text.split()[0])
def test_cpp_is_that_of_an_environment(snippet):
    assert any(snippet in path.read_text() for path in BUILT)


@pytest.mark.parametrize(
    "snippet",
    snippets("c++", (ROOT / "docs/minigrid.md").read_text()),
    ids=lambda text: text.split("(")[0].split()[-1],
)
def test_levels_are_those_of_the_example(snippet):
    assert any(snippet in path.read_text() for path in (ROOT / "examples/gridenv/cpp").iterdir())


def test_the_registration_is_the_templates():
    registration = (ROOT / "examples/walkenv/src/walkenv/registration.py").read_text()
    (snippet,) = (text for text in snippets("python") if "def register_tasks" in text)
    assert registration.endswith(snippet)


def test_the_drawing_is_that_of_games():
    (snippet,) = (text for text in snippets("python") if "DRAWERS" in text)
    assert (ROOT / "examples/games/src/games/drawing.py").read_text().endswith(snippet)


@pytest.mark.parametrize("snippet", snippets("py"), ids=lambda text: text.split()[0])
def test_python_that_needs_games_is_that_of_games(snippet):
    """Unlike ```python, which test_docs.py runs, ```py needs a package that is not installed."""
    assert any(snippet in path.read_text() for path in (ROOT / "examples/games").rglob("*.py"))
