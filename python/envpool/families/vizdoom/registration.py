"""The scenarios of ViZDoom that EnvPool has."""

from __future__ import annotations

import re
from functools import partial

from envpool.tasks.registration import register_family_task

# By what the files of a scenario are called. The first four are not in the package vizdoom.
SCENARIOS = (
    *("D1_basic", "D2_navigation", "D3_battle", "D4_battle2"),
    *("basic", "basic_audio", "basic_notifications", "cig", "deadly_corridor", "deathmatch"),
    *("defend_the_center", "defend_the_line", "health_gathering", "health_gathering_supreme"),
    *("multi_duel", "my_way_home", "predict_position", "rocket_basic", "simpler_basic"),
    "take_cover",
)
MAX_EPISODE_STEPS = 525

# Scenarios for several players, of whom there is only one here.
ARGUMENTS = {"cig": "-deathmatch", "multi_duel": "-deathmatch"}

_register = partial(register_family_task, "envpool.families.vizdoom")


def name_of(scenario: str) -> str:
    """The task's name, such as ``MyWayHome`` of ``my_way_home``.

    Args:
        scenario: Of :data:`SCENARIOS`.
    """
    return "".join(part[0].upper() + part[1:] for part in re.split("_", scenario))


for _scenario in SCENARIOS:
    _register(
        f"{name_of(_scenario)}-v1",
        "Vizdoom",
        cfg_path=f"{_scenario}.cfg",
        wad_path=f"{_scenario}.wad",
        max_episode_steps=MAX_EPISODE_STEPS,
        game_args=ARGUMENTS.get(_scenario, ""),
    )
_register("VizdoomCustom-v1", "Vizdoom", max_episode_steps=MAX_EPISODE_STEPS)

# The environments of vizdoom's own package for Gymnasium.
_GYMNASIUM_SCENARIOS = {
    "DefendCenter": "defend_the_center",
    "DefendLine": "defend_the_line",
    **{
        name_of(scenario): scenario
        for scenario in SCENARIOS
        if scenario.startswith(("basic", "deadly", "deathmatch", "health", "my", "predict", "take"))
    },
}
for _name, _scenario in _GYMNASIUM_SCENARIOS.items():
    for _kind, _most_pressed in (("", 1), ("-MultiBinary", 0)):
        _register(
            f"Vizdoom{_name}{_kind}-v1",
            "VizdoomGymnasium",
            cfg_path=f"{_scenario}.cfg",
            max_buttons_pressed=_most_pressed,
        )
