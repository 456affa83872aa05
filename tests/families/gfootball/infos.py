"""What EnvPool has as infos of football, by the native names of environments."""

ENVPOOL = {
    "Gfootball": {"score": "int32 (2,)"}
    | dict.fromkeys(
        (
            *("game_mode", "ball_owned_team", "ball_owned_player", "steps_left"),
            *("engine_seed", "episode_number"),
        ),
        "int32 ()",
    )
}
