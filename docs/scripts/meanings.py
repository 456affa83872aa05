"""What observations, actions and rewards mean: of each task that a page begins with, if it is here.

Whatever can be asked of the tasks themselves is not here. A test compares the numbers of rows with
the spaces; what the rows say was read in `cpp/envs` and in the models that these load.
"""

from __future__ import annotations

from dataclasses import dataclass

from markdown import table

# A row of a table: what one index is, or so many of them.
Row = str | tuple[int, str]


@dataclass(frozen=True)
class Meaning:
    """What the numbers of a task mean, with its own options.

    Attributes:
        observation: A row for each index, or a sentence.
        action: The same.
        reward: Of a step.
        end: When an episode is terminated.
    """

    observation: str | tuple[Row, ...]
    action: str | tuple[Row, ...]
    reward: str
    end: str

    def parts(self) -> list[str]:
        """Paragraphs and tables for a page."""
        return [
            "## Observation",
            _described(self.observation),
            "## Action",
            _described(self.action),
            "## Reward and end",
            f"**Reward**: {self.reward}.",
            f"**Terminated**: {self.end}.",
        ]


def size(rows: tuple[Row, ...]) -> int:
    """How many indices the rows are about."""
    return sum(1 if isinstance(row, str) else row[0] for row in rows)


def _described(rows: str | tuple[Row, ...]) -> str:
    if isinstance(rows, str):
        return f"{rows}."
    lines, index = [], 0
    for row in rows:
        count, text = (1, row) if isinstance(row, str) else row
        lines.append([f"{index}" if count == 1 else f"{index}:{index + count}", text])
        index += count
    return table(["index", "meaning"], lines)


def _angles(*joints: str) -> tuple[str, ...]:
    return tuple(f"angle of the {joint}, rad" for joint in joints)


def _speeds(*joints: str) -> tuple[str, ...]:
    return tuple(f"angular velocity of the {joint}, rad/s" for joint in joints)


def _torques(*joints: str) -> tuple[str, ...]:
    return tuple(f"torque on the {joint}" for joint in joints)


def _leg(number: int) -> tuple[str, ...]:
    """Of BipedalWalker."""
    return (
        f"angle of hip {number}, rad",
        f"angular velocity of hip {number}",
        f"angle of knee {number}, rad, plus 1",
        f"angular velocity of knee {number}",
        f"1: foot {number} touches the ground",
    )


_NEVER = "never; only the time limit ends episodes"
_ROOT = ("height of the torso, m", "pitch of the torso, rad")
_ROOT_SPEEDS = (
    "forward velocity of the torso, m/s",
    "vertical velocity of the torso, m/s",
    "angular velocity of the torso, rad/s",
)
_CHEETAH = ("back thigh", "back shin", "back foot", "front thigh", "front shin", "front foot")
_HOPPER = ("thigh joint", "leg joint", "foot joint")
_WALKER = (*_HOPPER, "left thigh joint", "left leg joint", "left foot joint")
_ANT = tuple(f"{joint} {leg}" for leg in range(1, 5) for joint in ("hip", "ankle"))
_FREE = ("height of the torso, m", (4, "orientation of the torso: a quaternion, w first"))
_FREE_SPEEDS = ((3, "velocity of the torso, m/s"), (3, "angular velocity of the torso, rad/s"))
_PUSHER = (
    "shoulder pan",
    "shoulder lift",
    "upper arm roll",
    "elbow flex",
    "forearm roll",
    "wrist flex",
    "wrist roll",
)
_LIMBS = (
    *(
        f"{side} {joint}"
        for side in ("right", "left")
        for joint in ("hip x", "hip z", "hip y", "knee")
    ),
    *(
        f"{side} {joint}"
        for side in ("right", "left")
        for joint in ("shoulder 1", "shoulder 2", "elbow")
    ),
)
_HUMANOID: tuple[Row, ...] = (
    *_FREE,
    *_angles("abdomen z", "abdomen y", "abdomen x", *_LIMBS),
    *_FREE_SPEEDS,
    *_speeds("abdomen z", "abdomen y", "abdomen x", *_LIMBS),
    (130, "inertia and mass of the 13 bodies, 10 numbers each (`cinert`)"),
    (78, "velocities of the 13 bodies, 6 numbers each (`cvel`)"),
    (17, "forces of the actuators on the joints (`qfrc_actuator`)"),
    (78, "contact forces on the 13 bodies, 6 numbers each (`cfrc_ext`)"),
)
_HUMANOID_MOTORS = _torques("abdomen y", "abdomen z", "abdomen x", *_LIMBS)
_FALL = "if `terminate_when_unhealthy`, when it is not healthy"

