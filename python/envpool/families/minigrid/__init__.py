"""Grid worlds with missions: the tasks of MiniGrid, computed as minigrid 3.2.0 does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def get_spec_base() -> type[EnvSpec]:
    """What the specs of levels derive from: for :func:`envpool.sdk.lazy_export`."""
    from envpool.families.minigrid.spec import GridWorldEnvSpec  # which loads NumPy

    return GridWorldEnvSpec


def decode_mission(mission: Any) -> Any:
    """Missions as text.

    Args:
        mission: One mission, uint8 of shape ``(mission_bytes,)``, or a batch of them, one per row:
            what EnvPool's dialects have as ``obs["mission"]``.

    Returns:
        A string, or a list of strings.
    """
    from envpool.spec.spaces import decode_text

    return decode_text(mission)


__getattr__, __dir__ = lazy_export("envpool.families.minigrid._minigrid", __name__, get_spec_base)
