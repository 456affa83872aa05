"""The keys that play Procgen: those of upstream's interactive mode."""

from __future__ import annotations

from envpool.families.record import Keys
from envpool.spec.env_spec import EnvSpec

_ARROWS = (
    *("left + down", "left", "left + up", "down", "", "up"),
    *("right + down", "right", "right + up"),
)
_KEYS: Keys = {
    **{keys: (i, f"go {keys.replace('+', 'and')}") for i, keys in enumerate(_ARROWS)},
    **{key: (i, f"key {key.upper()}") for i, key in enumerate("dawsqe", len(_ARROWS))},
}


def keys_of(spec: EnvSpec) -> Keys | None:
    """Returns the keys of a game."""
    return _KEYS
