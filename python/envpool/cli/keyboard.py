"""The keys that play each task."""

from __future__ import annotations

import importlib
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

import envpool
from envpool.errors import install

# A number for a discrete action, else the elements of the array.
Value: TypeAlias = int | tuple[float, ...]


@dataclass(frozen=True)
class Binding:
    """Keys that are held together, by pygame's names for them, and what they do."""

    keys: tuple[str, ...]
    value: Value
    meaning: str


@dataclass(frozen=True)
class Keyboard:
    """The keys of a task.

    Attributes:
        bindings: What each does. Of those of a discrete action, the one with the most keys counts;
            those of an array are added up.
        idle: The action without a key; None if the game waits for one.
        synonyms: Keys that mean the same as others.
    """

    bindings: Sequence[Binding]
    idle: Value | None = None
    synonyms: Mapping[str, str] = field(default_factory=dict)

    def action(self, held: Collection[str], spec: envpool.EnvSpec) -> NDArray[Any] | None:
        """Make a batch of one action, or None if the game waits for a key.

        Args:
            held: The names of the keys that are held down.
            spec: The task's, for the dtype and the bounds of its actions.

        """
        meant = {self.synonyms.get(key, key) for key in held}
        pressed = [binding for binding in self.bindings if set(binding.keys) <= meant]
        if not pressed and self.idle is None:
            return None
        values = [binding.value for binding in pressed]
        space = spec.action_space
        *_, array = spec.action_array_spec.values()  # after those of ids
        dtype = array.dtype
        if isinstance(space, spaces.Box):
            total = sum(map(np.array, values), np.zeros(space.shape))
            action: NDArray[Any] = np.clip(total, space.low, space.high).astype(dtype)
            return action[None]
        most = max(pressed, key=lambda binding: len(binding.keys), default=None)
        return np.array([self.idle if most is None else most.value], dtype)

    def lines(self) -> list[str]:
        """Describe each binding in a line, for the player."""
        width = max(len(" + ".join(binding.keys)) for binding in self.bindings)
        lines = [f"{' + '.join(keys.keys):<{width}}  {keys.meaning}" for keys in self.bindings]
        lines += [f"{key:<{width}}  the same as {other}" for key, other in self.synonyms.items()]
        return [*lines, "without a key the game waits"] if self.idle is None else lines


def keyboard_of(spec: envpool.EnvSpec) -> Keyboard:
    """Find the keys of a task.

    Raises:
        ValueError: It has none.
        ImportError: ALE's package is missing, which knows the meanings of a game's actions.

    """
    name, space = spec.known.name, spec.action_space
    if name == "Atari" and spec.spaces.most_players == 1 and isinstance(space, spaces.Discrete):
        return _atari(spec)
    if name.startswith(("MiniGrid", "BabyAI")) and isinstance(space, spaces.Discrete):
        return Keyboard(_GRID_WORLD[: int(space.n)])
    if name == "Procgen":
        return _PROCGEN
    table = _CONTINUOUS if isinstance(space, spaces.Box) else _DISCRETE
    if name not in table and isinstance(space, spaces.Discrete) and spec.spaces.most_players == 1:
        actions = [str(space.start + i) for i in range(space.n)]
        if set(actions) <= set(string.digits):
            return _keyboard(None, **{each: (int(each), f"action {each}") for each in actions})
    if name not in table:
        raise ValueError(f"there are no keys for {spec.id}: watch it with --policy random")
    return table[name]


def _keyboard(idle: Value | None = None, **keys: tuple[Value, str]) -> Keyboard:
    """Make a keyboard of single keys."""
    bindings = [Binding((key,), value, meaning) for key, (value, meaning) in keys.items()]
    return Keyboard(bindings, idle)


_DISCRETE: Mapping[str, Keyboard] = {
    # CartPole has no action that does nothing.
    "CartPole": _keyboard(left=(0, "push the cart left"), right=(1, "push the cart right")),
    "MountainCar": _keyboard(1, left=(0, "accelerate left"), right=(2, "accelerate right")),
    "Acrobot": _keyboard(
        1, left=(0, "torque of -1 on the joint"), right=(2, "torque of +1 on the joint")
    ),
    "FrozenLake": _keyboard(
        left=(0, "go left"), down=(1, "go down"), right=(2, "go right"), up=(3, "go up")
    ),
    "CliffWalking": _keyboard(
        up=(0, "go up"), right=(1, "go right"), down=(2, "go down"), left=(3, "go left")
    ),
    "Taxi": Keyboard(
        [
            Binding(("down",), 0, "go south"),
            Binding(("up",), 1, "go north"),
            Binding(("right",), 2, "go east"),
            Binding(("left",), 3, "go west"),
            Binding(("space",), 4, "pick the passenger up"),
            Binding(("return",), 5, "drop the passenger off"),
        ]
    ),
    "Blackjack": _keyboard(up=(1, "hit: another card"), down=(0, "stick")),
    "Catch": _keyboard(1, left=(0, "go left"), right=(2, "go right")),
    "LunarLanderDiscrete": _keyboard(
        0, up=(2, "main engine"), left=(1, "turn left"), right=(3, "turn right")
    ),
    "CarRacing": _keyboard(
        0, left=(2, "steer left"), right=(1, "steer right"), up=(3, "gas"), down=(4, "brake")
    ),
}

