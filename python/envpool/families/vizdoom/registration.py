"""The tasks of ViZDoom: the scenarios that EnvPool has, and those of ViZDoom's own package."""

from __future__ import annotations

from functools import partial

from envpool.tasks.registration import register_family_task

# Scenarios, by the names of their files: those in the package envpool-assets, and all of them.
OF_ASSETS = ("D1_basic", "D2_navigation", "D3_battle", "D4_battle2")
SCENARIOS = (
    *OF_ASSETS,
    *("basic", "basic_audio", "basic_notifications", "cig", "deadly_corridor", "deathmatch"),
    *("defend_the_center", "defend_the_line", "health_gathering", "health_gathering_supreme"),
    *("multi_duel", "my_way_home", "predict_position", "rocket_basic", "simpler_basic"),
    "take_cover",
)
_MAX_EPISODE_STEPS = 525

# Scenarios for several players, of whom there is only one here.
ARGUMENTS = {"cig": "-deathmatch", "multi_duel": "-deathmatch"}

_register = partial(register_family_task, "envpool.families.vizdoom")


def name_of(scenario: str) -> str:
    """The task's name, such as ``MyWayHome`` of ``my_way_home``.

    Args:
        scenario: Of :data:`SCENARIOS`.
    """
    return "".join(part[0].upper() + part[1:] for part in scenario.split("_"))


for _scenario in SCENARIOS:
    _register(
        f"{name_of(_scenario)}-v1",
        "Vizdoom",
        cfg_path=f"{_scenario}.cfg",
        wad_path=f"{_scenario}.wad",
        max_episode_steps=_MAX_EPISODE_STEPS,
        game_args=ARGUMENTS.get(_scenario, ""),
    )
_register("VizdoomCustom-v1", "Vizdoom", max_episode_steps=_MAX_EPISODE_STEPS)

# The environments of vizdoom's own package for Gymnasium.
_GYMNASIUM_SCENARIOS = {
    "DefendCenter": "defend_the_center",
    "DefendLine": "defend_the_line",
    **{
        name_of(scenario): scenario
        for scenario in (
            *("basic", "basic_audio", "basic_notifications", "deadly_corridor", "deathmatch"),
            *("health_gathering", "health_gathering_supreme", "my_way_home", "predict_position"),
            "take_cover",
        )
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
