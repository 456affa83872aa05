"""Gymnasium finds our tasks after `import envpool`. Each test is an interpreter of its own."""

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import envpool
from helpers import run_command, run_python


def run(*parts: str, **variables: str) -> str:
    """Runs Python code, where warnings are errors; gives back what it said on stderr."""
    code = "\n".join(map(textwrap.dedent, parts))
    done = run_python(code, **{"PYTHONWARNINGS": "error"} | variables)
    assert done.returncode == 0, done.stderr
    return done.stderr


# --- import envpool ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "module",
    [
        "envpool",
        "envpool.families.classic_control.registration",
        "envpool.entry",
        "envpool.tasks.plugins",
        "envpool.tasks.registration",
        "envpool.families.testing.registration",
    ],
)
def test_imports_are_light(module):
    run(f"""
        import sys
        import {module}
        import envpool
        assert "importlib.metadata" not in sys.modules
        assert "CartPole-v1" in envpool.list_all_envs()
        for name in ("envpool._core", "envpool.spec.env_spec", "dm_env"):
            assert name not in sys.modules, name
    """)


def test_everything_is_there_when_asked_for():
    run("""
        import envpool
        for name in [*envpool.__all__, "__version__"]:
            assert name in dir(envpool)
            assert hasattr(envpool, name)
        assert not hasattr(envpool, "mkae")
    """)
    run("from envpool import *; assert issubclass(GymnasiumEnvPool, EnvPool); make; python.data")


@pytest.mark.parametrize(
    "name", ["python.envpool.EnvPoolMixin", "EnvSpec", "python.protocol.DMEnvPool", "_core.Pool"]
)
@pytest.mark.one_in(4)
def test_modules_are_there_when_asked_for(name):
    run(f"import envpool; envpool.{name}")


def test_an_environment_that_is_not_built_yet():
    run("""
        import envpool
        from envpool.tasks.registration import register_family_task
        register_family_task("envpool.families.toy_text", "New-v0", "New")
        try:
            envpool.make_spec("New-v0")
        except ImportError as error:
            message = str(error)
        assert "'NewEnvSpec'" in message and "envpool.families.toy_text._toy_text" in message
        assert "If its C++ is new, build it again" in message
    """)