MEANINGS = {
    # --- classic control
    "CartPole-v1": Meaning(
        (
            "position of the cart, m",
            "velocity of the cart, m/s",
            "angle of the pole, rad; 0 is upright",
            "angular velocity of the pole, rad/s",
        ),
        ("push to the left", "push to the right"),
        "1 in each step, the last one included; with `sutton_barto_reward`, 0, and -1 in the last",
        "the cart is more than 2.4 m from the middle, or the pole leans more than 12° (0.209 rad)",
    ),
    "Pendulum-v1": Meaning(
        ("cosine of the angle; 1 is upright", "sine of the angle", "angular velocity, rad/s"),
        ("torque, N m",),
        "-(angle² + 0.1 velocity² + 0.001 torque²), with the angle in [-π, π), 0 upright, and both "
        "as they were before the step",
        _NEVER,
    ),
    "MountainCar-v0": Meaning(
        ("position of the car", "velocity of the car"),
        ("push to the left", "no push", "push to the right"),
        "-1 in each step",
        "the position is 0.5 or more, and the velocity `goal_velocity` or more",
    ),
    "MountainCarContinuous-v0": Meaning(
        ("position of the car", "velocity of the car"),
        ("push; its effect is clipped to [-1, 1]",),
        "-0.1 push², and 100 at the goal",
        "the position is 0.45 or more, and the velocity `goal_velocity` or more",
    ),
    "Acrobot-v1": Meaning(
        (
            "cosine of the first link's angle; 1 is hanging down",
            "sine of the first link's angle",
            "cosine of the second link's angle to the first; 1 is straight",
            "sine of the second link's angle",
            "angular velocity of the first link, rad/s",
            "angular velocity of the second link, rad/s",
        ),
        ("torque -1 on the joint between the links, N m", "no torque", "torque 1"),
        "-1 in each step, 0 in the last",
        "the free end is more than a link's length above the first joint: "
        "-cos(angle 1) - cos(angle 1 + angle 2) > 1",
    ),
    # --- toy text
    "FrozenLake-v1": Meaning(
        "The cell: row times the number of columns, plus column",
        ("left", "down", "right", "up"),
        "1 on the goal, 0 elsewhere; `reward_schedule` has those of goal, hole and ice",
        "on the goal and in a hole",
    ),
    "Taxi-v4": Meaning(
        "((row * 5 + column) * 5 + passenger) * 4 + destination. Places are 0 red, 1 green, "
        "2 yellow, 3 blue; passenger 4 is in the taxi",
        ("south", "north", "east", "west", "pick the passenger up", "drop the passenger off"),
        "-1 in each step; instead, -10 if nobody can be picked up or dropped off here, and 20 for "
        "dropping the passenger off at the destination",
        "the passenger is at the destination",
    ),
    "CliffWalking-v1": Meaning(
        "The cell: row times 12, plus column",
        ("up", "right", "down", "left"),
        "-1 in each step; -100 for a step off the cliff, which leads back to the start",
        "at the goal",
    ),
    "Blackjack-v1": Meaning(
        ("sum of the player's cards", "the dealer's open card; 1 is an ace", "1: a usable ace"),
        ("stick", "hit"),
        "1 for winning, -1 for losing, 0 for a draw and for all other steps; with `natural` and "
        "without `sab`, 1.5 for winning with an ace and a ten",
        "after sticking, and when the sum is above 21",
    ),
    "NChain-v0": Meaning(
        "The link of the chain, 0 to 4",
        ("forward", "back to the first link"),
        "2 for going back, 10 for going forward on the last link, else 0; with a probability of "
        "0.2 the opposite is done",
        _NEVER,
    ),
    "Catch-v0": Meaning(
        "The board: 1 where the ball is, and in the lowest row where the paddle is; 0 elsewhere",
        ("left", "stay", "right"),
        "when the ball is down, 1 if the paddle is below it, else -1; 0 before",
        "the ball is in the lowest row",
    ),
    # --- Box2D
    "LunarLander-v3": Meaning(
        (
            "horizontal distance from the pad; 1 is the edge of the picture",
            "height above the pad",
            "horizontal velocity",
            "vertical velocity",
            "angle, rad",
            "angular velocity",
            "1: the first leg touches the ground",
            "1: the second leg touches the ground",
        ),
        ("no engine", "left engine", "main engine", "right engine"),
        "what the state's worth, -100 distance - 100 speed - 100 |angle| + 10 for each leg on the "
        "ground, has changed by; less 0.3 for the main engine and 0.03 for a side engine, at full "
        "power. Instead, -100 for a crash and for leaving, and 100 for coming to rest",
        "the lander has crashed, is at or beyond the edge of the picture, or rests",
    ),
    "BipedalWalker-v3": Meaning(
        (
            "angle of the hull, rad",
            "angular velocity of the hull",
            "horizontal velocity of the hull",
            "vertical velocity of the hull",
            *_leg(1),
            *_leg(2),
            (10, "lidar: how far the rays get, from below to ahead; 1 is nothing in reach"),
        ),
        ("motor of hip 1", "motor of knee 1", "motor of hip 2", "motor of knee 2"),
        "what 130 x / 30 - 5 |angle of the hull| has changed by, with x in Box2D's units, less "
        "0.028 |action| for each motor. Instead, -100 for a fall",
        "the hull touches the ground, the walker is left of the start, or at the end of the ground",
    ),
    "CarRacing-v3": Meaning(
        "A picture of 96 x 96 pixels from above, red, green and blue",
        ("steering: -1 is left, 1 is right", "gas", "brake"),
        "1000 / (number of tiles) for each tile of the road that is reached for the first time, "
        "less 0.1 in each step. Instead, -100 for leaving the field",
        "all tiles were reached, or the first one after `lap_complete_percent` of them; or the car "
        "has left the field",
    ),
    # --- MuJoCo
    "HalfCheetah-v5": Meaning(
        (
            "vertical displacement of the torso, m",
            "pitch of the torso, rad",
            *_angles(*_CHEETAH),
            *_ROOT_SPEEDS,
            *_speeds(*_CHEETAH),
        ),
        _torques(*_CHEETAH),
        "`forward_reward_weight` * forward velocity - `ctrl_cost_weight` * sum(action²)",
        _NEVER,
    ),
    "Hopper-v5": Meaning(
        (*_ROOT, *_angles(*_HOPPER), *_ROOT_SPEEDS, *_speeds(*_HOPPER)),
        _torques(*_HOPPER),
        "`forward_reward_weight` * forward velocity + `healthy_reward` while it is healthy - "
        "`ctrl_cost_weight` * sum(action²)",
        f"{_FALL}: the height, the pitch, or another number of the state is outside of "
        "`healthy_z_range`, `healthy_angle_range`, `healthy_state_range`",
    ),
    "Walker2d-v5": Meaning(
        (*_ROOT, *_angles(*_WALKER), *_ROOT_SPEEDS, *_speeds(*_WALKER)),
        _torques(*_WALKER),
        "`forward_reward_weight` * forward velocity + `healthy_reward` while it is healthy - "
        "`ctrl_cost_weight` * sum(action²)",
        f"{_FALL}: the height or the pitch is outside of `healthy_z_range`, `healthy_angle_range`",
    ),
    "Ant-v5": Meaning(
        (
            *_FREE,
            *_angles(*_ANT),
            *_FREE_SPEEDS,
            *_speeds(*_ANT),
            (78, "contact forces on the 13 bodies, 6 numbers each, clipped (`cfrc_ext`)"),
        ),
        _torques(*_ANT[6:], *_ANT[:6]),
        "`forward_reward_weight` * velocity of `main_body` along x + `healthy_reward` while it is "
        "healthy - `ctrl_cost_weight` * sum(action²) - `contact_cost_weight` * sum(forces²), with "
        "the contact forces clipped to `contact_force_range`",
        f"{_FALL}: the height is outside of `healthy_z_range`, or the state is not finite",
    ),
    "Swimmer-v5": Meaning(
        (
            "angle of the front segment, rad",
            *_angles("first joint", "second joint"),
            "velocity along x, m/s",
            "velocity along y, m/s",
            "angular velocity of the front segment, rad/s",
            *_speeds("first joint", "second joint"),
        ),
        _torques("first joint", "second joint"),
        "`forward_reward_weight` * velocity along x - `ctrl_cost_weight` * sum(action²)",
        _NEVER,
    ),
    "Reacher-v5": Meaning(
        (
            "cosine of the first link's angle",
            "cosine of the second link's angle",
            "sine of the first link's angle",
            "sine of the second link's angle",
            "x of the target, m",
            "y of the target, m",
            *_speeds("first link", "second link"),
            "x of the fingertip less that of the target, m",
            "y of the fingertip less that of the target, m",
        ),
        _torques("first joint", "second joint"),
        "-`reward_dist_weight` * distance of fingertip and target - `reward_control_weight` * "
        "sum(action²)",
        _NEVER,
    ),
    "Pusher-v5": Meaning(
        (
            *_angles(*_PUSHER),
            *_speeds(*_PUSHER),
            (3, "place of the hand, m"),
            (3, "place of the cylinder, m"),
            (3, "place of the goal, m"),
        ),
        _torques(*_PUSHER),
        "-`reward_near_weight` * distance of hand and cylinder - `reward_dist_weight` * distance "
        "of cylinder and goal - `reward_control_weight` * sum(action²)",
        _NEVER,
    ),
    "InvertedPendulum-v5": Meaning(
        (
            "position of the cart, m",
            "angle of the pole, rad; 0 is upright",
            "velocity of the cart, m/s",
            "angular velocity of the pole, rad/s",
        ),
        ("force on the cart",),
        "`healthy_reward` in each step but the last",
        "the angle is outside of [`healthy_z_min`, `healthy_z_max`], or the state is not finite",
    ),
    "InvertedDoublePendulum-v5": Meaning(
        (
            "position of the cart, m",
            "sine of the lower pole's angle; 0 is upright",
            "sine of the upper pole's angle to the lower one",
            "cosine of the lower pole's angle",
            "cosine of the upper pole's angle to the lower one",
            "velocity of the cart, clipped, m/s",
            "angular velocity of the lower pole, clipped, rad/s",
            "angular velocity of the upper pole, clipped, rad/s",
            "constraint force on the cart, clipped",
        ),
        ("force on the cart",),
        "`healthy_reward` in each step but the last - 0.01 x² - (y - 2)² - 0.001 v1² - 0.005 v2², "
        "with the tip's place (x, y) and the poles' angular velocities",
        "the tip is at or below `healthy_z_max`",
    ),
    "Humanoid-v5": Meaning(
        _HUMANOID,
        _HUMANOID_MOTORS,
        reward="`forward_reward_weight` * velocity of the centre of mass along x + "
        "`healthy_reward` while it is healthy - `ctrl_cost_weight` * sum(controls²) - "
        "`contact_cost_weight` * sum(contact forces²), clipped to `contact_cost_range`",
        end=f"{_FALL}: the height is outside of `healthy_z_range`",
    ),
    "HumanoidStandup-v5": Meaning(
        _HUMANOID,
        _HUMANOID_MOTORS,
        reward="`forward_reward_weight` * height of the torso / timestep + `healthy_reward` - "
        "`ctrl_cost_weight` * sum(controls²) - `impact_cost_weight` * sum(contact forces²), "
        "clipped to `impact_cost_range`",
        end=_NEVER,
    ),
}
