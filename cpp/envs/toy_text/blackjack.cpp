// Blackjack: come nearer to 21 than the dealer, but not above it.
//
// Follows gymnasium/envs/toy_text/blackjack.py (R. Sutton, A. Barto, "Reinforcement Learning: An
// Introduction", example 5.1). A reset also draws what only a picture shows: the suit of the
// dealer's card, and which face card it is.
#include <algorithm>
#include <cstdint>

#include "envpool/family.h"
#include "toy_text/checks.h"

namespace envpool::blackjack {
namespace {

constexpr std::int32_t kMost = 21;
constexpr std::int32_t kDealerStands = 17;
constexpr int kSuits = 4;
constexpr int kFaces = 3;  // jack, queen, king

// Draws one of 13 equal cards, four of which count 10.
std::int32_t DrawCard(Random& random) {
  constexpr int kRanks = 13;
  return std::min(static_cast<std::int32_t>(random.Choice(kRanks)) + 1, 10);
}

struct Hand {
  std::int32_t hard_sum = 0;  // with aces as 1
  std::int32_t cards = 0;
  bool has_ace = false;

  void Add(std::int32_t card) {
    hard_sum += card;
    ++cards;
    has_ace = has_ace || card == 1;
  }
  bool HasUsableAce() const { return has_ace && hard_sum + 10 <= kMost; }
  std::int32_t Sum() const { return hard_sum + (HasUsableAce() ? 10 : 0); }
  bool IsBust() const { return Sum() > kMost; }
  std::int32_t Score() const { return IsBust() ? 0 : Sum(); }
  bool IsNatural() const { return cards == 2 && has_ace && hard_sum == 11; }

  void Serialize(Archive& archive) {
    archive.Count(hard_sum, cards);
    archive(has_ace);
  }
};

class Blackjack final : public Env {
 public:
  explicit Blackjack(const Options& options)
      : natural_(options.Flag("natural")), sab_(options.Flag("sab")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt32, {3}, {0}, {31})},
            .action = {Discrete("action", 2)}};
  }

  void Reset(Random& random, const Options&) override {
    dealer_card_ = DrawCard(random);
    dealer_ = Hand();
    dealer_.Add(dealer_card_);
    dealer_.Add(DrawCard(random));
    player_ = Hand();
    player_.Add(DrawCard(random));
    player_.Add(DrawCard(random));
    suit_ = static_cast<std::int32_t>(random.Choice(kSuits));
    face_ = dealer_card_ == 10 ? static_cast<std::int32_t>(random.Choice(kFaces)) : 0;
  }

  StepResult Step(const Action& action, Random& random) override {
    if (action.Value<std::int32_t>() == 0) return Stick(random);
    player_.Add(DrawCard(random));
    if (player_.IsBust()) return {.reward = -1.0, .terminated = true};
    return {};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<std::int32_t>();
    obs[0] = player_.Sum();
    obs[1] = dealer_card_;
    obs[2] = player_.HasUsableAce() ? 1 : 0;
  }

  void Serialize(Archive& archive) override {
    archive(player_, dealer_);
    archive.Range(dealer_card_, 0, 10);
    archive.Index(suit_, kSuits);
    archive.Index(face_, kFaces);
  }

  Scene Describe() const override {
    return {{"player_sum", {static_cast<double>(player_.Sum())}},
            {"usable_ace", {player_.HasUsableAce() ? 1.0 : 0.0}},
            {"dealer_card", {static_cast<double>(dealer_card_)}},
            {"dealer_suit", {static_cast<double>(suit_)}},
            {"dealer_face", {static_cast<double>(face_)}}};
  }

 private:
  StepResult Stick(Random& random) {
    while (dealer_.Sum() < kDealerStands) dealer_.Add(DrawCard(random));
    const std::int32_t lead = player_.Score() - dealer_.Score();
    double reward = lead > 0 ? 1.0 : lead < 0 ? -1.0 : 0.0;
    if (sab_ && player_.IsNatural() && !dealer_.IsNatural()) {
      reward = 1.0;
    } else if (!sab_ && natural_ && player_.IsNatural() && lead > 0) {
      reward = 1.5;
    }
    return {.reward = reward, .terminated = true};
  }

  const bool natural_;
  const bool sab_;
  Hand player_;
  Hand dealer_;
  std::int32_t dealer_card_ = 0;  // the one that is seen
  std::int32_t suit_ = 0;         // its suit: clubs, diamonds, hearts, spades
  std::int32_t face_ = 0;         // if it counts 10: jack, queen, king
};

[[maybe_unused]] const bool registered = Register({
    .name = "Blackjack",
    .options = {{"natural", false, "an ace and a ten win 1.5; without effect if sab"},
                {"sab", true, "the rules of Sutton and Barto's book"}},
    .spec = Blackjack::MakeSpec,
    .create = Create<Blackjack>,
    .frame_size = [](const Options&) { return FrameSize{384, 376}; },
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool::blackjack
