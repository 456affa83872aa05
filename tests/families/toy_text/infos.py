"""What EnvPool has as infos of toy text, by the native names of environments."""

ENVPOOL = {
    "CliffWalking": {"prob": "float32 ()"},
    "Taxi": {"prob": "float32 ()", "action_mask": "int8 (6,)"},
}
