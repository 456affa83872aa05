"""The compact table of the Atari suite, for the documentation."""

from speed_table import OURS_TO_CEILING, OURS_TO_REAL, Ratio, by_threads

compact = by_threads(
    ["ale", "gymnasium"],
    [OURS_TO_REAL, Ratio("ours / ALE vector", "ale"), OURS_TO_CEILING],
    "A step is four frames. Everybody's pictures are grey, 84x84, four in a stack, and after an "
    "episode the next step resets. ALE vector is `ale_py.AtariVectorEnv`; Gymnasium is "
    "`SyncVectorEnv` with `AtariPreprocessing` and `FrameStackObservation`. The ceiling is free "
    "threads that run the four frames of a step on our emulator, two of them painted, and nothing "
    "else.",
)
