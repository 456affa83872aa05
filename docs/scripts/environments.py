"""The gallery, and a page for each environment: all of it is asked of the tasks themselves."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import envpool
import figures
from envpool.cli.tasks import allowed, description, family, info_expression, snippet, together
from envpool.families.record import Family, records
from envpool.spec.options import OPTIONS, SHOWN, About, options_about
from envpool.spec.values import INT_MAX
from envpool.tasks.registry import PythonTask, gymnasium_id, registry
from markdown import code, table, toctree
from meanings import MEANINGS

_FAMILIES = records()
_OF_TASKS = options_about(About.TASK)
# What pools make of environments, which no environment differs in.
_OF_ALL = [name for name in SHOWN if name not in _OF_TASKS]
_PREFIXES = re.compile(r"^(GymnasiumRobotics|Gym|Dmc|MiniGrid)(?=[A-Z])|Discrete$")


@dataclass
class Environment:
    """What is one environment in C++, and the tasks that are made of it.

    Attributes:
        family: The family's name in the package.
        title: The environment's name.
        ids: The tasks' names, each with its other names.
    """

    family: str
    title: str
    ids: dict[str, list[str]]

    @property
    def page(self) -> str:
        """The page's path below docs/generated/environments, without its suffix."""
        return f"{self.family}/{re.sub(r'[^a-z0-9]+', '-', self.title.lower())}"

    @property
    def shown(self) -> str:
        """The task that the page begins with: the newest version of the first."""
        first = next(iter(self.ids))
        versions = [name for name in self.ids if name.startswith(first.rpartition("-")[0] + "-v")]
        return max(versions, default=first)


def write(folder: Path, with_pictures: bool, only: Sequence[str]) -> int:
    """Writes all pages.

    Args:
        folder: Where the folder ``environments`` is made.
        with_pictures: Make pictures, too.
        only: The names of families, if not of all.

    Returns:
        How many environments there are.
    """
    root = folder / "environments"
    of_families: dict[str, list[Environment]] = defaultdict(list)
    for environment in _environments(only or list(_FAMILIES)):
        of_families[environment.family].append(environment)
    for name, environments in of_families.items():
        (root / name).mkdir(parents=True)
        # Of an engine that is fetched the spaces are known without it.
        draws = with_pictures and (not _FAMILIES[name].fetched or _is_there(name, "pictures"))
        for environment in environments:
            picture = root / f"{environment.page}.png"
            if draws:
                figures.draw(environment.shown, picture)
            page = _page(environment, picture.name if picture.exists() else "")
            (root / f"{environment.page}.md").write_text(page)
        _write_family(root, name, environments)
        if draws:
            figures.animate(_FAMILIES[name].shown, root / f"{name}.gif")
    (root / "index.md").write_text(_gallery(root, list(of_families)))
    (folder / "options.md").write_text(_common_options())
    return sum(map(len, of_families.values()))


@functools.cache
def _is_there(name: str, what: str) -> bool:
    """True if all is there that a family needs; else prints that this is left out."""
    lack = _FAMILIES[name].lack()
    if lack:
        print(f"there are no {what} of {_FAMILIES[name].title}: {lack}")
    return not lack


def _environments(names: Sequence[str]) -> list[Environment]:
    """The environments of some families of this package, in the order of these."""
    found: dict[tuple[str, str], Environment] = {}
    first_names: dict[int, str] = {}  # by the task: its other names are the same object
    for task_id in envpool.list_all_envs():
        task = registry.find(task_id)
        if isinstance(task, PythonTask) or task.package != "envpool":
            continue
        own = family(task_id).partition(".")[0]
        if own not in names:
            continue
        about = _FAMILIES[own]
        if about.wheel.is_optional and not _is_there(own, "pages"):
            continue
        spec = envpool.make_spec(task_id)
        name = spec.env_type.name
        title = _PREFIXES.sub("", name)
        if about.named_by:
            value = Path(getattr(spec.config, about.named_by))
            title = value.stem.replace("_", " ").capitalize()
        environment = found.setdefault((own, title), Environment(own, title, {}))
        first = first_names.setdefault(id(task), task_id)
        environment.ids.setdefault(first, [])
        if first != task_id:
            environment.ids[first].append(task_id)
    return sorted(found.values(), key=lambda each: names.index(each.family))


