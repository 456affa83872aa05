"""Packages that bring tasks by entry points. Each test is an interpreter of its own."""

import shutil
from pathlib import Path

import pytest

from foreign import INIT, LAZY_EXPORT, REGISTRATION, install, install_walkenv, run


def test_a_plugins_task_is_like_ours(tmp_path):
    install_walkenv(tmp_path)
    said = run(
        tmp_path,
        """
        import envpool
        env = envpool.make("walk/Walk-v0", "gymnasium", num_envs=3)  # unknown until then
        assert type(env).__name__ == "CountingGymnasiumEnvPool", type(env)
        assert type(env).__module__ == "walkenv"
        assert env.config["max_episode_steps"] == 7
        env.reset()
        env.close()

        import gymnasium  # the other way round: test_gymnasium
        envs = gymnasium.make_vec("envpool/walk-Walk-v0", num_envs=2)
        envs.reset()
        envs.close()
        assert envpool.make("walk/Walk-v0", "dm").reset().first().all()
        """,
    )
    assert said == ""


def test_what_is_loaded(tmp_path):
    """No plugin before somebody looks for one; then no native core."""
    install_walkenv(tmp_path)
    run(
        tmp_path,
        """
        import sys
        import envpool
        from envpool.tasks.registry import registry
        registry.find("CartPole-v1")
        registry.find("gymnasium:CartPole-v1")
        assert not {"walkenv", "importlib.metadata"} & set(sys.modules)
        assert envpool.list_all_envs()[-1] == "walk/Walk-v0"
        assert "walkenv.registration" in sys.modules
        assert "envpool._core" not in sys.modules
        """,
    )


def test_a_plugin_in_an_archive(tmp_path):
    install_walkenv(tmp_path / "folder")
    archive = shutil.make_archive(str(tmp_path / "packages"), "zip", tmp_path / "folder")
    run(Path(archive), "import envpool; assert 'walk/Walk-v0' in envpool.list_all_envs()")


def test_names_that_are_nearly_a_plugins(tmp_path):
    install_walkenv(tmp_path)
    run(
        tmp_path,
        """
        import envpool
        try:
            envpool.make("Walk-v0", "gymnasium")
        except envpool.UnknownTaskError as error:
            assert "did you mean 'walk/Walk-v0'" in str(error), error
        """,
    )


@pytest.mark.parametrize(
    "imports",
    [
        "import gymnasium, walkenv",
        "import envpool, gymnasium, walkenv; gymnasium.register_envs(walkenv)",
        "import walkenv, gymnasium",
        "import gymnasium; gymnasium.registry; import envpool, walkenv.registration",
        "import gymnasium, envpool; envpool.list_all_envs()",
        "import gymnasium, envpool; envpool.make_spec('walk/Walk-v0')",
    ],
    ids=["gymnasium", "envpool first", "plugin first", "gymnasium first", "list", "lookup"],
)
@pytest.mark.one_in(5)
def test_gymnasiums_registry(tmp_path, imports):
    install_walkenv(tmp_path)
    said = run(
        tmp_path,
        imports,
        """
        spec = gymnasium.spec("envpool/walk-Walk-v0")
        assert (spec.kwargs, spec.max_episode_steps) == ({"task_id": "walk/Walk-v0"}, 7)
        """,
    )
    assert said == ""


def test_gymnasiums_form_with_a_module(tmp_path):
    install_walkenv(tmp_path)
    run(
        tmp_path,
        """
        import gymnasium, sys
        spec = gymnasium.envs.registration._find_spec("walkenv:envpool/walk-Walk-v0")
        assert spec.max_episode_steps == 7
        assert "envpool._core" not in sys.modules
        gymnasium.make_vec("walkenv:envpool/walk-Walk-v0", num_envs=2).close()
        """,
    )


def test_a_task_registered_late(tmp_path):
    install(tmp_path, "walkenv", {}, __init__=LAZY_EXPORT, registration=REGISTRATION)
    run(
        tmp_path,
        """
        import gymnasium, envpool
        assert "envpool/walk-Walk-v0" not in gymnasium.registry
        import walkenv.registration
        walkenv.registration.register_tasks()
        assert gymnasium.spec("envpool/walk-Walk-v0").max_episode_steps == 7
        """,
    )


def test_plugins_that_register_twice_and_ask_meanwhile(tmp_path):
    install_walkenv(
        tmp_path,
        registration=REGISTRATION
        + """
    import envpool
    register_tasks()
    assert "walk/Walk-v0" in envpool.list_all_envs()
    import gymnasium
    assert "envpool/walk-Walk-v0" in gymnasium.registry
    """,
    )
    for first in ("envpool", "walkenv.registration", "gymnasium"):
        said = run(
            tmp_path,
            f"import {first}, envpool",
            """
            assert envpool.list_all_envs().count("walk/Walk-v0") == 1
            assert envpool.list_all_envs().count("CartPole-v1") == 1
            """,
        )
        assert said == ""


def test_a_package_that_registers_in_its_own_module(tmp_path):
    init = LAZY_EXPORT + REGISTRATION
    install(tmp_path, "walkenv", {"walkenv": "walkenv:register_tasks"}, __init__=init)
    for imports in ("import walkenv, gymnasium", "import gymnasium, walkenv"):
        said = run(
            tmp_path,
            imports,
            """
            import envpool
            assert "walk/Walk-v0" in envpool.list_all_envs()
            assert "envpool/walk-Walk-v0" in gymnasium.registry
            """,
        )
        assert said == ""


