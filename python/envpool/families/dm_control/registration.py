"""The tasks of dm_control's suite, by EnvPool's ids and, as aliases, by dm_control's own names."""

from __future__ import annotations

from envpool.tasks.registration import register_family_task

# Domains and tasks by dm_control's names.
SUITE = {
    "acrobot": ("swingup", "swingup_sparse"),
    "ball_in_cup": ("catch",),
    "cartpole": (
        "balance",
        "balance_sparse",
        "swingup",
        "swingup_sparse",
        "two_poles",
        "three_poles",
    ),
    "cheetah": ("run",),
    "dog": ("stand", "walk", "trot", "run", "fetch"),
    "finger": ("spin", "turn_easy", "turn_hard"),
    "fish": ("upright", "swim"),
    "hopper": ("stand", "hop"),
    "humanoid": ("stand", "walk", "run", "run_pure_state"),
    "humanoid_CMU": ("stand", "walk", "run"),
    "lqr": ("lqr_2_1", "lqr_6_2"),
    "manipulator": ("bring_ball", "bring_peg", "insert_ball", "insert_peg"),
    "pendulum": ("swingup",),
    "point_mass": ("easy", "hard"),
    "quadruped": ("walk", "run", "escape", "fetch"),
    "reacher": ("easy", "hard"),
    "stacker": ("stack_2", "stack_4"),
    "swimmer": ("swimmer6", "swimmer15"),
    "walker": ("stand", "walk", "run"),
}
EPISODE_STEPS = 1000  # in all tasks


def _camel(name: str) -> str:
    """EnvPool's form of a name: humanoid_CMU is HumanoidCMU."""
    return "".join(word[0].upper() + word[1:] for word in name.split("_"))


def task_id(domain: str, task: str) -> str:
    """EnvPool's id of a task.

    Args:
        domain: dm_control's name of its domain.
        task: dm_control's name of the task.
    """
    return f"{_camel(domain)}{_camel(task)}-v1"


def alias(domain: str, task: str) -> str:
    """The id that is made of dm_control's own names, as for :func:`task_id`."""
    return f"dm_control/{domain}-{task}"


# EnvPool's list, which its clients read: domain, task, time limit.
dmc_mujoco_envs = [
    (domain, task, EPISODE_STEPS) for domain, tasks in SUITE.items() for task in tasks
]

for _domain, _task, _steps in dmc_mujoco_envs:
    register_family_task(
        "envpool.families.dm_control",
        task_id(_domain, _task),
        f"Dmc{_camel(_domain)}",
        aliases=[alias(_domain, _task)],
        max_episode_steps=_steps,
        task_name=_task,
    )
