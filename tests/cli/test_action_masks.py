"""Whatever of ours acts at random takes actions that the environment's mask allows, and says which
mask is wrong: in C++, in Python, in Gymnasium's registry. These environments refuse all others.
"""

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from envpool.cli.bench import ROUNDS, seconds_per_call
from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.films.policies import policy_of
from envpool.spec import masks
from test_cli import run
from workers.parallel_envs import Herd

NATIVE = "testing/Masked-v0"
PYTHON = "tests/Depot-v0"
GYMNASIUM = "MaskedDepot-v0"
LENGTH = 7
ACTIONS: dict[str, spaces.Space[Any]] = {
    "discrete": spaces.Discrete(5, start=-2),
    "multi_discrete": spaces.MultiDiscrete([2, 3, 4]),
    "dict": spaces.Dict({"gear": spaces.Discrete(3), "force": spaces.Box(-1, 1, (2,))}),
    "tuple": spaces.Tuple((spaces.Discrete(3), spaces.MultiDiscrete([2, 2]))),
}


class Depot(gymnasium.Env):
    """What its mask allows changes with each step; in ``sometimes`` there is none."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012

    def __init__(self, actions="discrete", in_info=False, sometimes=False, render_mode=None):
        self.render_mode = render_mode
        self.in_info, self.sometimes = in_info, sometimes
        self.action_space = ACTIONS[actions]
        self.observation_space = spaces.Box(0, 1, (2,), np.float32)
        if not in_info:
            entries = {"obs": self.observation_space, "action_mask": mask_space(self.action_space)}
            self.observation_space = spaces.Dict(entries)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.taken = 0
        return self.result()

    def step(self, action):
        if self.mask is not None and not is_allowed(self.action_space, action, self.mask):
            raise ValueError(f"{action} is not allowed")
        self.taken += 1
        obs, info = self.result()
        return obs, 1.0, self.taken == LENGTH, False, info

    def result(self):
        obs, self.mask = np.zeros(2, np.float32), self.draw(self.action_space)
        if not self.in_info:
            return {"obs": obs, "action_mask": self.mask}, {}
        if self.sometimes and self.taken % 2:
            self.mask = None
            return obs, {}
        return obs, {"action_mask": self.mask}

    def draw(self, space):
        """A mask that allows one action at least, but nothing where the episode is over."""
        match space:
            case spaces.Discrete():
                mask = self.np_random.integers(2, size=int(space.n), dtype=np.int8)
                mask[self.np_random.integers(space.n)] = 1
                return mask * (self.taken < LENGTH)
            case spaces.MultiDiscrete():
                parts = [self.draw(spaces.Discrete(n)) for n in space.nvec]
                return np.concatenate(parts).astype(np.int8)
            case spaces.Dict():
                return {"gear": self.draw(space["gear"])}
            case _:
                return tuple(map(self.draw, space))

    def render(self):
        return np.full((8, 8, 3), self.taken, np.uint8)


def mask_space(space):
    match space:
        case spaces.Discrete():
            return spaces.Box(0, 1, (int(space.n),), np.int8)
        case spaces.MultiDiscrete():
            return spaces.Box(0, 1, (int(space.nvec.sum()),), np.int8)
        case spaces.Dict():
            return spaces.Dict({"gear": mask_space(space["gear"])})
        case _:
            return spaces.Tuple(map(mask_space, space))


def is_allowed(space, action, mask):
    match space:
        case spaces.Discrete():
            return mask[action - space.start] == 1
        case spaces.MultiDiscrete():
            begins = np.cumsum([0, *space.nvec[:-1]])
            return (mask[begins + action] == 1).all()
        case spaces.Dict():
            return is_allowed(space["gear"], action["gear"], mask["gear"])
        case _:
            parts = zip(space, action, mask, strict=True)
            return all(is_allowed(part, *values) for part, *values in parts)


@pytest.fixture(scope="module", autouse=True)
def _registered():
    envpool.register_python(PYTHON, Depot)
    gymnasium.register(GYMNASIUM, Depot)
    yield
    del gymnasium.registry[GYMNASIUM]


NATIVE_KINDS = [
    {},
    {"in_info": True},
    {"actions": "multi_discrete"},
    {"actions": "dict", "in_info": True},
    {"players": 3},
    {"players": 2, "actions": "dict"},
    {"players": 2, "actions": "multi_discrete", "in_info": True},
]
TUPLE = {"actions": "tuple", "in_info": False}  # which only vector environments take as it is
PYTHON_KINDS = [
    *({"actions": actions, "in_info": False} for actions in ACTIONS),
    *({"actions": actions, "in_info": True} for actions in ("discrete", "multi_discrete", "dict")),
    {"in_info": True, "sometimes": True},
]


def depots(n=3, **kwargs):
    make = functools.partial(Depot, **kwargs)
    return envpool.make_python(make, "gymnasium", num_envs=n, num_workers=0, seed=0)


def play_at_random(pool, steps=3 * LENGTH):
    act = policy_of(None, pool, 0)
    observation, info = pool.reset()
    over = np.zeros(pool.num_envs, bool)
    ended = 0
    for _ in range(steps):
        action = act(observation, info, over)
        observation, _, terminated, truncated, info = pool.step(action)
        over = terminated | truncated
        ended += over.sum()
    assert ended


@pytest.mark.parametrize("options", NATIVE_KINDS)
def test_native_environments_get_what_they_allow(options):
    for mode in ("NextStep", "SameStep") if options.get("players", 1) == 1 else ("NextStep",):
        options = options | {"autoreset_mode": mode}
        with envpool.make_gymnasium(NATIVE, num_envs=5, seed=1, **options) as pool:
            play_at_random(pool)


@pytest.mark.parametrize("kwargs", [each for each in PYTHON_KINDS if each != TUPLE])
def test_environments_in_python_get_what_they_allow(kwargs):
    with depots(**kwargs) as pool:
        play_at_random(pool)


class MaskedHerd(Herd):
    """Whose agents may say odd numbers in odd steps, and even ones in even steps."""

    def observation_space(self, agent):
        masks = spaces.Box(0, 1, (100,), np.int8)
        return spaces.Dict({"place": super().observation_space(agent), "action_mask": masks})

    def observe(self, agents):
        mask = (np.arange(100) % 2 == self.steps % 2).astype(np.int8)
        return {
            agent: {"place": place, "action_mask": mask}
            for agent, place in super().observe(agents).items()
        }

    def step(self, actions):
        assert all(action % 2 == self.steps % 2 for action in actions.values()), "not allowed"
        return super().step(actions)


def test_agents_in_python_get_what_they_allow():
    with envpool.make_python(MaskedHerd, "gymnasium", num_envs=3, num_workers=0, seed=0) as pool:
        play_at_random(pool, 40)


def test_these_environments_refuse_other_actions():
    """So that the other tests can fail."""
    with envpool.make_gymnasium(NATIVE, num_envs=5, seed=1) as pool, depots(5) as other:
        for each, start in ((pool, 0), (other, -2)):
            forbidden = each.reset()[0]["action_mask"].argmin(axis=1) + start
            with pytest.raises(EnvironmentFailure, match="is not allowed"):
                each.step(forbidden)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("options", [{}, {"players": 2, "actions": "dict", "in_info": True}])
def test_bench_of_native_environments(options, asynchronous):
    with envpool.make_gymnasium(
        NATIVE, num_envs=4, batch_size=1 + 3 * (not asynchronous), **options
    ) as pool:
        times = list(seconds_per_call(pool, 0.01, asynchronous))
    assert len(times) == ROUNDS and min(times) > 0


def test_bench_of_environments_in_python():
    arguments = ("--num-envs", "2", "--seconds", "0.01", "-o", "num_workers=0")
    code, output = run("bench", PYTHON, *arguments)
    assert code == 0, output


@pytest.mark.parametrize("kwargs", [each for each in PYTHON_KINDS if each != TUPLE])
def test_bench_of_all_kinds_of_masks(kwargs):
    with depots(**kwargs) as pool:
        assert len(list(seconds_per_call(pool, 0.005))) == ROUNDS


@pytest.mark.parametrize(
    ("task", "options"),
    [
        (NATIVE, ["-o", "actions=multi_discrete"]),
        (PYTHON, ["-o", "num_workers=0", "-o", "env_kwargs={'render_mode': 'rgb_array'}"]),
        (f"gymnasium:{GYMNASIUM}", ["-o", "num_workers=0"]),
    ],
)
def test_film_without_a_policy(task, options, tmp_path):
    pytest.importorskip("PIL.Image")
    arguments = ("--out", str(tmp_path / "a.gif"), "--steps", "20", "--num-envs", "2")
    code, output = run("film", task, *arguments, *options)
    assert code == 0, output


@pytest.mark.usefixtures("screen")
def test_play_without_a_policy_of_ones_own():
    code, output = run("play", NATIVE, "--policy", "random", "--max-steps", "9")
    assert (code, "return 7 in 7 steps" in output) == (0, True), output


def test_a_mask_that_allows_nothing_is_named(tmp_path):
    sentence = (
        "error: action_mask of environment 0 after step 3 of its episode allows none of the 5 "
        "actions, expected at least one, or the end of the episode\n"
    )
    options = ("-o", "closed_at=3")
    out = str(tmp_path / "a.gif")
    for arguments in (("bench", NATIVE, "--seconds", "0.01"), ("film", NATIVE, "--out", out)):
        code, output = run(*arguments, *options)
        assert (code, output.endswith(sentence)) == (2, True), output


def test_show_writes_code_that_acts_what_is_allowed():
    for options in ([], ["-o", "in_info=True"]):
        _, shown = run("show", NATIVE, *options)
        code = shown[shown.index("import numpy as np") :]
        assert "sample(mask) for mask in" in code
        exec(compile(code, "shown", "exec"), {})


# --- the functions ------------------------------------------------------------------------------

FIELD: Any = {
    **{"name": "action", "dtype": "int32", "shape": (), "space": "discrete"},
    **{"low": [-2.0], "high": [2.0], "per_player": False},
}
RAGGED = np.array([np.ones(5), np.ones(4)], object)
ROWS = masks.Rows(np.array([7, 9]), np.array([0, 4]), np.array([False, False]))


def test_all_allowed_actions_are_drawn_equally_often():
    n = 20_000
    rows = masks.Rows(np.arange(n), np.zeros(n, int), np.zeros(n, bool))
    random = np.random.default_rng(0)
    action = random.integers(-2, 3, n, np.int32)
    drawn = masks.allow(FIELD, action, np.array([[1, 0, 1, 1, 0]] * n), rows, random)
    assert drawn.dtype == np.int32
    counts = np.bincount(drawn + 2, minlength=5) / n
    np.testing.assert_allclose(counts, [1 / 3, 0, 1 / 3, 1 / 3, 0], atol=0.01)


def test_without_chance_order_is_kept():
    mask = np.array([[0, 1, 0, 1, 0]] * 2, bool)
    for given, expected in (([-2, 2], [-1, 1]), ([-1, 1], [-1, 1])):
        assert masks.allow(FIELD, np.array(given), mask, ROWS).tolist() == expected


def test_what_has_no_mask_is_left_as_it_is():
    action = np.array([1, 2])
    assert masks.allow(FIELD, action, None, ROWS) is action
    assert masks.allow(FIELD | {"space": "box"}, action, np.zeros(3), ROWS) is action
    assert masks.find({"obs": action}, {"action_mask": None}) is None
    assert masks.find(action, {"players": {}}) is None


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (
            np.ones((2, 4)),
            r"action_mask of environment 7 after its reset has the shape \(4,\), expected \(5,\)",
        ),
        (RAGGED, r"environment 9 after step 4 .* has the shape \(4,\), expected \(5,\)"),
        (
            np.ones(5),
            r"the shape \(5,\) after step 0 of environment 7, expected \(2, 5\): a row for each",
        ),
        (
            [[1] * 5, [1, 0, 2, 1, 1]],
            "environment 9 after step 4 of its episode has 2 at 2, expected 0 or 1",
        ),
        ([[1] * 5, [np.nan] * 5], "has nan at 0, expected 0 or 1"),
        ([["a"] * 5] * 2, "has a at 0, expected 0 or 1"),
        ([[1] * 5, [0] * 5], "environment 9 after step 4 .* allows none of the 5 actions"),
    ],
)
def test_wrong_masks(mask, message):
    with pytest.raises(ArgumentError, match=message):
        masks.allow(FIELD, np.zeros(2, np.int32), np.asarray(mask), ROWS)


def test_the_part_that_allows_nothing_is_named():
    field: Any = FIELD | {"shape": (2,), "low": [0.0], "high": [1.0, 2.0]}
    field["space"] = "multi_discrete"
    with pytest.raises(ArgumentError, match=r"environment 7 .* none of the 2 actions of part 0"):
        masks.allow(field, np.zeros((2, 2), int), np.array([[0, 0, 1, 1, 1]] * 2), ROWS)


def test_masks_of_infos_may_be_tuples():
    """As Gymnasium's MultiDiscrete.sample takes them."""
    parts = np.empty(2, object)
    parts[:] = [(np.array([1, 0]), np.array([0, 1, 1]))] * 2
    joined = masks.mask_of({"action_mask": parts}, "action", is_single=True)
    assert joined.tolist() == [[1, 0, 0, 1, 1]] * 2
