"""The code in the documentation runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page):
    """One after the other, as somebody who reads the page would run them."""
    names = {}
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S)):
        exec(compile(snippet, f"{page.name}, snippet {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_readme_shows_code_early():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert lines.index("```python") < 25
