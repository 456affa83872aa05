"""What EnvPool has as infos of Meta-World, by the native names of environments."""

ENVPOOL = {
    "MetaWorld": {"task_id": "int32 ()"}
    | dict.fromkeys(
        (
            *("success", "near_object", "grasp_success", "grasp_reward", "in_place_reward"),
            *("obj_to_target", "unscaled_reward"),
        ),
        "float64 ()",
    )
}
