"""What EnvPool has as infos of classic control, by the native names of environments."""

ENVPOOL = {"Acrobot": {"state": "float32 (2,)"}}
