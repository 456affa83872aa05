"""The record of ViZDoom."""

from envpool.families.record import Family, Wheel, extra
from envpool.families.vizdoom import VERSION

FAMILY = Family(
    title="ViZDoom",
    place=120,
    tasks=(
        "Basic, DeadlyCorridor, HealthGathering, Deathmatch and other scenarios; EnvPool's 21 ids "
        "and ViZDoom's own 24"
    ),
    shown="DefendTheCenter-v1",
    equals=f"vizdoom {VERSION}, pictures included",
    drawn="its engine: the screen itself",
    package="envpool.families.vizdoom",
    page="vizdoom.md",
    named_by="cfg_path",
    ways=(
        extra("vizdoom", "ViZDoom's engine and scenarios", f"vizdoom=={VERSION}"),
        extra(
            "vizdoom-maps",
            "four more scenarios",
            "envpool-next[vizdoom]",
            "envpool-assets==0.3.0",
            is_needed=False,
        ),
    ),
    check="envpool.families.vizdoom:load_settings",
    upstream={"vizdoom": VERSION},
    also="opencv-python-headless",
    beside=(
        "ViZDoom's package (MIT), with ZDoom and Freedoom under their licences: a program that "
        "ours starts, and files that it reads"
    ),
    wheel=Wheel(files="vizdoom_launcher"),
    apart=True,
)
