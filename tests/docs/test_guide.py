"""docs/write-an-environment.md says what is: its code stands in files that are built and tested."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/write-an-environment.md").read_text()
BUILT = [ROOT / "examples/walkenv/cpp/walk.cpp", *(ROOT / "cpp/envs/testing").glob("*.cpp")]


def snippets(language):
    return re.findall(rf"```{re.escape(language)}\n(.*?)```", GUIDE, re.S)


@pytest.mark.parametrize("snippet", snippets("c++"), ids=lambda text: text.split()[0])
def test_cpp_is_that_of_an_environment(snippet):
    assert any(snippet in path.read_text() for path in BUILT)


def test_the_registration_is_the_templates():
    registration = (ROOT / "examples/walkenv/src/walkenv/registration.py").read_text()
    (snippet,) = (text for text in snippets("python") if "def register_tasks" in text)
    assert registration.endswith(snippet)
