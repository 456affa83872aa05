"""The tasks of this package, which pyproject.toml names as an entry point."""

from envpool.sdk import register_family_task


def register_tasks() -> None:
    """Add them to envpool's."""
    register_family_task(
        "games",
        "games/Race-v0",
        "Race",  # the name in cpp/race.cpp
        max_episode_steps=100,
    )
    # The same environment with another default of an option.
    register_family_task(
        "games",
        "games/WindyRace-v0",
        "Race",
        max_episode_steps=100,
        wind=0.5,
    )
