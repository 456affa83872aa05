"""What EnvPool has as infos of Atari, by the native names of environments."""

ENVPOOL = {
    "Atari": {
        "lives": "int32 ()",
        "reward": "float32 ()",
        "terminated": "int32 ()",
        "ram": "uint8 (128,)",
    }
}
