r"""PPO as a single JAX program: environments, policy and learning, in one file.

    pip install "envpool-next[examples]" jax
    python examples/ppo_jax.py                      # CartPole-v1, until it is solved
    python examples/ppo_jax.py --task Acrobot-v1 --seed 3
    python examples/ppo_jax.py --help

Atari needs ``pip install "envpool-next[examples,atari]" jax``:

    python examples/ppo_jax.py --task Breakout-v5 --option episodic_life=True \
        --option img_height=42 --option img_width=42 --num-envs 32 --rollout-steps 1024 \
        --learning-rate 0.001 --total-steps 300000

It does the same as ppo.py, with the same networks, scales, losses and settings, but with a
synchronous pool, so that a seed repeats a run. A rollout is a ``lax.scan`` over the pool's ``step``
(docs/jax.md), and an update of the agent, rollout included, is one call of a compiled function.
"""

from __future__ import annotations

import ast
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from gymnasium import spaces

import envpool

try:
    import jax
    import jax.numpy as jnp
    from jax import lax, nn
    from matplotlib.figure import Figure
except ImportError as error:
    raise SystemExit(
        f'{error}: this example needs pip install "envpool-next[examples]" jax'
    ) from error

Layers = list[tuple[jax.Array, jax.Array]]  # weights and biases

GAE_LAMBDA = 0.95
MINIBATCHES = 8
MAX_GRADIENT_NORM = 0.5
ADAM = (0.9, 0.999, 1e-5)
WINDOW = 100  # a task is solved when the mean return of so many episodes reaches its threshold
SMALLEST_IMAGE = 36  # of which the convolutions leave one pixel
CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))  # of Mnih et al.: planes, kernel, stride


class Settings(NamedTuple):
    """The hyper-parameters."""

    learning_rate: float
    epochs: int
    clip: float
    gamma: float
    entropy_bonus: float


class Scale(NamedTuple):
    """Mean and variance of all rows so far, to bring observations and rewards to size one."""

    mean: jax.Array
    variance: jax.Array
    rows: jax.Array  # how many

    @staticmethod
    def of(shape: tuple[int, ...]) -> Scale:
        """Of no rows yet."""
        return Scale(jnp.zeros(shape), jnp.ones(shape), jnp.zeros(()))

    def add(self, rows: jax.Array) -> Scale:
        """Merges the moments of these rows into those of all before (Chan et al. 1979)."""
        count = self.rows + len(rows)
        share = len(rows) / count
        delta = rows.mean(axis=0) - self.mean
        variance = (1 - share) * (self.variance + share * delta**2) + share * rows.var(axis=0)
        return Scale(self.mean + share * delta, variance, count)

    @property
    def deviation(self) -> jax.Array:
        """The standard deviation, never 0."""
        return jnp.sqrt(self.variance + 1e-8)

    def see(self, observation: jax.Array) -> tuple[Scale, jax.Array]:
        """Observations as the agent sees them, and the scale that has them in it."""
        if observation.dtype == np.uint8:  # images have one of their own
            return self, observation
        scale = self.add(observation)
        observation = ((observation - scale.mean) / scale.deviation).clip(-10, 10)
        return scale, observation.astype(np.float32)


class Player(NamedTuple):
    """Where the rollout stands, a row per environment."""

    handle: jax.Array
    observation: jax.Array  # scaled, if it is no image
    starts_episode: jax.Array  # the next row
    discounted_return: jax.Array
    observation_scale: Scale
    reward_scale: Scale


class Learner(NamedTuple):
    """The agent, and what Adam knows of its gradients."""

    weights: Any
    mean: Any
    square: Any
    updates: jax.Array


class Transitions(NamedTuple):
    """Steps, of shape (steps, environments)."""

    observation: jax.Array
    action: jax.Array
    log_prob: jax.Array
    value: jax.Array
    reward: jax.Array
    next_value: jax.Array
    terminated: jax.Array
    done: jax.Array
    is_step: jax.Array  # not the reset after an episode, in which nothing was decided
    episode_return: jax.Array
    has_return: jax.Array


