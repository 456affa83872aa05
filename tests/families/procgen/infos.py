"""What EnvPool has as infos of Procgen, by the native names of environments."""

ENVPOOL = {
    "Procgen": dict.fromkeys(("prev_level_seed", "prev_level_complete", "level_seed"), "int32 ()")
}
