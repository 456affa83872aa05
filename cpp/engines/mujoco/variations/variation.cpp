#include "mujoco/variations/variation.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace envpool::mujoco {

namespace {

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns the place of a word among those that are allowed.
template <class T, std::size_t n>
T Choose(std::string_view word, const std::array<std::string_view, n>& known) {
  for (std::size_t i = 0; i < n; ++i) {
    if (known[i] == word) return static_cast<T>(i);
  }
  throw std::invalid_argument("randomise has '" + std::string(word) + "', which is no word of it");
}

std::vector<double> ReadNumbers(std::string_view text, const std::string& name) {
  std::vector<double> numbers;
  for (const std::string_view each : SplitAt(text, ',')) {
    double number = 0.0;
    const auto [end, problem] = std::from_chars(each.data(), each.data() + each.size(), number);
    if (problem != std::errc() || end != each.data() + each.size() || !std::isfinite(number)) {
      throw std::invalid_argument("randomise '" + name + "': '" + std::string(each) +
                                  "' is no finite number");
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Variation::Variation(const mjModel& model, const std::string& text) {
  constexpr std::size_t kWords = 4;
  const std::vector<std::string_view> words = SplitAt(text, '\t');
  if (words.size() <= kWords) throw std::invalid_argument("randomise has an incomplete entry");
  const std::string name(words[0]);
  part_ = FindArray(model, "randomise", name);
  change_ = Choose<Change>(words[1], std::array<std::string_view, 3>{"add", "scale", "set"});
  is_shared_ = Choose<int>(words[2], std::array<std::string_view, 2>{"each", "shared"}) == 1;
  distribution_ = Choose<Distribution>(
      words[3], std::array<std::string_view, 4>{"uniform", "loguniform", "normal", "choice"});
  for (const std::string_view each : std::span(words).subspan(kWords)) {
    parameters_.push_back(ReadNumbers(each, name));
  }
  drawn_.resize(is_shared_ ? 1 : part_.size);
  if (distribution_ == Distribution::kChoice) return;
  if (parameters_.size() != 2) throw std::invalid_argument("randomise has an incomplete entry");
  for (const std::vector<double>& list : parameters_) {
    if (list.size() == 1 || list.size() == drawn_.size()) continue;
    throw std::invalid_argument("randomise '" + name + "' has " + std::to_string(list.size()) +
                                " numbers, expected one, or one for each of " +
                                std::to_string(drawn_.size()));
  }
}

void Variation::Draw(Random& random) {
  for (std::size_t i = 0; i < drawn_.size(); ++i) drawn_[i] = DrawOne(random, i);
}

double Variation::DrawOne(Random& random, std::size_t place) const {
  switch (distribution_) {
    case Distribution::kUniform: return random.Uniform(Parameter(0, place), Parameter(1, place));
    case Distribution::kLogUniform:
      return std::exp(random.Uniform(std::log(Parameter(0, place)), std::log(Parameter(1, place))));
    case Distribution::kNormal: return random.Normal(Parameter(0, place), Parameter(1, place));
    default: {
      const std::vector<double>& values = parameters_[0];
      return values[static_cast<std::size_t>(
          random.Choice(static_cast<std::int64_t>(values.size())))];
    }
  }
}

void Variation::Apply(mjModel& model, mjData& data) const {
  std::vector<mjtNum> numbers(part_.size);
  part_.Read(model, data, numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double drawn = drawn_[is_shared_ ? 0 : i];
    numbers[i] = change_ == Change::kSet     ? drawn
                 : change_ == Change::kScale ? numbers[i] * drawn
                                             : numbers[i] + drawn;
  }
  part_.Write(model, data, numbers.data());
}

}  // namespace envpool::mujoco
