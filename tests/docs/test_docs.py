"""The code in the documentation runs, and its tables say what is."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import envpool
import envpool.families.testing.registration  # which pages import, and a module runs once
from envpool.families import dm_control
from envpool.families.mujoco.engine import built_for
from envpool.tasks.registry import registry
from helpers import FAMILIES, LACKS

ROOT = Path(__file__).parents[2]
# Those that docs/scripts makes are in no commit; .ci/run builds them, and checks their links.
WRITTEN = [path for path in (ROOT / "docs").rglob("*.md") if "generated" not in path.parts]
PAGES = sorted([*ROOT.glob("*.md"), *WRITTEN])


def needs_mujoco():
    """Gymnasium's environments as well as ours."""
    try:
        envpool.make_spec("Ant-v5")
    except ImportError as error:
        pytest.skip(str(error))
    if importlib.util.find_spec("imageio") is None:
        pytest.skip("needs gymnasium[mujoco]")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page, monkeypatch):
    """One after the other, as somebody who reads the page would run them."""
    monkeypatch.setattr(registry, "tasks", dict(registry.tasks))  # other tests ask for all tasks
    if page.name in ("mujoco.md", "own-mujoco.md"):
        needs_mujoco()
    for record in FAMILIES.values():
        if record.page == page.name and LACKS[record.package]:
            pytest.skip(LACKS[record.package])
    if page.name in ("recording.md", "rendering.md"):
        pytest.importorskip("pygame")
        pytest.importorskip("imageio_ffmpeg")
    if page.name in ("torch.md", "rollouts.md", "exporting.md"):
        pytest.importorskip("torch")
    if page.name in ("jax.md", "jax-environments.md", "ten-minutes-research.md"):
        pytest.importorskip("jax")
    if page.name == "turns.md":
        for package in ("pgx", "pettingzoo", "pygame"):
            pytest.importorskip(package)
    if page.name == "rollouts.md" and LACKS["envpool.families.atari"]:
        pytest.skip(LACKS["envpool.families.atari"])
    names = {}
    for number, snippet in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S)):
        try:
            exec(compile(snippet, f"{page.name}, snippet {number}", "exec"), names)
        except RuntimeError as error:
            if "there is no offscreen OpenGL" not in str(error):
                raise
            pytest.skip(f"snippet {number} and those that follow draw: {error}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    """But for those to pages that the site generates, whose links CI's stage ``docs`` checks."""
    for target in re.findall(r"\]\((?!http|generated/)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_has_lines_of_a_hundred_characters(page):
    """Not code, tables, pictures, or what benchmarks write between their marks."""
    not_prose = r"```.*?```|<!-- (\S+):begin -->.*?<!-- \1:end -->"
    text = re.sub(not_prose, "", page.read_text(), flags=re.S)
    prose = [line for line in text.splitlines() if not line.startswith(("|", "![", "[!["))]
    assert [line for line in prose if len(line) > 100] == []


def test_readme_shows_code_early():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert lines.index("```python") < 25


def test_what_is_to_be_installed_is_found_without_our_sources():
    """Who has a wheel has no folder ``.`` to install from; only README begins with a clone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    sources = [*(ROOT / "python").rglob("*.py"), *(ROOT / "cpp").rglob("*.*")]
    sources += (ROOT / "examples").glob("*.py")
    sources += (ROOT / "examples").rglob("*.ipynb")
    told = set()
    for path in [*sources, *(ROOT / "docs").glob("*.md")]:
        text = path.read_text().replace('\\"', '"')
        if path.name != "architecture.md":  # which is for us, with the sources at hand
            assert 'pip install ".[' not in text, path
        told |= set(re.findall(r'pip install "([\w-]+)\[([\w,]+)\]"', text))
        calls = r"""\b(?:install|import_optional)\((?:.*, )?["'](\w+)["']\)"""
        told |= {(project["name"], extra) for extra in re.findall(calls, text)}
    assert len(told) >= 6
    for name, extras in told:
        assert name == project["name"]
        assert set(extras.split(",")) <= project["optional-dependencies"].keys(), extras


def test_what_is_cited_is_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"version = {{{version}}}" in (ROOT / "docs/project/citing.md").read_text()
    assert f"({version})" in (ROOT / "CHANGELOG.md").read_text()


def test_licence_tells_what_each_text_is_for():
    text = (ROOT / "LICENSE").read_text()
    for path in (ROOT / "third_party" / "licenses").iterdir():
        assert path.name in text, path.name


def test_core_does_not_claim_to_run_without_the_gil():
    """What is "under the GIL" in cpp/bindings would be a data race."""
    for path in (ROOT / "cpp").rglob("*.*"):
        assert "mod_gil_not_used" not in path.read_text(), path


def test_builds_without_isolation_have_what_isolated_ones_have():
    isolated = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    named = (ROOT / ".ci/build-requirements.txt").read_text().splitlines()
    assert set(isolated) <= set(named)


def test_all_who_name_mujocos_versions_name_those_that_are_built():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    built = built_for()
    assert project["optional-dependencies"]["mujoco"] == [f"mujoco>={built[0]},<={built[-1]}"]
    engine = (ROOT / "cpp/engines/mujoco/mujoco.cmake").read_text()
    assert f"set(envpool_mujoco_versions {' '.join(built)})" in engine
    named = set()
    for path in [ROOT / "pyproject.toml", *ROOT.glob("docs/**/*.md")]:
        named |= set(re.findall(r"mujoco==([\d.]+)", path.read_text()))
    assert named == set(built)
    rows = re.findall(r"MuJoCo (\d[^,|]+),", (ROOT / "README.md").read_text())
    assert set(rows) == {built_for(dm_control.__name__)[0], " or ".join(built)}


# --- the tables of docs/mujoco.md ---------------------------------------------------------------

MUJOCO = (ROOT / "docs/mujoco.md").read_text()


def table(header):
    """The cells of the table that begins with this line, row by row."""
    rest = MUJOCO.split(f"\n{header}\n")[1]
    rows = rest[: rest.index("\n\n")].splitlines()[1:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def tasks_in(cell):
    """``"Ant v4 v5, Hopper v4"`` -> ``["Ant-v4", "Ant-v5", "Hopper-v4"]``."""
    return [
        f"{name}-{version}"
        for name, versions in re.findall(r"(\w+)((?: v\d)+)", cell)
        for version in versions.split()
    ]


def names_in(cell):
    return re.findall(r"`(\w+)`", cell)


def mujoco_tasks():
    return {
        name
        for name, task in registry.tasks.items()
        if task.import_path == "envpool.families.mujoco.gym"
    }


def test_mujocos_tasks():
    needs_mujoco()
    rows = table("| tasks | observation | action | time limit |")
    documented = [task_id for tasks, *_ in rows for task_id in tasks_in(tasks)]
    assert set(documented) == mujoco_tasks()
    assert len(documented) == len(set(documented)) == 33
    for tasks, observation, action, limit in rows:
        sizes = observation.split(", ")
        ids = tasks_in(tasks)
        for task_id, size in zip(ids, sizes * (len(ids) // len(sizes)), strict=True):
            spec = envpool.make_spec(task_id)
            (actions,), bound = spec.action_space.shape, spec.action_space.high[0]
            assert spec.observation_space.shape == (int(size),)
            assert action == f"{actions} in ±{bound:g}"
            assert (spec.action_space.low == -bound).all()
            assert spec.config.max_episode_steps == int(limit)


def test_envpools_names_of_mujocos_options():
    needs_mujoco()
    from envpool.families.mujoco.spec import _OTHER_NAMES, _RANGE_ENDS

    documented = {
        name for cells in table("| EnvPool's name | here |") for name in names_in(cells[0])
    }
    own = {"gymnasium_v5_render_camera"}
    assert documented == set(_OTHER_NAMES) | set(_RANGE_ENDS) | own
