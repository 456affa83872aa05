"""Installed and missing packages, plugins, and others that claim our names."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from envpool.doctor.finding import REMARK, Finding, judged, tried, why_not_loading
from envpool.errors import install
from envpool.machine import installed_version, own_version
from envpool.tasks.plugins import GROUP

_OURS = "envpool-next"
# Modules that everybody needs, and what brings them.
_NEEDED = {
    "numpy": "pip install numpy",
    "gymnasium": "pip install gymnasium",
    "cloudpickle": "pip install cloudpickle",
    "envpool._core": f"pip install --force-reinstall {_OURS}",
    "typer": "pip install typer",
    "rich": "pip install rich",
}
# Packages that only some users need: their module, what for, and what brings them.
_OPTIONAL = {
    "dm-env": ("dm_env", 'env_type="dm"', install("dm")),
    "pygame-ce": ("pygame", "windows, pictures of classic control, toy text", install("render")),
    "box2d": ("Box2D", "pictures of Box2D", install("render")),
    "pillow": ("PIL", "titles of `film`", install("render")),
    "imageio-ffmpeg": ("imageio_ffmpeg", "`film`", install("render")),
    "stable-baselines3": ("stable_baselines3", "envpool.sb3", install("sb3")),
    "jax": ("jax", "env.xla()", "pip install jax"),
    "torch": ("torch", "examples/ppo.py", install("examples")),
}


def versions() -> Iterator[Finding]:
    """Ours, Python's, and those of what we cannot do without."""
    import envpool

    where, found = Path(envpool.__file__).parent, own_version()
    bad = "" if found else f"there are files in {where}, but no package of that name is installed"
    yield judged(_OURS, f"{found} in {where}", bad, command=f"pip install {_OURS}")
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})")
    libc = " ".join(platform.libc_ver())
    yield Finding("system", f"{platform.platform()}{f', {libc}' if libc.strip() else ''}")
    for module, reason in why_not_loading(list(_NEEDED)).items():
        good, bad = installed_version(module) or "loads", reason and f"does not load: {reason}"
        yield judged(module, good, bad, command=_NEEDED[module])


def optional_packages() -> Iterator[Finding]:
    """Packages that only some users need; not loaded, as that may take seconds."""
    for package, (module, purpose, command) in _OPTIONAL.items():
        found = installed_version(package)
        good = f"{package} {found}" if found else "there, from another package"
        bad = "" if importlib.util.find_spec(module) else f"not installed; for {purpose}"
        yield judged(module, good, bad, REMARK, command)


def others() -> Iterator[Finding]:
    """Packages and files that could be taken for ours, or for Gymnasium."""
    found = installed_version("envpool")
    yield judged(
        "envpool",
        "the other project of this name is not installed",
        found
        and f"envpool {found}, another project, is installed: it has a module of the same name",
        command=f"pip uninstall envpool {_OURS}; pip install {_OURS}",
    )
    here = Path.cwd()  # from where Python imports instead of a package
    names = ("envpool", "gymnasium", "numpy", "mujoco")
    hiding = ", ".join(f"{name}.py" for name in names if (here / f"{name}.py").exists())
    bad = hiding and f"{here} has {hiding}, imported in its place"
    yield judged("this folder", "has no files that hide a package", bad)


def plugins() -> Iterator[Finding]:
    """Loads each in a process that may crash."""
    found = {each.value: each for each in entry_points(group=GROUP)}
    if not found:
        yield Finding("plugins", "no other package adds tasks")
    for value, text, error in tried(load_plugin, sorted(found)):
        plugin = found[value]
        name = f"{plugin.name} ({plugin.dist.name if plugin.dist else '?'})"
        yield judged(name, text, error and f"{value} does not load: {error}")


def load_plugin(value: str) -> str:
    """Loads a plugin and its libraries; returns what it registers.

    Args:
        value: What its entry point names.
    """
    from envpool.tasks.registry import registry

    before = {*registry.tasks, *registry.python_tasks}
    EntryPoint("", value, GROUP).load()()
    tasks = sorted({*registry.tasks, *registry.python_tasks} - before)
    native = [task_id for task_id in tasks if task_id in registry.tasks]
    # One of each library, which loads it.
    for task_id in {registry.tasks[each].import_path: each for each in native}.values():
        registry.make_spec(task_id)
    return f"{len(tasks)} tasks: {', '.join(tasks[:3])}{', ...' if len(tasks) > 3 else ''}"  # noqa: PLR2004
