"""Sphinx's settings for the pages in this folder; CONTRIBUTING.md says how to build them."""

import importlib.metadata
import re
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.highlighting import lexers

project = "envpool-next"
author = "envpool contributors"
project_copyright = f"2026, {author}"
release = importlib.metadata.version("envpool-next")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"envpool-next {release}"
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # the anchors that GitHub gives to headings
# GitHub draws such diagrams. Here that would take a script from the network.
lexers["mermaid"] = TextLexer()

# The first is large: it needs torch.
autodoc_mock_imports = ["stable_baselines3", "pettingzoo"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_use_ivar = True
# Of other projects and of what is internal there are no pages to link to.
nitpick_ignore_regex = [
    ("py:.*", r"(?!envpool\.).*"),
    ("py:.*", r"envpool\.(_core|workers|render|flavours\.xla|rollouts\.frame_store)\b.*"),
    ("py:.*", r"envpool\.spec\.(infos|option_values|spaces)\b.*"),
]

_LAST_GUIDE = "\nold_gym\n"


def add_new_pages(_: Sphinx, name: str, source: list[str]) -> None:
    """Appends the pages that index.md does not name to its guides."""
    if name != "index":
        return
    named = set(re.findall(r"^[\w/-]+$", source[0], re.MULTILINE)) | {name}
    new = sorted({path.stem for path in Path(__file__).parent.glob("*.md")} - named)
    source[0] = source[0].replace(_LAST_GUIDE, "\n".join([_LAST_GUIDE.rstrip(), *new, ""]), 1)


def link_to_results(_: Sphinx, name: str, source: list[str]) -> None:
    """Leads links to reports of benchmarks to the pages that the site has of them."""
    result = r"\.\./benchmarks/results/([\w-]+\.md)"
    source[0] = re.sub(result, r"generated/benchmarks/\1", source[0])


def setup(app: Sphinx) -> None:
    """What Sphinx calls."""
    app.connect("source-read", add_new_pages)
    app.connect("source-read", link_to_results)
