"""The record of Google Research Football."""

from envpool.families.record import Contents, Family, Way, Wheel

_GFOOTBALL = "2.10.2"
FAMILY = Family(
    title="Google Research Football",
    place=130,
    tasks=(
        "matches of 11, 5 or 1 against as many, and the academy's exercises; 18 ids, and players "
        "of both teams"
    ),
    shown="gfootball/5_vs_5-v1",
    equals=f"gfootball {_GFOOTBALL}",
    drawn="the environment itself: the pitch from above, unlike upstream",
    package="envpool.families.gfootball",
    page="football.md",
    named_by="env_name",
    ways=(
        Way(
            "ENVPOOL_FOOTBALL=ON pip install .",
            "its engine, [compiled](football.md#installing) in a clone, which takes minutes",
        ),
    ),
    check="envpool.families.gfootball:load_settings",
    upstream={"absl-py": "2.5.1", "six": "1.17.0"},
    also="opencv-python-headless",
    compared=("upstream is built with the [tests' environments](football.md#the-same-as-upstream)"),
    contents=Contents(
        "Google Research Football, its data, and Boost's headers",
        "Apache-2.0 AND Unlicense",
        {"gfootball.txt": "This is free and unencumbered software"},
    ),
    wheel=Wheel(
        is_optional=True,
        files=r"data/.+\.(anim|util|ase|object)",
        most_bytes=2_000_000,
    ),
)
