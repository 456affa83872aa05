"""Who chooses the actions: the command-line option ``--policy``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from envpool.errors import import_optional
from envpool.films.policies import is_learned

# For the help of commands.
POLICIES = "random, MODULE:FUNCTION, ppo.py:load:FILE, or a .zip of Stable-Baselines3"


def load_policy(text: str) -> Any:
    """What ``envpool.evaluate`` and ``film`` take as the policy that is meant.

    Args:
        text: ``random``, or ``MODULE:FUNCTION`` for a function of a module, which may be in the
            working directory. It is called with a batch of observations and returns the actions.
            With ``MODULE:FUNCTION:ARGUMENT`` the function is called once, with the argument, and
            returns the policy, which is called with observations and their info. Either may also be
            a model with ``predict``, or a torch.nn.Module. Instead of its name, a module may be the
            path of its file, which ends with .py. Or the path of a .zip, which a model of
            Stable-Baselines3 has saved.

    Raises:
        ValueError: It is neither, or the module has no such function.
        ImportError: There is no such module, or it fails to import.
    """
    if text == "random":
        return None
    if text.endswith(".zip"):
        return _saved_policy(text)
    name, _, rest = text.partition(":")
    function, colon, argument = rest.partition(":")
    if not name or not function:
        raise ValueError(
            f"--policy is {text!r}, expected random or MODULE:FUNCTION[:ARGUMENT] or MODEL.zip"
        )
    chooser: Any = getattr(_module(name), function, None)
    if not callable(chooser) and not is_learned(chooser):
        raise ValueError(f"--policy is {text!r}, but {name} has no function {function!r}")
    if not colon:
        return chooser
    made: Any = chooser(argument)
    if is_learned(made):
        return made
    if not callable(made):
        raise ValueError(f"--policy is {text!r}, but {function} returned {made!r}, not a function")
    return lambda observation, info: made(observation, info)  # noqa: PLW0108 - always gets both


def _saved_policy(path: str) -> Any:
    """The policy of a model of Stable-Baselines3 or sb3-contrib.

    The file does not say which algorithm has learned it; the policy alone is enough to act.
    """
    sb3 = import_optional("stable_baselines3.common.save_util", "Stable-Baselines3", "sb3")
    data, parameters, _ = sb3.load_from_zip_file(path, device="cpu")
    spaces = data["observation_space"], data["action_space"]
    options = ({"use_sde": True} if data.get("use_sde") else {}) | data["policy_kwargs"]
    policy = data["policy_class"](*spaces, lambda _: 0.0, **options)
    policy.load_state_dict(parameters["policy"])
    return policy


def _module(name: str) -> ModuleType:
    """Import a module by its name, or by the path of its file."""
    directory = str(Path.cwd())
    if directory not in sys.path:
        sys.path.insert(0, directory)  # as python -m has it, but not the command envpool
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name)
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None or not path.is_file():
        raise ImportError(f"--policy: there is no file {name}")
    module = importlib.util.module_from_spec(found)
    sys.modules[path.stem] = module  # where what it defines looks for its module
    found.loader.exec_module(module)
    return module
