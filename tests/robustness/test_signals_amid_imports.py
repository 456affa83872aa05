"""Pictures that a signal handler asks for while what draws them is being imported."""

import pytest

from helpers import assert_runs

# A module is looked for at the same point of the import each time, unlike a timer's signal.
AMID_IMPORT = """
pool = envpool.make("{task}", "gymnasium", num_envs=1, render_mode="rgb_array")
pool.reset()
said = []

def draw(*_):
    try:
        pool.render()
        said.append("drawn")
    except RuntimeError as error:
        said.append(str(error))

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "{module}":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGUSR1)

signal.signal(signal.SIGUSR1, draw)
sys.meta_path.insert(0, Interrupt())
pool.render()
assert len(said) == 1
assert said[0] == "drawn" or "a signal handler asked for the picture" in said[0], said
pool.render()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "module"),
    [
        ("CartPole-v1", "pygame.rect"),
        ("CartPole-v1", "gymnasium.envs.classic_control.pendulum"),
        ("FrozenLake-v1", "gymnasium.envs.toy_text.taxi"),
    ],
)
def test_a_picture_amid_an_import(task, module):
    pytest.importorskip("pygame")
    assert_runs(AMID_IMPORT.format(task=task, module=module))
