"""Names that are almost right."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

# Gym's names of Atari's games, which say there what options say here.
_GYM_ATARI = re.compile(
    r"(?P<game>[A-Z]\w*?)(-ram|-ramNoFrameskip|-ramDeterministic|NoFrameskip|Deterministic)?-v[04]"
)
_LONGEST = 200  # characters; what is longer was not meant for a name


def did_you_mean(name: object, known: Iterable[str], count: int = 3) -> str:
    """A sentence part that suggests the nearest of the known names, or nothing."""
    if not isinstance(name, str) or len(name) > _LONGEST:
        return ""
    known = list(known)
    game = _GYM_ATARI.fullmatch(name.rpartition("/")[2])
    if game and (other := f"{game['game']}-v5") in known:
        return f"; did you mean {other!r}?"
    lower = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), lower, n=count, cutoff=0.5)
    if not near:
        return ""
    return "; did you mean " + " or ".join(repr(lower[match]) for match in near) + "?"