_CONTINUOUS: Mapping[str, Keyboard] = {
    "Pendulum": _keyboard(
        (0.0,), left=((2.0,), "torque counter-clockwise"), right=((-2.0,), "torque clockwise")
    ),
    "MountainCarContinuous": _keyboard(
        (0.0,), left=((-1.0,), "accelerate left"), right=((1.0,), "accelerate right")
    ),
    "BipedalWalker": _keyboard(
        (0.0, 0.0, 0.0, 0.0),
        q=((1.0, 0.0, 0.0, 0.0), "first hip forward"),
        a=((-1.0, 0.0, 0.0, 0.0), "first hip back"),
        w=((0.0, 1.0, 0.0, 0.0), "first knee straight"),
        s=((0.0, -1.0, 0.0, 0.0), "first knee bent"),
        o=((0.0, 0.0, 1.0, 0.0), "second hip forward"),
        l=((0.0, 0.0, -1.0, 0.0), "second hip back"),
        i=((0.0, 0.0, 0.0, 1.0), "second knee straight"),
        k=((0.0, 0.0, 0.0, -1.0), "second knee bent"),
    ),
    "LunarLanderContinuous": _keyboard(
        (0.0, 0.0),
        up=((1.0, 0.0), "main engine"),
        left=((0.0, -1.0), "turn left"),
        right=((0.0, 1.0), "turn right"),
    ),
    # Gas and brake are those of Gymnasium's own game.
    "CarRacing": _keyboard(
        (0.0, 0.0, 0.0),
        left=((-1.0, 0.0, 0.0), "steer left"),
        right=((1.0, 0.0, 0.0), "steer right"),
        up=((0.0, 1.0, 0.0), "gas"),
        down=((0.0, 0.0, 0.8), "brake"),
    ),
}

# minigrid's own. Some levels have only the first of them.
_GRID_WORLD = (
    Binding(("left",), 0, "turn left"),
    Binding(("right",), 1, "turn right"),
    Binding(("up",), 2, "go forward"),
    Binding(("page up",), 3, "pick up"),
    Binding(("page down",), 4, "drop"),
    Binding(("space",), 5, "open, close, unlock"),
    Binding(("return",), 6, "say that the mission is done"),
)

# Upstream's interactive mode.
_PROCGEN = Keyboard(
    [
        *(
            Binding(keys, value, f"go {' and '.join(keys)}")
            for value, keys in enumerate(
                [
                    ("left", "down"), ("left",), ("left", "up"), ("down",), (), ("up",),
                    ("right", "down"), ("right",), ("right", "up"),
                ]
            )
            if keys
        ),
        *(Binding((key,), value, f"key {key.upper()}") for value, key in enumerate("dawsqe", 9)),
    ],
    idle=4,
)  # fmt: skip

# ALE's names of actions are made of these words.
_JOYSTICK = {"UP": "up", "DOWN": "down", "LEFT": "left", "RIGHT": "right", "FIRE": "space"}
# A game with a paddle knows left and right only. To the right, Pong's paddle goes up.
_PADDLE = {"up": "right", "down": "left"}


def _atari(spec: envpool.EnvSpec) -> Keyboard:
    """Make the keys of an Atari game: the arrows and space, as far as it uses them."""
    bindings = []
    names = _atari_actions(spec)
    for value, name in enumerate(names):
        keys = tuple(key for part, key in _JOYSTICK.items() if part in name)
        if keys:
            bindings.append(Binding(keys, value, name.lower()))
    used = {key for binding in bindings for key in binding.keys}
    synonyms = {} if used & _PADDLE.keys() else _PADDLE
    return Keyboard(bindings, names.index("NOOP") if "NOOP" in names else None, synonyms)


def _atari_actions(spec: envpool.EnvSpec) -> list[str]:
    """List ALE's names of the actions; our own library knows only how many there are."""
    try:
        ale_py: Any = importlib.import_module("ale_py")
        roms: Any = importlib.import_module("ale_py.roms")
    except ImportError as error:
        raise ImportError(
            f"the keys of Atari's games need ale-py: {install('atari')}, "
            f"or watch the game with --policy random ({error})"
        ) from error
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.loadROM(roms.get_rom_path(spec.config.task))
    full = spec.config.full_action_space
    actions = ale.getLegalActionSet() if full else ale.getMinimalActionSet()
    return [action.name for action in actions]
