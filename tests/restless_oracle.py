"""An oracle of toy text that does not say which actions to take."""

from __future__ import annotations

from typing import Any, NoReturn

from envpool.oracles.toy_text import ToyText


class Restless(ToyText):
    def actions(self, space: Any, seed: int) -> NoReturn:
        raise RuntimeError("no actions")


ORACLE = Restless()
