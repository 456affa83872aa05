"""Infos of the toy_text tasks. EnvPool has only CliffWalking's ``prob``, as a float32."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {
    "CliffWalking": InfoRules(
        only_envpool=("prob_float32",),
        only_gymnasium=("prob",),
        renamed={"prob_float32": "prob"},
        integer_at_reset=("prob",),
        python_floats=("prob",),
    ),
    "FrozenLake": InfoRules(
        only_gymnasium=("prob",), integer_at_reset=("prob",), python_floats=("prob",)
    ),
    "Taxi": InfoRules(only_gymnasium=("prob", "action_mask"), python_floats=("prob",)),
}
