"""The compact table of the Atari suite, for the documentation."""

from speed_table import OURS_TO_CEILING, OURS_TO_REAL, Ratio, by_case

compact = by_case(
    ["ale", "gymnasium"],
    [OURS_TO_REAL, Ratio("ours / ALE vector", "ale"), OURS_TO_CEILING],
    "A step is four frames, grey, 84x84. ALE vector is `ale_py.AtariVectorEnv`, Gymnasium a "
    "`SyncVectorEnv`. The ceiling is free threads that only run our emulator.",
)
