"""Other packages that bring tasks, and whether they load."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from envpool.doctor.finding import PROBLEM, Finding
from envpool.errors import described
from envpool.tasks.plugins import GROUP

_PATIENCE_S = 60.0


def plugins() -> Iterator[Finding]:
    """Loads each in a process of its own, which may crash."""
    from envpool.isolation import Process, ProcessEnded

    found = sorted(entry_points(group=GROUP), key=lambda plugin: (plugin.name, plugin.value))
    if not found:
        yield Finding("plugins", "no other package adds tasks")
    for plugin in found:
        name = f"{plugin.name} ({plugin.dist.name if plugin.dist else '?'})"
        try:
            for text in Process(
                load, plugin.name, plugin.value, seconds=_PATIENCE_S, plugins=False
            ):
                yield Finding(name, text)
        except ProcessEnded as end:
            yield Finding(name, f"{plugin.value} {end}", PROBLEM)
        except Exception as error:
            yield Finding(name, f"{plugin.value} does not load: {described(error)}", PROBLEM)


def load(name: str, value: str) -> Iterator[str]:
    """Loads a plugin, and yields what it has registered.

    Args:
        name: Of its entry point.
        value: What that names.
    """
    from envpool.tasks.registration import registry

    before = {*registry.tasks, *registry.python_tasks}
    try:
        EntryPoint(name, value, GROUP).load()()
    except SystemExit as error:
        raise RuntimeError(f"it raises SystemExit({error})") from None
    tasks = sorted({*registry.tasks, *registry.python_tasks} - before)
    yield f"{len(tasks)} tasks: {', '.join(tasks[:3])}{', ...' if len(tasks) > 3 else ''}"  # noqa: PLR2004
