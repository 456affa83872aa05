"""Our games of turns in PettingZoo's API: its own tests pass, and games are pgx's."""

import numpy as np
import pytest

import envpool

pytest.importorskip("pettingzoo")
pytestmark = pytest.mark.slow


def made(source, **options):
    pytest.importorskip("pgx")
    from envpool.pettingzoo import AECEnv

    return AECEnv(source, **options)


@pytest.mark.filterwarnings("ignore::UserWarning")  # of observations of zeros, and Dict spaces
@pytest.mark.parametrize("name", ["pgx:tic_tac_toe", "ConnectFour-v1", "pgx:kuhn_poker"])
def test_pettingzoos_api_test_passes(name):
    from pettingzoo.test import api_test, seed_test

    api_test(made(name), num_cycles=40)
    seed_test(lambda: made(name), num_cycles=20)


def test_a_game_is_that_of_the_pool():
    game = made("pgx:connect_four")
    pool = envpool.make("pgx:connect_four", "gymnasium", num_envs=1, autoreset_mode="Disabled")
    game.reset(seed=7)
    observation, info = pool.reset(seed=7)
    random, totals = np.random.default_rng(0), np.zeros(2)
    for agent in game.agent_iter():
        seen, reward, terminated, _, _ = game.last()
        player = game.possible_agents.index(agent)
        assert reward == totals[player]
        if terminated:
            game.step(None)
            continue
        assert player == info["current_player"][0]
        np.testing.assert_array_equal(seen["observation"], observation[0])
        np.testing.assert_array_equal(seen["action_mask"], info["action_mask"][0])
        move = (random.random(7) * seen["action_mask"]).argmax()
        game.step(move)
        observation, *_, info = pool.step(np.array([move]))
        totals[player] = 0
        totals += info["rewards"][0]
    assert sorted(totals) == [-1, 1]


def test_illegal_moves_and_what_is_no_game():
    game = made("pgx:tic_tac_toe")
    game.reset(seed=1)
    first, second = game.agent_selection, None
    game.step(4)
    second = game.agent_selection
    game.step(4)
    assert game.rewards == {first: 1, second: -1}
    assert all(game.terminations.values())
    game.reset()
    with pytest.raises(envpool.ArgumentError, match="9"):
        game.step(9)
    pytest.importorskip("gymnax")
    with pytest.raises(envpool.ArgumentError, match="has no info 'current_player', which games"):
        made("gymnax:CartPole-v1")
