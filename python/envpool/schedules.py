"""What an episode begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Episode:
    """What an episode begins with: as arguments of reset, or a state."""

    seed: int | None = None
    options: Mapping[str, Any] | None = None
    state: bytes | None = None
