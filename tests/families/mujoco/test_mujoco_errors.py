"""What MuJoCo's tasks refuse, and what they warn of."""

import re
import shutil
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import envpool
import mujoco_oracle
from envpool.families.mujoco.engine import GYM, installed, library_of
from helpers import assert_identical, begun, run_python
from mujoco_oracle import NEW, NEXT_STEP, SAME_STEP, N, make_ours, make_theirs, modified, within

pytestmark = mujoco_oracle.MARKS

LOG = "MUJOCO_LOG.TXT"  # where the engine writes its warnings, if it is let


# --- options ------------------------------------------------------------------------------------


def assert_refused(error, match, task_id, **options):
    """By everything that makes environments of ours, and before any is made."""
    makers = [
        lambda: envpool.make(task_id, "gymnasium", num_envs=3, **options),
        lambda: make_ours(task_id, **options),
    ]
    for maker in makers:
        with pytest.raises(error, match=match):
            maker()


@pytest.mark.parametrize("task_id", NEW)
@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"frame_skip": 0}, ValueError, "frame_skip"),
        ({"frame_stack": 0}, ValueError, "frame_stack"),
        ({"xml_file": 3}, TypeError, "xml_file"),
        ({"xml_file": ""}, (OSError, ValueError), "xml_file|does not exist|directory"),
    ],
    ids=str,
)
@pytest.mark.one_in(4)
def test_wrong_options(task_id, options, error, match):
    assert_refused(error, match, task_id, **options)


@pytest.mark.parametrize(
    ("task_id", "options", "error", "match"),
    [
        ("Ant-v5", {"healthy_z_range": 0.2}, TypeError, "healthy_z_range"),
        ("Ant-v5", {"healthy_z_range": (0.2,)}, ValueError, "healthy_z_range"),
        ("Ant-v5", {"healthy_z_range": (0.2, 0.5, 1.0)}, ValueError, "healthy_z_range"),
        ("Ant-v5", {"healthy_z_range": ("a", "b")}, TypeError, "healthy_z_range"),
        ("Ant-v5", {"contact_force_range": (1.0,)}, ValueError, "contact_force_range"),
        ("Ant-v5", {"main_body": "tail"}, ValueError, "main_body.*tail"),
        ("Ant-v5", {"main_body": 14}, ValueError, "main_body.*14"),
        ("Hopper-v5", {"healthy_state_range": (1.0, 2.0, 3.0)}, ValueError, "healthy_state_range"),
        ("Hopper-v4", {"healthy_angle_range": [0.1]}, ValueError, "healthy_angle_range"),
        ("Walker2d-v5", {"healthy_angle_range": (0.1,)}, ValueError, "healthy_angle_range"),
        ("Humanoid-v5", {"contact_cost_range": (0.1,)}, ValueError, "contact_cost_range"),
        ("HumanoidStandup-v5", {"impact_cost_range": (0.1,)}, ValueError, "impact_cost_range"),
        ("Pusher-v5", {"reset_noise_scale": 0.1}, TypeError, "no option 'reset_noise_scale'"),
        ("InvertedDoublePendulum-v5", {"constraint_obs_dim": 4}, ValueError, "constraint_obs_dim"),
    ],
    ids=str,
)
def test_wrong_options_of_some(task_id, options, error, match):
    assert_refused(error, match, task_id, **options)


def test_a_refused_set_attr_changes_nothing():
    env = begun(make_ours("Ant-v5"), seed=0)
    states = env.get_state()
    for name, value, error in [
        ("frame_skip", 0, ValueError),
        ("main_body", "tail", ValueError),
        ("include_cfrc_ext_in_observation", False, ValueError),  # would change the space
        ("xml_file", "nowhere.xml", (OSError, ValueError)),
    ]:
        with pytest.raises(error):
            env.set_attr(name, value)
    assert env.get_state() == states
    assert env.get_attr("frame_skip") == (5,) * N


# --- models -------------------------------------------------------------------------------------

MISSING = (OSError, ValueError)


@pytest.mark.parametrize("task_id", NEW)
@pytest.mark.parametrize(
    "where", ["nowhere.xml", "./nowhere.xml", "~/nowhere.xml", "/no/where.xml"]
)
@pytest.mark.one_in(4)
def test_missing_models(task_id, where):
    assert_refused(MISSING, r"nowhere\.xml|/no/where\.xml", task_id, xml_file=where)
    with pytest.raises(MISSING, match=r"where\.xml"):
        envpool.make_spec(task_id, xml_file=where)


