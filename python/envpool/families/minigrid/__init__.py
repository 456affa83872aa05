"""Grid worlds with missions: the tasks of MiniGrid, computed as minigrid 3.2.0 does."""

from __future__ import annotations

from typing import Any

from envpool.tasks.export import lazy_export

# For packages of levels, which give it to envpool.sdk.lazy_export.
SPEC_BASE = "envpool.families.minigrid.spec:GridWorldEnvSpec"


def decode_mission(mission: Any) -> Any:
    """Missions as text.

    Args:
        mission: One mission, uint8 of shape ``(mission_bytes,)``, or a batch of them, one per row:
            what EnvPool's dialects have as ``obs["mission"]``.

    Returns:
        A string, or a list of strings.
    """
    from envpool.spec.fields import decode_text

    return decode_text(mission)


__getattr__, __dir__ = lazy_export("envpool.families.minigrid._minigrid", __name__, SPEC_BASE)
