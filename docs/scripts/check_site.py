"""Checks a built site: its links lead to files and anchors, and nothing is fetched from elsewhere.

python docs/scripts/check_site.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself when it shows a page.
_FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page of HTML refers to.

    Attributes:
        links: Where its links lead.
        fetched: What a browser fetches to show it.
        anchors: What can be linked to in it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See HTMLParser."""
        values = dict(attrs)
        self.anchors |= {values.get("id") or "", values.get("name") or ""}
        if tag == "a":
            self.links.append(values.get("href") or "")
        elif tag in _FETCHED:
            self.fetched.append(values.get(_FETCHED[tag]) or "")


def problems(root: Path) -> list[str]:
    """What is wrong in the pages below a folder."""
    pages = {path: Page(path) for path in sorted(root.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        for target in [*page.links, *page.fetched]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.fetched and parts.scheme != "data":
                    found.append(f"{path}: a browser would fetch {target}")
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.exists():
                found.append(f"{path}: there is no {target}")
            elif there in pages and unquote(parts.fragment) not in pages[there].anchors:
                found.append(f"{path}: {target} has no such anchor")
    if not pages:
        found.append(f"{root}: there are no pages")
    return found


def main() -> int:
    """Checks the folder that is named on the command line."""
    found = problems(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
