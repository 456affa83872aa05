"""What EnvPool has as infos of grid worlds, by the native names of environments."""

from envpool.tasks.registry import registry

ENVPOOL = {
    task.spec_cls.removesuffix("EnvSpec"): {"agent_pos": "int32 (2,)", "mission_id": "int32 ()"}
    for task in registry.tasks.values()
    if task.import_path == "envpool.families.minigrid"
}
