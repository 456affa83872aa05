"""The part of a README, or of a page of the documentation, that a run replaces."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """What lies between the two markers of this name."""

    name: str

    @property
    def begin(self) -> str:
        return f"<!-- {self.name}:begin -->"

    @property
    def end(self) -> str:
        return f"<!-- {self.name}:end -->"

    def is_in(self, path: Path) -> bool:
        return self._pattern.search(path.read_text("utf-8")) is not None

    def replace(self, path: Path, text: str) -> None:
        """Put `text` between the markers."""
        # A function, because backslashes in a replacement string would be interpreted.
        filled = self._pattern.sub(lambda _: text, path.read_text("utf-8"), count=1)
        path.write_text(filled, "utf-8")

    @property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"(?<={self.begin}\n).*?(?={self.end})", re.DOTALL)
