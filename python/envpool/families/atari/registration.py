"""The games of the Atari 2600 that the Arcade Learning Environment supports for one player."""

from __future__ import annotations

from functools import partial

from envpool.tasks.registration import register_family_task

atari_game_list = """
    adventure air_raid alien amidar assault asterix asteroids atlantis atlantis2 backgammon
    bank_heist basic_math battle_zone beam_rider berzerk blackjack bowling boxing breakout
    carnival casino centipede chopper_command crazy_climber crossbow darkchambers defender
    demon_attack donkey_kong double_dunk earthworld elevator_action enduro entombed et
    fishing_derby flag_capture freeway frogger frostbite galaxian gopher gravitar hangman
    haunted_house hero human_cannonball ice_hockey jamesbond journey_escape kaboom kangaroo
    keystone_kapers king_kong klax koolaid krull kung_fu_master laser_gates lost_luggage
    mario_bros miniature_golf montezuma_revenge mr_do ms_pacman name_this_game othello pacman
    phoenix pitfall pitfall2 pong pooyan private_eye qbert riverraid road_runner robotank seaquest
    sir_lancelot skiing solaris space_invaders space_war star_gunner superman surround tennis
    tetris tic_tac_toe_3d time_pilot trondead turmoil tutankham up_n_down venture video_checkers
    video_chess video_cube video_pinball wizard_of_wor word_zapper yars_revenge zaxxon
""".split()  # noqa: SIM905 - a list of a hundred strings is harder to read

# 108,000 frames, half an hour of a game: M. C. Machado et al., "Revisiting the Arcade Learning
# Environment", 2018.
MAX_EPISODE_STEPS = 27_000

# Some games share their name with another task, and Gymnasium would take them for a later
# version of it.
_GYMNASIUM_IDS = {"blackjack": "envpool/ALE-Blackjack-v5"}

_register = partial(register_family_task, "envpool.families.atari")

for _game in atari_game_list:
    _name = "".join(word.capitalize() for word in _game.split("_"))
    _register(
        f"{_name}-v5",
        "Atari",
        gymnasium={"id": _GYMNASIUM_IDS[_game]} if _game in _GYMNASIUM_IDS else None,
        task=_game,
        max_episode_steps=MAX_EPISODE_STEPS,
    )
