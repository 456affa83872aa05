"""The compact table of the Meta-World suite, for the documentation."""

import real_env
from speed_table import OURS_TO_REAL, Ratio, by_case

compact = by_case(
    ["gymnasium"],
    [OURS_TO_REAL, Ratio("ours / Gymnasium", "gymnasium")],
    "Gymnasium has metaworld's own environments, one after the other, on the MuJoCo of ours. "
    f"{real_env.NAME} has MuJoCo {real_env.MUJOCO} built in.",
)
