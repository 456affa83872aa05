"""What EnvPool has as infos of driving, by the native names of environments."""

from envpool.tasks.registry import registry

HAVE_MORE = {
    task.spec_cls.removesuffix("EnvSpec")
    for task in registry.tasks.values()
    if task.import_path == "envpool.families.highway"
}
ENVPOOL = {name: {"speed": "float32 ()", "crashed": "bool ()"} for name in HAVE_MORE}
ENVPOOL["Parking"] = ENVPOOL["Parking"] | {"is_success": "bool ()"}
ENVPOOL["IntersectionMultiAgent"] = {"players.speed": "float32 ()", "players.crashed": "bool ()"}
ENVPOOL["LaneKeeping"] = {}