def test_envpools_own_files_in_the_same_folder(tmp_path):
    package = tmp_path / "envpool"
    shutil.copytree(
        Path(envpool.__file__).parent, package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )

    def import_it():
        return subprocess.run(
            [sys.executable, "-S", "-c", "import envpool"],
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert import_it().stderr == ""
    (package / "classic_control").mkdir(exist_ok=True)
    (package / "classic_control" / "classic_control_envpool.so").touch()
    last_line = import_it().stderr.splitlines()[-1]
    assert last_line.startswith(f"ImportError: the files of two projects are in {package}: ")
    assert "pip uninstall envpool envpool-next" in last_line


@pytest.mark.parametrize("family", ["classic_control", "testing"])
def test_classes_of_families(family):
    run(f"""
        import pickle
        import envpool.families.{family} as family
        classes = [name for name in dir(family) if name.endswith("EnvSpec")]
        assert classes
        for name in classes:
            made = getattr(family, name)
            assert made is getattr(family, name)
            assert pickle.loads(pickle.dumps(made)) is made
        assert not hasattr(family, "NoEnvSpec")
        assert not hasattr(family, "no")
    """)
    run("from envpool.families.classic_control import *; CartPoleEnvSpec, AcrobotDMEnvPool")


def test_threads_get_the_same_classes():
    run("""
        import sys, threading
        import envpool.families.classic_control as family
        sys.setswitchinterval(1e-5)
        seen = []
        start = threading.Barrier(8)
        def look():
            start.wait()
            seen.append(family.CartPoleEnvSpec)
        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(seen) == 8 and len(set(seen)) == 1
    """)


# --- Gymnasium's registry ---------------------------------------------------------------------

ASSERT_REGISTERED = """
    import envpool
    import envpool.families.vizdoom as vizdoom
    from envpool.families.record import records
    from envpool.families.vizdoom.registration import OF_ASSETS
    missing = []
    for record in records().values():
        try:
            envpool.make_spec(record.shown)
        except ImportError as error:
            assert record.lack() == str(error)
            missing.append(record.package)
    for task_id, task in envpool.tasks.registration.registry.tasks.items():
        gymnasium_id = "envpool/" + task_id.replace("/", "-")
        spec = gymnasium.spec(gymnasium_id)
        assert spec.id == task.gymnasium.get("id", gymnasium_id)
        assert spec.kwargs == {"task_id": task_id}, spec
        if task.import_path.startswith(tuple(missing)):
            continue
        of_assets = task.kwargs.get("cfg_path", "").removesuffix(".cfg") in OF_ASSETS
        if of_assets and not vizdoom.maps_folder():
            continue
        config = envpool.make_spec(task_id).config
        threshold = task.gymnasium.get("reward_threshold", config.reward_threshold)
        assert spec.reward_threshold == threshold
        no_limit = config.max_episode_steps == 2**31 - 1
        assert spec.max_episode_steps == (None if no_limit else config.max_episode_steps)
"""
IGNORE_OLD_VERSIONS = """
    import warnings
    warnings.filterwarnings("ignore", ".*out of date")
"""


def test_a_spec():
    run("""
        import sys
        import envpool, gymnasium
        spec = gymnasium.spec("envpool/CartPole-v1")
        assert (spec.max_episode_steps, spec.reward_threshold) == (500, 475.0)
        assert spec.entry_point == "envpool.tasks.gymnasium_makers:make_single_env"
        assert spec.vector_entry_point == "envpool.tasks.gymnasium_makers:make_vector_env"
        assert spec.kwargs == {"task_id": "CartPole-v1"}
        alias = gymnasium.spec("envpool/phys2d-CartPole-v1")
        assert alias.kwargs == {"task_id": "phys2d/CartPole-v1"}
        assert gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()) == spec
        assert "envpool._core" not in sys.modules
    """)


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium, envpool",
        "import envpool, gymnasium",
        "import gymnasium, envpool; gymnasium.register_envs(envpool)",
        "import gymnasium.envs.classic_control.cartpole, envpool",
        "import envpool; from gymnasium.envs import registration; import gymnasium",
        "import envpool; envpool.make('CartPole-v1', 'gymnasium'); import gymnasium",
        "import gymnasium; gymnasium.make('envpool:envpool/CartPole-v1').close()",
        "import gymnasium; gymnasium.make_vec('envpool:envpool/CartPole-v1', 3).close()",
    ],
)
@pytest.mark.one_in(4)
def test_all_tasks_whatever_is_imported_first(imports):
    run(imports, IGNORE_OLD_VERSIONS, ASSERT_REGISTERED)


# --- what Gymnasium's users know ----------------------------------------------------------------


def test_limits_and_thresholds_are_gymnasiums():
    """Those of all tasks that Gymnasium has itself, and of the versions that it no longer runs."""
    run("""
        import envpool, gymnasium
        from envpool.tasks.registry import registry

        compared = set()
        for task_id in registry.tasks:
            theirs = gymnasium.registry.get(task_id)
            if theirs is None:
                continue
            name, version = task_id.rsplit("-v", 1)
            if theirs.reward_threshold is None and theirs.max_episode_steps is None:
                # It only says that version 4 has taken its place.
                theirs = gymnasium.registry.get(f"{name}-v4", theirs)
            ours = gymnasium.registry["envpool/" + task_id.replace("/", "-")]
            assert ours.reward_threshold == theirs.reward_threshold, task_id
            assert ours.max_episode_steps == theirs.max_episode_steps, task_id
            compared.add(task_id)
        assert {"Hopper-v3", "Hopper-v5", "CartPole-v1", "Taxi-v4", "CarRacing-v3"} <= compared
        assert gymnasium.spec("envpool/Hopper-v5").reward_threshold == 3800.0
        assert registry.tasks["Hopper-v5"].kwargs["reward_threshold"] == 6000.0
    """)


def test_tasks_of_different_families_have_different_names():
    """Otherwise one would count as an older version of the other."""
    run("""
        import gymnasium, collections, envpool
        from envpool.tasks.registry import registry

        families = collections.defaultdict(set)
        for spec in gymnasium.registry.values():
            if spec.namespace == "envpool":
                task = registry.tasks[spec.kwargs["task_id"]]
                families[spec.name.lower()].add(task.import_path)
        assert all(len(paths) == 1 for paths in families.values()), families
        assert {"pong", "ale-blackjack", "blackjack", "taxi"} <= set(families)
    """)


