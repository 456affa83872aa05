"""Procgen's library as it is, driven from Python: a handle of one game per environment."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.families.procgen.engine import COMMAND, checked_folder, folder
from envpool.families.procgen.registration import GAMES, MODES, steps_of
from envpool.oracles.upstreams import Oracle, repeated

# Upstream's levels of exploration, which is hard mode with one of them; in its env.py.
_EXPLORATION = {
    "coinrun": 1949448038, "caveflyer": 1259048185, "leaper": 1318677581, "jumper": 1434825276,
    "maze": 158988835, "heist": 876640971, "climber": 1561126160, "ninja": 1123500215,
}  # fmt: skip
_ACTIONS = 15
_RESTART = -1
_MOST_STATE_BYTES = 2**20
# The defaults of ProcgenGym3Env.
_FLAGS = {
    "center_agent": True,
    "use_generated_assets": False,
    "use_monochrome_assets": False,
    "restrict_themes": False,
    "use_backgrounds": True,
    "paint_vel_info": False,
    "use_sequential_levels": False,
}
# Of the handle, and of the game's table of virtual functions, in this library.
_GAMES, _OBSERVE, _GAME_RESET, _FUNCTIONS = 88, 2, 4, 128
_WORD = ctypes.sizeof(ctypes.c_void_p)
_METHOD = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Option(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 128),
        ("dtype", ctypes.c_int),
        ("count", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class _Options(ctypes.Structure):
    _fields_ = (("items", ctypes.POINTER(_Option)), ("count", ctypes.c_int))


class _Buffers(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_void_p) for name in ("observation", "reward", "first", "info", "action")
    )


@functools.cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(checked_folder() / "procgen/data/prebuilt/libenv.so"))
    library.libenv_make.argtypes = [ctypes.c_int, _Options]
    library.libenv_make.restype = ctypes.c_void_p
    for name in ("observe", "act", "close"):
        getattr(library, f"libenv_{name}").argtypes = [ctypes.c_void_p]
    library.libenv_set_buffers.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    for name in ("get_state", "set_state"):
        getattr(library, name).argtypes = [
            ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int
        ]  # fmt: skip
    return library


def _option(name: str, value: Any) -> tuple[_Option, Any]:
    """An option, and the memory that it points to."""
    if isinstance(value, str):
        data = np.frombuffer(value.encode(), np.uint8).copy()
    else:
        data = np.array([value], np.uint8 if isinstance(value, bool) else np.int32)
    is_bytes = data.dtype == np.uint8
    return _Option(name.encode(), 1 if is_bytes else 2, len(data), data.ctypes.data), data


class Handle:
    """One game of the library's.

    Args:
        seed: What upstream calls rand_seed.
        draws: True if there are to be large pictures.
        **options: Upstream's.

    Attributes:
        draws: True if there are large pictures.
        pixels: The observation: where an episode ended, the next one's first.
        large: The large picture.
        last_pixels: The last observation of the episode that ended last. Upstream has none; it is
            what the game draws before it resets itself.
        last_state: The state that the game had then, if there are large pictures.
    """

    def __init__(self, seed: int, draws: bool = False, **options: Any) -> None:
        self.draws = draws
        self.pixels = np.zeros((64, 64, 3), np.uint8)
        self.large = np.zeros((512, 512, 3), np.uint8)
        self.last_pixels, self.last_state = self.pixels.copy(), b""
        self.reward, self.action = np.zeros(1, np.float32), np.zeros(1, np.int32)
        self.first, self.complete = np.zeros(1, np.uint8), np.zeros(1, np.uint8)
        self.before, self.level = np.zeros(1, np.int32), np.zeros(1, np.int32)
        given = {
            "num_levels": 0, "start_level": 0, "num_actions": _ACTIONS, "debug_mode": 0,
            "num_threads": 0, "rand_seed": seed, "render_human": draws,
            "resource_root": f"{checked_folder() / 'procgen/data/assets'}/", **_FLAGS, **options,
        }  # fmt: skip
        made = [_option(name, value) for name, value in given.items()]
        items = (_Option * len(made))(*(option for option, _ in made))
        self._library = _library()
        self.handle = self._library.libenv_make(1, _Options(items, len(items)))
        infos: list[NDArray[Any]] = [self.before, self.complete, self.level, self.large]
        self._pointers = [_addresses([self.pixels]), _addresses(infos), _addresses([self.action])]
        observations, info, actions = map(ctypes.addressof, self._pointers)
        reward, first = self.reward.ctypes.data, self.first.ctypes.data
        self._buffers = _Buffers(observations, reward, first, info, actions)
        self._library.libenv_set_buffers(self.handle, ctypes.addressof(self._buffers))
        self._library.libenv_observe(self.handle)
        self._watch()

    def _watch(self) -> None:
        """Has the game draw itself before it resets itself."""
        game = _word_at(_word_at(self.handle + _GAMES))
        table = _word_at(game)
        observe = _METHOD(_word_at(table + _OBSERVE * _WORD))
        reset = _METHOD(_word_at(table + _GAME_RESET * _WORD))

        def on_reset(this: int) -> None:
            observe(this)
            self.last_pixels[:] = self.pixels
            if self.draws:
                self.last_state = self.state()
            reset(this)

        self._on_reset = _METHOD(on_reset)
        words = (ctypes.c_void_p * (2 + _FUNCTIONS)).from_address(table - 2 * _WORD)
        self._table = type(words).from_buffer_copy(words)
        self._table[2 + _GAME_RESET] = ctypes.cast(self._on_reset, ctypes.c_void_p).value
        copied = ctypes.c_void_p.from_address(game)
        copied.value = ctypes.addressof(self._table) + 2 * _WORD

    def step(self, action: int) -> None:
        """Steps the game; -1 makes a step, and then ends the episode."""
        self.action[0] = action
        self._library.libenv_act(self.handle)
        self._library.libenv_observe(self.handle)

    def state(self) -> bytes:
        """The game's state, as the library writes it."""
        state = ctypes.create_string_buffer(_MOST_STATE_BYTES)
        size = self._library.get_state(self.handle, 0, state, _MOST_STATE_BYTES)
        return state.raw[:size]

    def resume(self, state: bytes) -> None:
        """Takes on the state of a game with the same options."""
        self._library.set_state(self.handle, 0, state, len(state))
        self._library.libenv_observe(self.handle)

    def close(self) -> None:
        """Gives the game back."""
        if self.handle:
            self._library.libenv_close(self.handle)
        self.handle = None