def test_models_of_gymnasium_are_not_looked_for_here(scratch_directory):
    """A name without a folder is that of a model of the package, never one that lies around."""
    modified(scratch_directory / "mine.xml", "ant.xml")
    message = r"mine\.xml: No such file or directory; did you mean './mine\.xml'\?"
    assert_refused(MISSING, message, "Ant-v5", xml_file="mine.xml")
    make_ours("Ant-v5", xml_file="./mine.xml")


def test_a_compiler_that_lost_its_executable_bit(tmp_path):
    """As in wheels that were packed anew by what does not keep it."""
    library = library_of(GYM, "mujoco_gym")
    package, name = tmp_path / "other", library.rpartition(".")[2]
    package.mkdir()
    for file in (f"{name}.so", f"compile_model-{installed()}"):
        shutil.copyfile(files(GYM) / file, package / file)
    (package / "__init__.py").write_text(
        "from envpool.families.mujoco.engine import load_engine\n"
        "from envpool.sdk import lazy_export, register_family_task\n"
        f"__getattr__, _ = lazy_export('other.{name}', __name__, get_settings=load_engine)\n"
        "register_family_task('other', 'other/Ant-v0', 'GymAnt')\n"
    )
    done = run_python(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import other\n"
        "from envpool.doctor.finding import tried\n"
        "from envpool.doctor.tasks import try_task\n"
        "print(*tried(try_task, ['other/Ant-v0']))"
    )
    program = package / f"compile_model-{installed()}"
    assert f"{program} is not executable: chmod +x {program}" in done.stdout


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "XML"),
        ("no XML at all", "XML"),
        ("<mujoco><worldbody></mujoco>", "XML"),
        ("<urdf/>", "'urdf'"),
        ("<mujoco><option timestep='fast'/></mujoco>", "timestep"),
        ("<mujoco><actuator><motor joint='nobody'/></actuator></mujoco>", "target 'nobody'"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "mass and inertia"),
        ("<mujoco><asset><mesh name='a' file='nowhere.obj'/></asset></mujoco>", r"nowhere\.obj"),
        ("<mujoco><worldbody><geom type='banana'/></worldbody></mujoco>", "banana|keyword"),
        ("<mujoco><include file='nowhere.xml'/></mujoco>", r"nowhere\.xml"),
    ],
)
def test_malformed_models(text, match, tmp_path, capfd):
    """The error says what MuJoCo says, and where."""
    path = tmp_path / "broken.xml"
    path.write_text(text)
    with pytest.raises(ValueError) as said:
        mujoco_oracle.mujoco.MjModel.from_xml_path(str(path))
    capfd.readouterr()
    assert_refused(ValueError, match, "Ant-v5", xml_file=str(path))
    with pytest.raises(ValueError, match=r"broken\.xml") as caught:
        make_ours("Ant-v5", xml_file=str(path))
    for line in filter(None, str(said.value).strip().splitlines()):
        assert line in str(caught.value)
    assert capfd.readouterr() == ("", "")
    assert not Path(LOG).exists()


@pytest.mark.parametrize(
    ("task_id", "source", "change", "match"),
    [
        ("Pusher-v5", "pusher_v5.xml", ('<body name="goal"', '<body name="gaol"'), "goal"),
        ("Reacher-v5", "reacher.xml", ('<body name="target"', "<body"), "target"),
        (
            "InvertedDoublePendulum-v5",
            "inverted_double_pendulum.xml",
            ('<site name="tip" pos="0 0 .6" size="0.01 0.01"/>', ""),
            "site",
        ),
    ],
)
def test_models_without_what_is_needed(task_id, source, change, match, tmp_path):
    path = modified(tmp_path / "other.xml", source, change)
    assert_refused(ValueError, match, task_id, xml_file=path)


@pytest.mark.parametrize("task_id", NEW)
def test_models_of_something_else_do_not_crash(task_id, tmp_path):
    """A body without joints and motors: whatever is too small for a task is refused by name."""
    path = tmp_path / "stone.xml"
    # With as many bodies as Hopper's camera needs.
    body = "<body><geom size='.1'/><body/></body>"
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert_refused(ValueError, r"stone\.xml", task_id, xml_file=str(path))


# --- the engine's warnings ----------------------------------------------------------------------


def unstable(tmp_path, source):
    """The path of a model whose motors are far too strong for its time step."""
    text = (mujoco_oracle.ASSETS / source).read_text()
    path = tmp_path / f"strong_{source}"
    path.write_text(re.sub(r'gear="[\d.]+"', 'gear="1e8"', text))
    return str(path)


