"""The tasks of this package, which pyproject.toml names as an entry point."""

from envpool.sdk import register_family_task


def register_tasks() -> None:
    """Add them to envpool's."""
    register_family_task("gridenv", "gridenv/Gems-v0", "Gems")
    register_family_task("gridenv", "gridenv/ManyGems-v0", "Gems", size=16, num_gems=12)
    register_family_task("gridenv", "gridenv/FetchKey-v0", "FetchKey")
