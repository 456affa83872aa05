"""GfootballEnvSpec: the spec of all scenarios."""

from __future__ import annotations

from envpool.spec.env_spec import EnvSpec


class GfootballEnvSpec(EnvSpec):
    """An :class:`EnvSpec` whose ``representation`` says what is observed.

    ``"extracted"`` is uint8 of shape ``(72, 96, 4)``: rows and columns of the pitch, with marks of
    255 where players of the left team are, those of the right, the ball, and the agent's player.
    ``"simple115"`` and ``"simple115v2"`` are float32 of shape ``(115,)``. ``"raw"`` is a dict of
    what upstream tells, with positions as float64. Sources: upstream's ``env/wrappers.py`` and
    ``env/observation_preprocessing.py``.
    """

    engine = "gfootball 2.10.2"