UNSTABLE = {
    "Ant-v5": "ant.xml",
    "Ant-v4": "ant.xml",
    "HalfCheetah-v5": "half_cheetah.xml",
    "Hopper-v5": "hopper.xml",
    # After the engine's own reset in mid-step its controls are 0, and so are their costs.
    "Humanoid-v5": "humanoid.xml",
    "HumanoidStandup-v5": "humanoidstandup.xml",
    "InvertedPendulum-v5": "inverted_pendulum.xml",
    "InvertedDoublePendulum-v5": "inverted_double_pendulum.xml",
    "Reacher-v5": "reacher.xml",
    "Swimmer-v5": "swimmer.xml",
    "Walker2d-v5": "walker2d_v5.xml",
}


def record(env, policy, steps=12):
    """Results, and the warnings of Python."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [env.reset(seed=0)]
        for _ in range(steps):
            results.append(env.step(policy(env.action_space, None, rng)))
    return results, [warning for warning in caught if warning.category is RuntimeWarning]


def only_second(space, obs, rng):
    """Nothing but for environment 1, which gets all it can take."""
    actions = within(space, obs, rng)
    actions[[0, 2]] = 0.0
    return actions


@pytest.mark.parametrize("task_id", UNSTABLE)
@pytest.mark.one_in(3)
def test_unstable_simulations(task_id, scratch_directory, capfd):
    """MuJoCo warns and starts over in mid-step; results are Gymnasium's, warnings are Python's."""
    path = unstable(scratch_directory, UNSTABLE[task_id])
    ours, said = record(make_ours(task_id, SAME_STEP, 9, xml_file=path), only_second)
    assert capfd.readouterr() == ("", "")
    assert not Path(LOG).exists()

    theirs, _ = record(make_theirs(task_id, SAME_STEP, 9, xml_file=path), only_second)
    logged = Path(LOG).read_text()
    assert "simulation is unstable" in logged
    for our, their in zip(ours, theirs, strict=True):
        assert_identical(our, their)

    assert said
    for warning in said:
        text = str(warning.message)
        assert re.search(r"\benvironment 1\b", text), text
        assert not re.search(r"\benvironments? [02]\b", text), text
        assert re.search(r"Nan, Inf or huge value in Q(POS|VEL|ACC)", text), text


@pytest.mark.parametrize("task_id", ["Ant-v5", "HalfCheetah-v4", "Humanoid-v5", "Pusher-v5"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, 3e38, 1e11])
@pytest.mark.one_in(4)
def test_actions_that_are_hardly_numbers(task_id, value, capfd):
    """MuJoCo clips the infinite; costs are what arithmetic makes of it."""

    def policy(space, obs, rng):
        actions = within(space, obs, rng)
        actions[1, -1] = value
        return actions

    with np.errstate(over="ignore", invalid="ignore"):
        ours, said = record(make_ours(task_id, limit=6), policy)
        assert capfd.readouterr() == ("", "")
        assert not Path(LOG).exists()
        theirs, _ = record(make_theirs(task_id, limit=6), policy)
    for our, their in zip(ours, theirs, strict=True):
        assert_identical(one_nan(our), one_nan(their))
    assert said == []


def one_nan(results):
    """Results whose NaNs are all the same one: their sign and payload mean nothing."""
    if isinstance(results, dict):
        return {key: one_nan(value) for key, value in results.items()}
    if isinstance(results, tuple):
        return tuple(map(one_nan, results))
    if results.dtype.kind != "f":
        return results
    return np.where(np.isnan(results), results.dtype.type(np.nan), results)


def test_models_whose_loading_warns(capfd):
    """Gymnasium's half cheetah has an attribute of which MuJoCo says that it is deprecated."""
    make_ours("HalfCheetah-v5").reset(seed=0)
    envpool.make_spec("HalfCheetah-v4")
    assert capfd.readouterr() == ("", "")
    assert not Path(LOG).exists()


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP])
def test_nothing_is_written_in_quiet_times(mode, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        env = begun(make_ours("Ant-v5", mode, 5), seed=0)
        rng = np.random.default_rng(0)
        for _ in range(20):
            env.step(within(env.action_space, None, rng))
        env.close()
    assert capfd.readouterr() == ("", "")
    assert list(Path().iterdir()) == []


def test_a_warning_as_an_error_loses_nothing(scratch_directory):
    """Whoever makes errors of warnings gets one, and may go on."""
    path = unstable(scratch_directory, "ant.xml")
    env, calm = (make_ours("Ant-v5", xml_file=path) for _ in range(2))
    rng = np.random.default_rng(0)
    actions = [only_second(env.action_space, None, rng) for _ in range(10)]
    env.reset(seed=0)
    calm.reset(seed=0)
    raised = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for action in actions:
            try:
                env.step(action)
            except RuntimeWarning:
                raised += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for action in actions:
            calm.step(action)
        assert raised > 0
        assert env.get_state() == calm.get_state()
        assert_identical(env.step(actions[0]), calm.step(actions[0]))
