"""The part of a README that a run replaces."""

import re
from pathlib import Path

BEGIN = "<!-- benchmark:begin -->"
END = "<!-- benchmark:end -->"
PART = re.compile(f"(?<={BEGIN}\n).*?(?={END})", re.DOTALL)


def has_markers(path: Path) -> bool:
    return PART.search(path.read_text("utf-8")) is not None


def replace(path: Path, text: str) -> None:
    """Put `text` between the markers."""
    # A function, because backslashes in a replacement string would be interpreted.
    path.write_text(PART.sub(lambda _: text, path.read_text("utf-8"), count=1), "utf-8")