@pytest.mark.parametrize(
    ("name", "task_id"),
    [
        ("envpool/Blackjack-v1", "Blackjack-v1"),
        ("envpool/Blackjack-v5", "Blackjack-v5"),
        ("envpool/ALE-Blackjack-v5", "Blackjack-v5"),
    ],
)
@pytest.mark.one_in(3)
def test_both_blackjacks(name, task_id):
    """No warnings: run() makes errors of them."""
    run(f"""
        import envpool, gymnasium
        spec = gymnasium.spec({name!r})
        assert spec.kwargs["task_id"] == {task_id!r}
        from gymnasium.envs.registration import _find_spec
        assert _find_spec({name!r}) == spec
        assert gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()) == spec
    """)


def test_blackjack_without_a_version():
    said = run(
        """
        import envpool, gymnasium
        assert gymnasium.make("envpool/Blackjack").spec.id == "envpool/Blackjack-v1"
        """,
        PYTHONWARNINGS="default",
    )
    assert "Using the latest versioned environment `envpool/Blackjack-v1`" in said


# --- registering -----------------------------------------------------------------------------


def test_registering_again():
    run(
        """
        import envpool, gymnasium
        before = dict(gymnasium.registry)
        envpool.registration.registry.join_gymnasium()
        assert gymnasium.registry == before

        import envpool.families.testing.registration
        steps = gymnasium.spec("envpool/testing-Counting-v0").max_episode_steps
        assert steps is None, steps
        """
    )


def test_reload():
    run(
        """
        import importlib, envpool, gymnasium
        assert importlib.reload(gymnasium) is gymnasium
        """,
        IGNORE_OLD_VERSIONS,
        ASSERT_REGISTERED,
    )


# --- without an import of envpool -----------------------------------------------------------------


def test_other_processes_are_left_alone():
    """Installing the package changes nothing where nobody imports it."""
    imported = run("", PYTHONPROFILEIMPORTTIME="1")
    modules = [line.rpartition("|")[2].strip() for line in imported.splitlines()]
    assert not [name for name in modules if name.startswith(("envpool", "_envpool", "gymnasium"))]
    run("""
        import gymnasium, sys
        assert "envpool" not in sys.modules
        try:
            gymnasium.make_vec("envpool/CartPole-v1")
        except gymnasium.error.NamespaceNotFound:
            pass
        else:
            raise AssertionError
    """)


def test_finders_are_left_alone():
    run("""
        import sys
        before = list(sys.meta_path), list(sys.path_hooks)
        import envpool, gymnasium
        assert (sys.meta_path, sys.path_hooks) == before
    """)


MODULE_FORM = """
    import gymnasium
    from gymnasium.vector import AsyncVectorEnv

    def make():
        return gymnasium.make("envpool:envpool/CartPole-v1")

    if __name__ == "__main__":
        envs = AsyncVectorEnv([make] * 2, context={context!r})
        assert envs.reset(seed=3)[0].shape == (2, 4)
        assert len(envs.step([0, 1])) == 5
        envs.close()
        envs = gymnasium.make_vec(
            "envpool:envpool/CartPole-v1", 2, "async", {{"context": {context!r}}}
        )
        assert envs.reset(seed=3)[0].shape == (2, 4)
        envs.close()
"""


STABLE_BASELINES = """
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    if __name__ == "__main__":
        workers = dict(vec_env_cls=SubprocVecEnv, vec_env_kwargs=dict(start_method={context!r}))
        envs = make_vec_env("envpool:envpool/CartPole-v1", 2, **workers)
        assert envs.reset().shape == (2, 4)
        envs.close()
"""


def run_script(folder, source):
    script = folder / "train.py"
    script.write_text(textwrap.dedent(source))
    done = run_command(sys.executable, script)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("context", ["spawn", "forkserver", "fork"])
def test_workers_of_gymnasium(tmp_path, context):
    """They know what the module registers that comes before the colon."""
    run_script(tmp_path, MODULE_FORM.format(context=context))


@pytest.mark.slow
@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_workers_of_stable_baselines(tmp_path, context):
    pytest.importorskip("stable_baselines3")
    run_script(tmp_path, STABLE_BASELINES.format(context=context))


# --- without Gymnasium ----------------------------------------------------------------------------


def test_gymnasium_that_is_not_there():
    run("""
        import sys
        sys.modules["gymnasium"] = None  # what Python takes for a module that is not there
        import envpool
        assert "CartPole-v1" in envpool.list_all_envs()
        try:
            envpool.make("CartPole-v1", "gymnasium")
        except ImportError as error:
            assert "gymnasium" in str(error)
        else:
            raise AssertionError
    """)


def test_another_gymnasium(tmp_path):
    """Somebody's script of that name."""
    (tmp_path / "gymnasium.py").write_text("here = True")
    run(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import envpool, gymnasium as g; g.here"
    )