def _addresses(arrays: list[NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))


def _word_at(address: int) -> int:
    return ctypes.c_size_t.from_address(address).value


class ProcgenEnv(gymnasium.Env[Any, Any]):
    """A game of Procgen's, with Gymnasium's API and the last observations of episodes.

    Args:
        game: Its name.
        timeout: After how many steps the library ends an episode.
        render_mode: See Gymnasium.
        channel_first: Observations have an axis of colours before those of pixels.
        **options: The library's.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 15}  # noqa: RUF012 - as Gymnasium's

    def __init__(
        self,
        game: str,
        timeout: int,
        render_mode: str | None = None,
        channel_first: bool = True,
        **options: Any,
    ) -> None:
        self.render_mode, self._channel_first = render_mode, channel_first
        self._options = {"env_name": game, **options}
        self._timeout, self._elapsed, self._is_over = timeout, 0, False
        self.handle: Handle | None = None
        shape = (3, 64, 64) if channel_first else (64, 64, 3)
        self.observation_space = gymnasium.spaces.Box(0, 255, shape, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(_ACTIONS)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See Gymnasium. The seed is that of levels."""
        super().reset(seed=seed)
        if seed is not None or self.handle is None:
            self.close()
            draws = self.render_mode is not None
            self.handle = Handle(seed or 0, draws, **self._options)
        elif not self._is_over:
            self.handle.step(_RESTART)
        self._elapsed, self._is_over = 0, False
        return self._observation(), self._info()

    def step(self, action: int) -> Any:
        """See Gymnasium."""
        assert self.handle is not None
        level = self.handle.level[0]
        self.handle.step(action)
        self._elapsed += 1
        self._is_over = bool(self.handle.first[0])
        truncated = self._is_over and self._elapsed == self._timeout
        completed = bool(self.handle.complete[0])
        if completed and not self._is_over:  # and another level follows, with as much time
            self._elapsed = 0
        terminated = self._is_over and (completed or not truncated)
        info = self._info()
        if self._is_over:
            info["level_seed"] = level
        return self._observation(), self.handle.reward[0], terminated, truncated, info

    def _observation(self) -> NDArray[np.uint8]:
        assert self.handle is not None
        pixels = self.handle.last_pixels if self._is_over else self.handle.pixels
        return pixels.transpose(2, 0, 1).copy() if self._channel_first else pixels.copy()

    def _info(self) -> dict[str, Any]:
        assert self.handle is not None
        before, complete, level = self.handle.before, self.handle.complete, self.handle.level
        return {
            "prev_level_seed": before[0],
            "prev_level_complete": np.int32(complete[0]),
            "level_seed": level[0],
        }

    def render(self) -> Any:
        """See Gymnasium."""
        assert self.handle is not None
        if not self._is_over:
            return self.handle.large.copy()
        painter = Handle(0, True, **self._options)
        painter.resume(self.handle.last_state)
        painter.close()
        return painter.large

    def close(self) -> None:
        """See Gymnasium."""
        if self.handle is not None:
            self.handle.close()
        self.handle = None


def upstream(game: str, mode: str, **options: Any) -> ProcgenEnv:
    """Upstream's game with the same options, by our names.

    Args:
        game: Its name, such as ``"coinrun"``.
        mode: One of its modes, such as ``"Easy"``.
        **options: Ours.
    """
    timeout = steps_of(game, mode)
    if mode == "Exploration":
        mode, options = "Hard", options | {"start_level": _EXPLORATION[game], "num_levels": 1}
    return ProcgenEnv(game, timeout, distribution_mode=MODES[mode], **options)


class Environments(Oracle):
    """The games of Procgen."""

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`; the library is fetched, not installed."""
        return "" if folder().exists() else f"needs Procgen's engine: {COMMAND}"

    def make(self, task_id: str, seed: int, **options: Any) -> ProcgenEnv:
        """See :class:`Oracle`."""
        name = task_id.removesuffix("-v0")
        game = next(each for each in GAMES if name.lower().startswith(each))
        return upstream(game, name[len(game) :], **options)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps."""
        return repeated(space, seed)