def _page(environment: Environment, picture: str) -> str:
    about, task_id = _FAMILIES[environment.family], environment.shown
    spec, meaning = envpool.make_spec(task_id), MEANINGS.get(task_id)
    parts = [
        f"# {environment.title}",
        f"![{task_id}]({picture})" if picture else "",
        f"One of the environments of [{about.title}](index.md). {_origin(about)}",
        code("python", snippet(task_id, spec, {})),
        "## Tasks",
        _tasks(environment),
        f"## Spaces of {task_id}",
        "Of one environment; a pool's arrays have a row for each.",
        code("text", "\n".join(["observation:", *description(spec.observation_space)])),
        code("text", "\n".join(["action:", *description(spec.action_space)])),
        *(meaning.parts() if meaning else []),
        "## Options",
        "Beside [those of all environments](../../options.md). Each takes a sequence, too, with a "
        "value for every environment of the pool.",
        _options(spec),
        "## Options of reset",
        "For `reset(options={...})`.",
        _entries({", ".join(names): one for names, one in together(spec.env_type.reset_options)}),
        "## Infos",
        table(["key", "dtype and shape"], _infos(spec)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _origin(about: Family) -> str:
    """What a family's results are equal to, and where to read on."""
    more = f" [More about the family](../../../{about.page})." if about.page else ""
    return f"The results have the same bytes as those of {about.equals}.{more}"


def _tasks(environment: Environment) -> str:
    rows = []
    for task_id, others in environment.ids.items():
        spec, task = envpool.make_spec(task_id), registry.find(task_id)
        limit, threshold = spec.config.max_episode_steps, spec.reward_threshold
        own = {name: value for name, value in task.kwargs.items() if name in spec.env_type.options}
        rows.append(
            [
                f"`{task_id}`",
                ", ".join(f"`{name}`" for name in others),
                f"`{gymnasium_id(task_id)}`",
                "none" if limit == INT_MAX else f"{limit:,}",
                "none" if threshold is None else f"{threshold:g}",
                ", ".join(f"`{name}={value!r}`" for name, value in own.items()),
            ]
        )
    columns = ["task", "other names", "in Gymnasium", "time limit", "solved at", "made with"]
    return table(columns, rows)


def _options(spec: envpool.EnvSpec) -> str:
    own = spec.env_type.options
    return _entries(
        {name: entry | {"default": spec.known.defaults[name]} for name, entry in own.items()}
    )


def _entries(options: dict[str, dict[str, Any]]) -> str:
    """A table of options of a task or of its resets."""
    rows = [
        [f"`{name}`", f"`{entry['default']!r}`", allowed(entry), entry["description"]]
        for name, entry in options.items()
    ]
    return table(["option", "default", "allowed", "meaning"], rows)


def _infos(spec: envpool.EnvSpec) -> Iterable[list[str]]:
    return ([f"`{info_expression(key)}`", kind] for key, kind in spec.spaces.info_keys.items())


def _cards(entries: Iterable[tuple[str, str, str]]) -> str:
    """Pictures that are links, side by side: of each the title, the page and the picture."""
    cells = [
        f"[![{title}]({picture})]({page}) [{title}]({page})" for title, page, picture in entries
    ]
    rows = [cells[first : first + 4] for first in range(0, len(cells), 4)]
    rows[-1:] = [row + [""] * (4 - len(row)) for row in rows[-1:]]
    return table([""] * 4, rows)


def _write_family(root: Path, name: str, environments: list[Environment]) -> None:
    about = _FAMILIES[name]
    entries = [(each.title, each.page.partition("/")[2]) for each in environments]
    drawn = [entry for entry in entries if (root / name / f"{entry[1]}.png").exists()]
    parts = [
        f"# {about.title}",
        f"{len(environments)} environments, {sum(len(each.ids) for each in environments)} tasks. "
        f"{_origin(about)}",
        _cards((title, f"{page}.md", f"{page}.png") for title, page in drawn) if drawn else "",
        toctree((page for _, page in entries), hidden=bool(drawn)),
    ]
    (root / name / "index.md").write_text("\n\n".join(part for part in parts if part) + "\n")


def _gallery(root: Path, names: list[str]) -> str:
    moving = [name for name in names if (root / f"{name}.gif").exists()]
    parts = [
        "# Environments",
        "Every task of this package, as it describes itself: these pages are made by "
        "`docs/scripts/make_pages.py` from the installed package. `python -m envpool list` prints "
        "all tasks, and `python -m envpool show CartPole-v1` what is on a page.",
        _cards((_FAMILIES[name].title, f"{name}/index.md", f"{name}.gif") for name in moving)
        if moving
        else "",
        toctree(f"{name}/index" for name in names),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _common_options() -> str:
    rows = [
        [f"`{name}`", f"`{OPTIONS[name].default!r}`", OPTIONS[name].description]
        for name in [*_OF_ALL, *_OF_TASKS]
    ]
    return "\n\n".join(
        [
            "# Options of all environments",
            "For `envpool.make(task, env_type, **options)`, `make_spec` and, where Gymnasium does "
            "not decide it, `gymnasium.make_vec`. A task has a `max_episode_steps` and a "
            "`reward_threshold` of its own.",
            table(["option", "default", "meaning"], rows),
        ]
    )
