"""The tasks of Google Research Football: its scenarios."""

from __future__ import annotations

from functools import partial

from envpool.tasks.registration import register_family_task

# After how many steps EnvPool's tasks end: one before the game itself is over.
SCENARIOS = {
    "11_vs_11_competition": 3000,
    "11_vs_11_easy_stochastic": 3000,
    "11_vs_11_hard_stochastic": 3000,
    "11_vs_11_kaggle": 3000,
    "11_vs_11_stochastic": 3000,
    "1_vs_1_easy": 500,
    "5_vs_5": 3000,
    "academy_3_vs_1_with_keeper": 400,
    "academy_corner": 400,
    "academy_counterattack_easy": 400,
    "academy_counterattack_hard": 400,
    "academy_empty_goal": 400,
    "academy_empty_goal_close": 400,
    "academy_pass_and_shoot_with_keeper": 400,
    "academy_run_pass_and_shoot_with_keeper": 400,
    "academy_run_to_score": 400,
    "academy_run_to_score_with_keeper": 400,
    "academy_single_goal_versus_lazy": 3000,
}

_register = partial(register_family_task, "envpool.families.gfootball", name="Gfootball")

for _scenario, _steps in SCENARIOS.items():
    _register(task_id=f"gfootball/{_scenario}-v1", env_name=_scenario, max_episode_steps=_steps)