def test_an_uninstalled_plugin_leaves_no_trace(tmp_path):
    for folder in install_walkenv(tmp_path):
        run(tmp_path, "import envpool; assert 'walk/Walk-v0' in envpool.list_all_envs()")
        shutil.rmtree(folder)
        break
    shutil.rmtree(tmp_path / "walkenv-1.0.dist-info")
    said = run(
        tmp_path,
        """
        import envpool
        assert "walk/Walk-v0" not in envpool.list_all_envs()
        import gymnasium
        assert "envpool/walk-Walk-v0" not in gymnasium.registry
        """,
    )
    assert said == ""


# --- broken ones ------------------------------------------------------------------------------

BROKEN = {
    "absent": ("absent.nowhere:register_tasks", "ModuleNotFoundError: No module named"),
    "exits": ("broken.exits:register_tasks", "SystemExit: 3"),
    "number": ("broken.number:register_tasks", "TypeError: broken.number:register_tasks is a int"),
    "raises": ("broken.raises:register_tasks", "RuntimeError: the simulator is missing"),
    "shadows": ("broken.shadows:register_tasks", "the package 'broken' has no namespace"),
    "syntax": ("broken.syntax:register_tasks", "SyntaxError: "),
    "wants": ("broken.wants:register_tasks", "TypeError: register_tasks() missing 1 required"),
}
SOURCES = {
    "exits": "import sys; sys.exit(3)",
    "number": "register_tasks = 3",
    "raises": "def register_tasks(): raise RuntimeError('the simulator is missing')",
    "shadows": """
        from envpool.sdk import register_family_task
        def register_tasks(): register_family_task("broken", "CartPole-v1", "CartPole")
    """,
    "syntax": "def register_tasks(:",
    "wants": "def register_tasks(registry): pass",
}


def test_broken_plugins_are_a_warning_each(tmp_path):
    install_walkenv(tmp_path)
    install(tmp_path, "broken", {key: value for key, (value, _) in BROKEN.items()}, **SOURCES)
    said = run(
        tmp_path,
        """
        import gymnasium, envpool
        for _ in range(2):
            assert "walk/Walk-v0" in envpool.list_all_envs()
            assert "envpool/walk-Walk-v0" in gymnasium.registry
            try:
                envpool.make_spec("no/Task-v0")
            except KeyError:
                pass
        """,
    )
    for name, (value, cause) in BROKEN.items():
        told = f"the plugin {name!r} ({value}) of the package broken 1.0 does not load"
        assert said.count(told) == 1, said
        assert cause in said.partition(told)[2].partition("\n")[0]
    assert "Traceback" not in said
    assert said.count("UserWarning") == len(BROKEN)


def test_ctrl_c_while_a_plugin_is_loaded(tmp_path):
    """It passes, and the plugin is loaded the next time."""
    install_walkenv(
        tmp_path,
        registration="""
            import sys
            if not hasattr(sys, "interrupted"):
                sys.interrupted = True
                raise KeyboardInterrupt
        """
        + REGISTRATION.replace("\n    ", "\n            "),
    )
    said = run(
        tmp_path,
        """
        import envpool
        try:
            envpool.list_all_envs()
        except KeyboardInterrupt:
            assert "walk/Walk-v0" in envpool.list_all_envs()
        else:
            raise AssertionError
        """,
    )
    assert said == ""


def test_metadata_that_cannot_be_read(tmp_path):
    """Of any package: one such file keeps importlib.metadata from telling of the others."""
    install_walkenv(tmp_path)
    install(tmp_path, "muddled", "[envpool.envs]\nthis is no entry point\n")
    said = run(
        tmp_path,
        """
        import envpool
        for _ in range(2):
            assert "CartPole-v1" in envpool.list_all_envs()
        """,
    )
    assert said.count("UserWarning: the tasks of other packages are not available") == 1


def test_two_packages_with_one_id(tmp_path):
    install_walkenv(tmp_path)
    other = REGISTRATION.replace('"walkenv"', '"zoo"').replace('"Counting"', '"Lives"')
    entry_points = {"zoo": "zoo.registration:register_tasks"}
    install(tmp_path, "zoo", entry_points, __init__=INIT, registration=other)
    said = run(tmp_path, "import envpool; envpool.make_spec('walk/Walk-v0')")
    assert "zoo.LivesEnvSpec(max_episode_steps=7) cannot be registered as 'walk/Walk-v0'" in said
    assert "because walkenv.CountingEnvSpec(max_episode_steps=7) is: choose another id" in said


# --- threads ------------------------------------------------------------------------

# Long enough for another thread to come meanwhile.
SLOW = "    import time\n    time.sleep(0.3)\n"


def test_threads_that_look_at_the_same_time(tmp_path):
    install_walkenv(tmp_path, registration=SLOW + REGISTRATION)
    run(
        tmp_path,
        """
        import threading
        import envpool
        from envpool.tasks.registry import registry
        start = threading.Barrier(8)
        found = []
        def look(index):
            start.wait()
            if index % 2:
                found.append(registry.find("walk/Walk-v0"))
            else:
                found.append("walk/Walk-v0" in envpool.list_all_envs())
        threads = [threading.Thread(target=look, args=(index,)) for index in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(found) == 8 and all(found)
        """,
    )


# --- the command line -------------------------------------------------------------------------


def test_command_line(tmp_path):
    install_walkenv(tmp_path)
    run(
        tmp_path,
        """
        from typer.testing import CliRunner
        from envpool.cli import app

        def told(*arguments):
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, result.output
            return result.output

        assert "walkenv" in told("list", "walk/*")
        assert 'envpool.make("walk/Walk-v0"' in told("show", "walk/Walk-v0")
        assert told("bench", "walk/Walk-v0", "--seconds", "0.05")
        """,
    )
