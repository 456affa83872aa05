"""What EnvPool has as infos of robots with goals, by the native names of environments."""

from envpool.tasks.registry import registry

ENVPOOL = {
    task.spec_cls.removesuffix("EnvSpec"): {
        "success" if "Maze" in task_id or "Adroit" in task_id else "is_success": "float64 ()",
        "distance": "float64 ()",
    }
    for task_id, task in registry.tasks.items()
    if task.import_path == "envpool.families.robotics"
} | {
    "GymnasiumRoboticsKitchen": dict.fromkeys(
        ("tasks_to_complete", "step_task_completions", "episode_task_completions"), "int32 (7,)"
    )
}
HAVE_MORE = {"GymnasiumRoboticsAntMaze"}  # which EnvPool does not have
