// Taxi: fetch a passenger at one of four places and bring them to another.
//
// Follows gymnasium/envs/toy_text/taxi.py of Gymnasium 1.4, whose version 4 without rain and
// fickleness is version 3 (T. Dietterich, "Hierarchical Reinforcement Learning with the MAXQ Value
// Function Decomposition", 2000). Each reset and each step draws one number, and fickleness more.
#include <array>
#include <cstdint>
#include <string_view>

#include "envpool/family.h"
#include "envpool/toy_text/categorical.h"
#include "toy_text/checks.h"

namespace envpool::taxi {
namespace {

constexpr std::int32_t kSize = 5;
constexpr std::int32_t kPlaces = 4;
constexpr std::int32_t kInTaxi = kPlaces;
constexpr std::int32_t kStates = kSize * kSize * (kPlaces + 1) * kPlaces;
constexpr double kWay = -1.0;
constexpr double kRefused = -10.0;
constexpr double kDelivered = 20.0;

// A row of kStreets has a wall '|' or none ':' between its cells.
constexpr std::array<std::string_view, kSize> kStreets = {
    "R: | : :G",  //
    " : | : : ",  //
    " : : : : ",  //
    " | : | : ",  //
    "Y| : |B: ",
};

enum Direction : std::uint8_t { kSouth, kNorth, kEast, kWest };
constexpr std::int32_t kPickUp = 4;

// kTurns has for each direction: itself, its left and its right.
constexpr std::array<std::array<Direction, 3>, 4> kTurns = {{{kSouth, kEast, kWest},
                                                             {kNorth, kWest, kEast},
                                                             {kEast, kNorth, kSouth},
                                                             {kWest, kSouth, kNorth}}};

constexpr std::int8_t Neighbour(std::int32_t cell, Direction direction) {
  const std::int32_t row = cell / kSize;
  const std::int32_t column = cell % kSize;
  const std::string_view streets = kStreets[static_cast<std::size_t>(row)];
  const auto place = static_cast<std::size_t>(2 * column);
  switch (direction) {
    case kSouth: cell += row < kSize - 1 ? kSize : 0; break;
    case kNorth: cell -= row > 0 ? kSize : 0; break;
    case kEast: cell += column < kSize - 1 && streets[place + 1] == ':' ? 1 : 0; break;
    case kWest: cell -= column > 0 && streets[place - 1] == ':' ? 1 : 0; break;
  }
  return static_cast<std::int8_t>(cell);
}

struct Cell {
  std::array<std::int8_t, 4> neighbours{};  // in each direction; the cell itself, if it is blocked
  std::int8_t place = -1;                   // where passengers wait: its number
};

// kCells has the cells row by row.
constexpr auto kCells = [] {
  std::array<Cell, kSize * kSize> cells{};
  for (std::int32_t cell = 0; cell < kSize * kSize; ++cell) {
    for (const Direction direction : {kSouth, kNorth, kEast, kWest}) {
      cells[static_cast<std::size_t>(cell)].neighbours[direction] = Neighbour(cell, direction);
    }
  }
  std::int8_t place = 0;
  for (const std::size_t cell : {0, 4, 20, 23}) cells[cell].place = place++;
  return cells;
}();

using StateProbabilities = std::array<double, kStates>;

// A game begins in a state in which the passenger waits where they don't want to go; all of these
// are as likely. The table is made when the library is loaded: a child forked while another thread
// makes a function's static would wait for it for ever.
const Categorical<StateProbabilities> initial_states = [] {
  StateProbabilities probabilities{};
  constexpr double kCount = kSize * kSize * kPlaces * (kPlaces - 1);
  for (std::int32_t state = 0; state < kStates; ++state) {
    const std::int32_t destination = state % kPlaces;
    const std::int32_t passenger = state / kPlaces % (kPlaces + 1);
    const bool may_begin = passenger != kInTaxi && passenger != destination;
    probabilities[static_cast<std::size_t>(state)] = may_begin ? 1.0 / kCount : 0.0;
  }
  return Categorical<StateProbabilities>(probabilities);
}();

class Taxi final : public Env {
 public:
  explicit Taxi(const Options& options)
      : is_rainy_(options.Flag("is_rainy")),
        is_fickle_(options.Flag("fickle_passenger")),
        fickle_probability_(options.Number("fickle_probability")),
        rain_(RainOf(options)) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Discrete("obs", kStates)},
            .action = {Discrete("action", 6)},
            .info = {Box("prob_float32", DType::kFloat32, {}), TransitionProbability(),
                     Box("action_mask", DType::kInt8, {6}, {0}, {1})}};
  }

  void Reset(Random& random, const Options&) override {
    auto state = static_cast<std::int32_t>(initial_states.Sample(random.Unit()));
    destination_ = state % kPlaces;
    state /= kPlaces;
    passenger_ = state % (kPlaces + 1);
    cell_ = state / (kPlaces + 1);
    probability_ = 1.0;
    heading_ = kSouth;
    will_change_ = is_fickle_ && random.Unit() < fickle_probability_;
  }

  StepResult Step(const Action& action, Random& random) override {
    const double drawn = random.Unit();
    const auto chosen = action.Value<std::int32_t>();
    probability_ = 1.0;
    if (chosen == kPickUp) return PickUp();
    if (chosen > kPickUp) return DropOff();
    heading_ = static_cast<Direction>(chosen);
    const std::int32_t before = cell_;
    Drive(drawn);
    if (will_change_ && passenger_ == kInTaxi && cell_ != before) ChangeDestination(random);
    return {.reward = kWay};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int32_t>()[0] = State();
    row.Info<float>(0)[0] = static_cast<float>(probability_);
    row.Info<double>(1)[0] = probability_;
    const auto mask = row.Info<std::int8_t>(2);
    for (const Direction direction : {kSouth, kNorth, kEast, kWest}) {
      mask[direction] = Here().neighbours[direction] != cell_ ? 1 : 0;
    }
    const std::int32_t place = Here().place;
    mask[4] = place >= 0 && passenger_ == place ? 1 : 0;
    mask[5] = place >= 0 && passenger_ == kInTaxi ? 1 : 0;
  }

  void Serialize(Archive& archive) override {
    archive.Index(cell_, kCells.size());
    archive.Range(passenger_, 0, kInTaxi);
    archive.Index(destination_, kPlaces);
    archive.Range(heading_, kSouth, kWest);
    archive(will_change_, probability_);
  }

  // The taxi looks to where it was last told to go, also if it could not.
  Scene Describe() const override {
    return {{"state", {static_cast<double>(State())}},
            {"orientation", {static_cast<double>(heading_)}}};
  }

 private:
  using Rain = Categorical<std::array<double, 3>>;  // as intended, to the left, to the right

  static Rain RainOf(const Options& options) {
    const double intended = options.Number("rainy_probability");
    const double lateral = (1.0 - intended) / 2.0;
    return Rain({intended, lateral, lateral});
  }

  const Cell& Here() const { return kCells[static_cast<std::size_t>(cell_)]; }

  std::int32_t State() const {
    return (cell_ * (kPlaces + 1) + passenger_) * kPlaces + destination_;
  }

  StepResult PickUp() {
    const bool is_here = passenger_ != kInTaxi && passenger_ == Here().place;
    if (!is_here) return {.reward = kRefused};
    passenger_ = kInTaxi;
    return {.reward = kWay};
  }

  StepResult DropOff() {
    const std::int32_t place = Here().place;
    if (passenger_ != kInTaxi || place < 0) return {.reward = kRefused};
    passenger_ = place;
    if (place != destination_) return {.reward = kWay};
    return {.reward = kDelivered, .terminated = true};
  }

  // Rain pushes the taxi aside, but not where it cannot go as intended.
  void Drive(double drawn) {
    const std::size_t outcome = is_rainy_ ? rain_.Sample(drawn) : 0;
    if (is_rainy_) probability_ = rain_.Probability(outcome);
    if (Here().neighbours[heading_] == cell_) return;
    cell_ = Here().neighbours[kTurns[heading_][outcome]];
  }

  void ChangeDestination(Random& random) {
    const auto drawn = static_cast<std::int32_t>(random.Choice(kPlaces - 1));
    destination_ = drawn + (drawn >= destination_ ? 1 : 0);
    will_change_ = false;
  }

  const bool is_rainy_;
  const bool is_fickle_;
  bool will_change_ = false;  // the passenger, once they are on their way
  Direction heading_ = kSouth;
  std::int32_t cell_ = 0;         // where the taxi is
  std::int32_t passenger_ = 0;    // where they wait, or kInTaxi
  std::int32_t destination_ = 0;  // the place where they want to go
  double probability_ = 1.0;      // of the last transition
  const double fickle_probability_;
  const Rain rain_;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Taxi",
    .options = {{"is_rainy", false, "moves may go to a side"},
                {"fickle_passenger", false, "the passenger may change the destination once"},
                {"rainy_probability", 0.8, "probability of the intended move in the rain",
                 kProbability},
                {"fickle_probability", 0.3, "probability of a change in an episode", kProbability}},
    .spec = Taxi::MakeSpec,
    .create = Create<Taxi>,
    .frame_size = [](const Options&) { return FrameSize{536, 456}; },
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool::taxi
