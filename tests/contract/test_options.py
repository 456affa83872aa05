"""The table of options, and how often an option is converted on its way to an environment."""

import inspect
from types import SimpleNamespace

import pytest

import envpool
from envpool.spec.option_values import PYTHON
from envpool.spec.options import COMMON, OPTIONS, About, options_about
from envpool.tasks import registration

MIN_MAX = ("min", "max")


def test_type_checkers_know_options_of_the_table_only():
    keywords = inspect.signature(registration._options).parameters
    assert set(keywords) - {"kwargs"} <= set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_each_row_is_complete(name):
    config = envpool.make_spec("CartPole-v1").config if name in COMMON else PYTHON.settle({})
    option = OPTIONS[name]
    assert option.check(name, getattr(config, name), config) == getattr(config, name)
    assert option.description and "\n" not in option.description


def test_rows_are_found_by_what_they_are_about():
    assert options_about(About.TASK) == ("max_episode_steps", "reward_threshold")
    assert set(options_about(About.COURSE)) <= set(options_about(About.RUN))
    assert not set(options_about(About.NATIVE)) & set(options_about(About.HERE))


def test_names_are_translated_once(monkeypatch):
    calls = []
    kind = type(envpool.make_spec("Ant-v5").known)
    own_names = kind.own_names

    def noted(self, options):
        calls.append(set(options))
        return own_names(self, options)

    monkeypatch.setattr(kind, "own_names", noted)
    spec = envpool.make_spec("Ant-v5", healthy_z_min=0.3)
    assert spec.config.healthy_z_range == [0.3, 1.0]
    assert calls[1:] == [{"healthy_z_min"}]  # after those that the task is registered with


@pytest.mark.parametrize("value", [None, {}, "x", [1, [2]], [[1.0]], -(2**63) - 1])
@pytest.mark.parametrize(
    ("task_id", "name"),
    [
        *(("Ant-v5", f"{of}_{end}") for of in ("healthy_z", "contact_force") for end in MIN_MAX),
        ("Humanoid-v5", "contact_cost_max"),
        ("Pusher-v5", "dist_cost_weight"),
    ],
)
def test_a_message_has_the_name_that_was_given(task_id, name, value):
    with pytest.raises(TypeError, match=f"^{name} is .*, expected a number$"):
        envpool.make_spec(task_id, **{name: value})


@pytest.mark.parametrize(("gravity", "count"), [(1.6, 1), ([1.6, 1.6, 9.8], 3)])
def test_native_code_reads_the_options_of_an_environment_once(gravity, count):
    kind = type(envpool.make_spec("CartPole-v1"))
    read = []

    def note(options):
        read.append(options["gravity"])
        return kind.env_type.read(options)

    names = ("name", "options", "reset_options")
    noting = SimpleNamespace(**{name: getattr(kind.env_type, name) for name in names}, read=note)
    spec_cls = type("NotingEnvSpec", (kind,), {"env_type": noting})
    spec = spec_cls(spec_cls.gen_config(num_envs=3, gravity=gravity))
    pool = envpool.GymnasiumEnvPool(spec)
    assert pool.reset()[0].shape == (3, 4)
    assert len(read) == count
    assert [options["gravity"] for options in pool._pool.get_options(None)] == (
        gravity if isinstance(gravity, list) else [gravity] * 3
    )


@pytest.mark.parametrize(
    ("task_id", "name"),
    [("MiniGrid-Map-v0", "mission"), ("FrozenLake-v1", "map_name"), ("CarRacing-v3", "nonsense")],
)
def test_a_message_shows_all_of_a_text(task_id, name):
    error = TypeError if name == "nonsense" else envpool.ArgumentError
    with pytest.raises(error) as caught:
        envpool.make(task_id, **{name: "a\0b", "num_envs": 2})
    assert name in str(caught.value) and "\0" not in str(caught.value)
    if error is not TypeError:
        assert str(caught.value) == f"{name} has a null character: 'a\\x00b'"