# --- the networks -----------------------------------------------------------------------------


def make_layers(key: jax.Array, sizes: list[int], last_gain: float) -> Layers:
    """Weights and biases of dense layers, orthogonal and 0."""
    gains = [2**0.5] * (len(sizes) - 2) + [last_gain]
    layers = []
    for inputs, outputs, gain in zip(sizes[:-1], sizes[1:], gains, strict=True):
        key, own = jax.random.split(key)
        weights = nn.initializers.orthogonal(gain)(own, (inputs, outputs))
        layers.append((weights, jnp.zeros(outputs)))
    return layers


def dense(layers: Layers, rows: jax.Array) -> jax.Array:
    """The layers with tanh between them."""
    for weights, bias in layers[:-1]:
        rows = jnp.tanh(rows @ weights + bias)
    weights, bias = layers[-1]
    return rows @ weights + bias


def make_convolutions(key: jax.Array, planes: int) -> Layers:
    kernels = []
    for outputs, size, stride in CONVOLUTIONS:
        key, own = jax.random.split(key)
        flat = nn.initializers.orthogonal(2**0.5)(own, (outputs, planes * size * size))
        blocks = (outputs, planes, (size // stride) ** 2, stride, stride)
        kernels.append((flat.reshape(blocks), jnp.zeros((outputs, 1, 1))))
        planes = outputs
    return kernels


def patches(images: jax.Array, size: int, stride: int) -> jax.Array:
    """What the pixels of a convolution see, in blocks of the stride's size.

    XLA's own convolutions are slow on a CPU inside of loops; products of matrices are not.

    Returns:
        An array of shape (images, planes, blocks, rows, stride, columns, stride).
    """
    count, planes, *lengths = images.shape
    rows, columns = (length // stride for length in lengths)
    whole = images[:, :, : rows * stride, : columns * stride]
    blocks = whole.reshape(count, planes, rows, stride, columns, stride)
    wide = size // stride
    rows, columns = rows - wide + 1, columns - wide + 1
    seen = [
        blocks[:, :, i : i + rows, :, j : j + columns] for i in range(wide) for j in range(wide)
    ]
    return jnp.stack(seen, axis=2)


def convolve(kernels: Layers, images: jax.Array) -> jax.Array:
    """The features of images, flat."""
    rows = images / 255
    for (kernel, bias), (_, size, stride) in zip(kernels, CONVOLUTIONS, strict=True):
        seen = patches(rows, size, stride)
        rows = nn.relu(jnp.einsum("npkrxcy,opkxy->norc", seen, kernel) + bias)
    return rows.reshape(len(rows), -1)


def make_weights(key: jax.Array, shape: tuple[int, ...], is_image: bool, actions: int) -> Any:
    """An agent's; the actor's small last ones make it indifferent at first."""
    torso, features, actor, critic = jax.random.split(key, 4)
    if not is_image:
        size = int(np.prod(shape))
        return {
            "actor": make_layers(actor, [size, 64, 64, actions], 0.01),
            "critic": make_layers(critic, [size, 64, 64, 1], 1.0),
        }
    kernels = make_convolutions(torso, shape[0])
    flat = jax.eval_shape(convolve, kernels, np.zeros((1, *shape), np.float32))
    return {
        "kernels": kernels,
        "features": make_layers(features, [flat.shape[1], 512], 2**0.5),
        "actor": make_layers(actor, [512, actions], 0.01),
        "critic": make_layers(critic, [512, 1], 1.0),
    }


def think(weights: Any, observation: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The logarithms of the actions' probabilities, and the discounted return to expect."""
    rows = observation.reshape(len(observation), -1)
    if "kernels" in weights:
        rows = nn.relu(dense(weights["features"], convolve(weights["kernels"], observation)))
    logits, value = dense(weights["actor"], rows), dense(weights["critic"], rows)
    return nn.log_softmax(logits), value[:, 0]


def pick(log_probs: jax.Array, action: jax.Array) -> jax.Array:
    picked: jax.Array = jnp.take_along_axis(log_probs, action[:, None], axis=1)[:, 0]
    return picked


# --- the rollout ------------------------------------------------------------------------------


def play(
    step: Callable[..., Any],
    first_action: int,
    settings: Settings,
    weights: Any,
    player: Player,
    key: jax.Array,
) -> tuple[Player, Transitions]:
    """One step of all environments."""
    log_probs, value = think(weights, player.observation)
    action = jax.random.categorical(key, log_probs)
    handle, results = step(player.handle, action + first_action)
    observation, reward, terminated, truncated, info = results
    observation_scale, observation = player.observation_scale.see(observation)
    done = terminated | truncated

    # An episode that is over starts anew on the NEXT step: that step ignores the action and returns
    # the first observation, with reward 0. Nothing was decided there, so it is no transition.
    is_step = ~player.starts_episode
    discounted = jnp.where(is_step, reward + settings.gamma * player.discounted_return, 0.0)
    reward_scale = player.reward_scale.add(discounted)
    transitions = Transitions(
        observation=player.observation,
        action=action,
        log_prob=pick(log_probs, action),
        value=value,
        reward=(reward / reward_scale.deviation).clip(-10, 10),
        # For the same reason, the row of an episode's end holds its final observation.
        next_value=think(weights, observation)[1],
        terminated=terminated,
        done=done,
        is_step=is_step,
        episode_return=info["episode"]["r"],
        has_return=info["_episode"],
    )
    return (
        Player(handle, observation, done, discounted, observation_scale, reward_scale),
        transitions,
    )


def advantages(rollout: Transitions, gamma: float) -> jax.Array:
    """Generalized advantage estimates (Schulman et al. 2016, arXiv:1506.02438)."""

    def back(following: jax.Array, row: Transitions) -> tuple[jax.Array, jax.Array]:
        # After a termination there is nothing to gain. A truncation is only the clock's doing: the
        # value of the final observation stands in for the steps that were cut off.
        future = jnp.where(row.terminated, 0.0, row.next_value)
        surprise = row.reward + gamma * future - row.value
        # After either, the environment's next transition belongs to another episode.
        estimate = surprise + gamma * GAE_LAMBDA * jnp.where(row.done, 0.0, following)
        return estimate, estimate

    _, estimates = lax.scan(back, jnp.zeros(rollout.reward.shape[1]), rollout, reverse=True)
    return estimates


# --- learning ---------------------------------------------------------------------------------


def loss_of(weights: Any, rows: Transitions, advantage: jax.Array, settings: Settings) -> jax.Array:
    log_probs, value = think(weights, rows.observation)
    counts = rows.is_step / jnp.maximum(rows.is_step.sum(), 1)
    mean = jnp.sum(counts * advantage)
    deviation = jnp.sqrt(jnp.sum(counts * (advantage - mean) ** 2))
    gain = (advantage - mean) / (deviation + 1e-8)
    ratio = jnp.exp(pick(log_probs, rows.action) - rows.log_prob)
    clipped = ratio.clip(1 - settings.clip, 1 + settings.clip)
    surrogate = jnp.minimum(ratio * gain, clipped * gain)
    value_loss = 0.5 * (value - (rows.value + advantage)) ** 2
    entropy = -(jnp.exp(log_probs) * log_probs).sum(axis=1)
    return jnp.sum(counts * (value_loss - surrogate - settings.entropy_bonus * entropy))


def improve(learner: Learner, gradient: Any, learning_rate: float) -> Learner:
    """A step of Adam (Kingma and Ba 2015, arXiv:1412.6980), of a gradient of bounded length."""
    first, second, epsilon = ADAM
    length = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(gradient)))
    shorter = jnp.minimum(1.0, MAX_GRADIENT_NORM / (length + 1e-6))
    gradient = jax.tree.map(lambda leaf: leaf * shorter, gradient)
    updates = learner.updates + 1
    mean = jax.tree.map(lambda m, g: first * m + (1 - first) * g, learner.mean, gradient)
    square = jax.tree.map(lambda s, g: second * s + (1 - second) * g**2, learner.square, gradient)

    def moved(weight: jax.Array, mean: jax.Array, square: jax.Array) -> jax.Array:
        unbiased = mean / (1 - first**updates)
        return weight - learning_rate * unbiased / (
            jnp.sqrt(square / (1 - second**updates)) + epsilon
        )

    return Learner(jax.tree.map(moved, learner.weights, mean, square), mean, square, updates)


def learn(learner: Learner, rollout: Transitions, key: jax.Array, settings: Settings) -> Learner:
    """Improves the agent by what it did."""
    advantage = advantages(rollout, settings.gamma).ravel()
    rows = jax.tree.map(lambda column: column.reshape(-1, *column.shape[2:]), rollout)
    size = len(advantage) // MINIBATCHES

    def minibatch(learner: Learner, index: jax.Array) -> tuple[Learner, None]:
        some = jax.tree.map(lambda column: column[index], rows)
        gradient = jax.grad(loss_of)(learner.weights, some, advantage[index], settings)
        return improve(learner, gradient, settings.learning_rate), None

    def epoch(learner: Learner, key: jax.Array) -> tuple[Learner, None]:
        order = jax.random.permutation(key, len(advantage))[: MINIBATCHES * size]
        return lax.scan(minibatch, learner, order.reshape(MINIBATCHES, size))

    learner, _ = lax.scan(epoch, learner, jax.random.split(key, settings.epochs))
    return learner


def make_update(
    step: Callable[..., Any], first_action: int, length: int, settings: Settings
) -> Any:
    """The compiled function that plays and learns; also gives the returns of episodes."""

    @jax.jit
    def update(learner: Learner, player: Player, key: jax.Array) -> Any:
        playing, learning = jax.random.split(key)
        one_step = partial(play, step, first_action, settings, learner.weights)
        player, rollout = lax.scan(one_step, player, jax.random.split(playing, length))
        learner = learn(learner, rollout, learning, settings)
        told = rollout.episode_return, rollout.has_return, rollout.is_step.sum()
        return learner, player, told

    return update


# --- the script -------------------------------------------------------------------------------


def plot(curve: list[tuple[int, float]], task: str, threshold: float | None, path: Path) -> None:
    """Draws the returns of all episodes and their running mean."""
    steps, returns = np.array(curve).reshape(-1, 2).T
    mean = [returns[max(0, i - WINDOW + 1) : i + 1].mean() for i in range(len(returns))]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.scatter(steps, returns, s=9, color="#4c78a8", alpha=0.4, linewidths=0, label="episode")
    axes.plot(steps, mean, color="#e45756", lw=2, label=f"mean of {WINDOW} episodes")
    if threshold is not None:
        axes.axhline(threshold, color="0.3", ls="--", lw=1, label=f"solved: {threshold:g}")
    axes.set(title=f"PPO in JAX on {task}", xlabel="environment steps", ylabel="return")
    axes.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def parse_option(text: str) -> tuple[str, Any]:
    """The name and the value of ``NAME=VALUE``: a Python literal, or else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError(f"--option is {text!r}, expected NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def check_spaces(pool: envpool.GymnasiumEnvPool) -> tuple[tuple[int, ...], bool, spaces.Discrete]:
    """The shape of observations, whether they are images, and the action space."""
    space, action_space = pool.observation_space, pool.action_space
    if not isinstance(space, spaces.Box):
        raise typer.BadParameter(f"no network here observes {space}")
    if "info:action_mask" in pool.spec.state_array_spec:
        raise typer.BadParameter("this task has action masks, which examples/ppo.py keeps to")
    if not isinstance(action_space, spaces.Discrete):
        raise typer.BadParameter(f"no policy here acts in {action_space}")
    is_image = space.dtype == np.uint8 and len(space.shape) == 3
    if is_image and min(space.shape[1:]) < SMALLEST_IMAGE:
        raise typer.BadParameter(f"images must have {SMALLEST_IMAGE} rows and columns at least")
    return space.shape, is_image, action_space


def main(
    task: Annotated[str, typer.Option(help="One of `python -m envpool list`.")] = "CartPole-v1",
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option for make(); repeatable."),
    ] = None,
    num_envs: Annotated[int, typer.Option(min=1)] = 64,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    total_steps: Annotated[int, typer.Option(min=1, help="Stop after this many.")] = 1_000_000,
    rollout_steps: Annotated[int, typer.Option(min=1, help="Steps per update.")] = 2048,
    learning_rate: Annotated[
        float | None, typer.Option(show_default="0.001; for images: 0.00025")
    ] = None,
    gamma: Annotated[float, typer.Option(help="Discount per step.")] = 0.99,
    entropy_bonus: float = 0.01,
    output: Annotated[Path | None, typer.Option(show_default="runs/ppo_jax_<task>.png")] = None,
) -> None:
    """Trains PPO on a task until it is solved, then draws the reward curve."""
    try:
        pool = envpool.make(
            task,
            env_type="gymnasium",
            num_envs=num_envs,
            seed=seed,
            record_episode_statistics=True,
            **dict(map(parse_option, option or ())),
        )
    except (envpool.UnknownTaskError, TypeError, ValueError) as error:
        raise typer.BadParameter(str(error)) from error
    shape, is_image, action_space = check_spaces(pool)
    settings = Settings(2.5e-4, 4, 0.1, gamma, entropy_bonus)
    if not is_image:
        settings = Settings(1e-3, 8, 0.2, gamma, entropy_bonus)
    if learning_rate is not None:
        settings = settings._replace(learning_rate=learning_rate)
    threshold = pool.spec.reward_threshold

    key, own = jax.random.split(jax.random.key(seed))
    weights = make_weights(own, shape, is_image, int(action_space.n))
    zeros = jax.tree.map(jnp.zeros_like, weights)
    learner = Learner(weights, zeros, zeros, jnp.zeros(()))
    handle, _, _, step = pool.xla()
    first, _ = pool.reset()
    scale, observation = Scale.of(() if is_image else shape).see(jnp.asarray(first))
    player = Player(
        handle=jnp.asarray(handle),
        observation=observation,
        starts_episode=jnp.zeros(num_envs, bool),
        discounted_return=jnp.zeros(num_envs),
        observation_scale=scale,
        reward_scale=Scale.of(()),
    )
    length = max(-(-rollout_steps // num_envs), -(-MINIBATCHES // num_envs))
    update = make_update(step, int(action_space.start), length, settings)

    curve: list[tuple[int, float]] = []
    recent: deque[float] = deque(maxlen=WINDOW)
    steps, solved, start = 0, False, time.perf_counter()
    while steps < total_steps and not solved:
        key, own = jax.random.split(key)
        learner, player, (returns, ended, count) = update(learner, player, own)
        steps += int(count)
        for episode_return in np.asarray(returns)[np.asarray(ended)].tolist():
            recent.append(episode_return)
            curve.append((steps, episode_return))
        mean = float(np.mean(recent)) if recent else float("nan")
        solved = threshold is not None and len(recent) == WINDOW and mean >= threshold
    seconds = time.perf_counter() - start
    pool.close()

    path = output or Path(f"runs/ppo_jax_{task.replace('/', '_')}.png")
    plot(curve, task, threshold, path)
    print(f"The reward curve is in {path}.")
    verdict = "solved" if solved else "has no threshold" if threshold is None else "not solved"
    print(
        f"{task} {verdict}: mean return {mean:.1f} of the last {len(recent)} episodes, "
        f"{steps:,} steps in {seconds:.1f} s, {steps / seconds:,.0f} steps/s"
    )


if __name__ == "__main__":
    typer.run(main)
