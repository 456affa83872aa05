"""Records how two players play in multi_agent_ale_py, PettingZoo's emulator.

There are no wheels of it for the Pythons of ours, hence two commands, the second one with another:

    python tests/families/atari/record_two_players.py starts
    python3.9 -m venv old && old/bin/pip install multi-agent-ale-py==0.1.12
    old/bin/python tests/families/atari/record_two_players.py play ROMS

Some games start as what is in the console's memory and timer at a reset says, and there both
emulators have random numbers of their own. So the first command writes down our memory, which the
second one puts into theirs, and that takes a seed with which their timer is ours.
"""

import ctypes
import json
import random
import sys
import zlib
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("two_players.json")
FRAMES = 1300
CHECKED = 100  # after so many frames there is a checksum of all before
GAMES = {
    "backgammon": [4],
    "boxing": [2],
    "double_dunk": [16],
    "entombed": [2, 3],
    "fishing_derby": [2],
    "flag_capture": [1],
    "ice_hockey": [1],
    "mario_bros": [2],
    "othello": [4],
    "pong": [3],
    "space_invaders": [33],
    "space_war": [1],
    "surround": [1],
    "tennis": [2],
    "video_checkers": [10],
    "wizard_of_wor": [1],
}
CASES = [f"{game} {mode}" for game, modes in GAMES.items() for mode in modes]

# The console draws 128 numbers for its memory and one for the timer whenever it is reset, which is
# also when it is made: the one of our second episode is this one. Theirs draws from a new seed.
OUR_SEED, OUR_DRAW = 4753849, 133
THEIR_DRAW = 1


def actions():
    """Pairs of random actions that are kept for some frames."""
    generator = random.Random(4)
    pair = [0, 0]
    for _ in range(FRAMES):
        for player in (0, 1):
            if generator.randrange(6) == 0:
                pair[player] = generator.randrange(18)
        yield np.array(pair, np.intc)


class Record:
    """Checksums of memory and screen, and the frames with rewards, other lives or the end."""

    def __init__(self):
        self.memory, self.screen, self.events = [], [], []
        self._sums = (0, 0)
        self._lives = None

    def add(self, frame, memory, screen, rewards, lives, is_over):
        self._sums = tuple(map(zlib.crc32, (memory.tobytes(), screen.tobytes()), self._sums))
        if frame % CHECKED == 0:
            self.memory.append(self._sums[0])
            self.screen.append(self._sums[1])
        if any(rewards) or lives != self._lives or is_over:
            self.events.append([frame, *map(int, rewards), *lives, is_over])
        self._lives = lives


def make_ours(case):
    """A pool with one environment, in its second episode's first frame, and the memory before."""
    import envpool

    game, mode = case.split()
    task_id = "".join(word.capitalize() for word in game.split("_")) + "-v5"
    width, height = envpool.make_spec(task_id).pictures.size
    options = {"noop_max": 0, "use_fire_reset": False, "full_action_space": True, "seed": 0}
    options |= {"frame_skip": 1, "stack_num": 1, "img_width": width, "img_height": height}
    env = envpool.make_gymnasium(task_id, num_envs=1, players=2, mode=int(mode), **options)
    _, info = env.reset()
    start = info["ram"].tobytes().hex()
    return env, *env.reset(), start


def numbers(seed, count):
    generator = np.random.MT19937()
    generator._legacy_seeding(seed)
    return generator.random_raw(count)


def make_theirs(case, start, roms):
    from multi_agent_ale_py import ALEInterface, ale_python_interface

    game, mode = case.split()
    timer = numbers(OUR_SEED, OUR_DRAW + 1)[OUR_DRAW] % 75
    seeds = range(1, 10000)
    seed = next(s for s in seeds if numbers(s, THEIR_DRAW + 1)[THEIR_DRAW] % 75 == timer)
    ALEInterface.setLoggerMode("error")
    ale = ALEInterface()
    ale.setInt("random_seed", seed)
    ale.setFloat("repeat_action_probability", 0.0)
    ale.loadROM(str(Path(roms) / f"{game}.bin"))
    ale.setMode(int(mode))
    set_ram = ale_python_interface.ale_lib.setRAM  # their method passes it too much
    set_ram.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_ubyte]
    for index, byte in enumerate(bytes.fromhex(start)):
        set_ram(ale.obj, index, byte)
    ale.reset_game()
    return ale


def play(case, start, roms):
    ale = make_theirs(case, start, roms)
    record = Record()
    for frame, pair in enumerate(actions(), 1):
        rewards = ale.act(pair)
        lives = [int(number) for number in ale.allLives()]
        is_over = bool(ale.game_over())
        record.add(frame, ale.getRAM(), ale.getScreenGrayscale(), rewards, lives, is_over)
        if is_over:
            break
    sums = {"memory": record.memory, "screen": record.screen}
    return {"start": start, "events": record.events, **sums}


def main(command, *roms):
    if command == "starts":
        records = {case: {"start": make_ours(case)[-1]} for case in CASES}
    else:
        starts = json.loads(PATH.read_text())
        records = {case: play(case, starts[case]["start"], *roms) for case in CASES}
    lines = [f"{json.dumps(case)}: {json.dumps(record)}" for case, record in records.items()]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
