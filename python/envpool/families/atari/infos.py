"""Infos of Atari's games: EnvPool and Gymnasium have only ``lives`` in common, in other types."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {
    "Atari": InfoRules(
        only_envpool=("lives", "reward", "terminated", "ram"),
        only_gymnasium=("lives_int64", "episode_frame_number", "frame_number"),
        renamed={"lives_int64": "lives"},
    )
}
