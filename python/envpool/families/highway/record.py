"""The record of driving."""

from envpool.families.record import GYMNASIUM, Family, extra

_HIGHWAY = "1.12.1"
FAMILY = Family(
    title="Driving",
    place=90,
    tasks=(
        "highways, merges, roundabouts, intersections, racetracks, parking; 31 ids of highway-env"
    ),
    shown="highway-fast-v0",
    equals=f"highway-env {_HIGHWAY}, pictures included",
    drawn='highway-env\'s functions, `pip install "envpool-next[highway]"`',
    package="envpool.families.highway",
    page="highway.md",
    ways=(
        extra(
            "highway",
            "highway-env, which draws the pictures",
            f"highway-env=={_HIGHWAY}",
            is_needed=False,
        ),
    ),
    upstream={"gymnasium": GYMNASIUM, "highway-env": _HIGHWAY},
)
