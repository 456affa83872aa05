#include "highway/configurable_env.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace envpool::highway {

namespace {

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

bool IsSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool IsInteger(const Options& options, const std::string& name) {
  return std::ranges::any_of(options.Entries(), [&](const auto& entry) {
    return entry.first == name && std::holds_alternative<std::int64_t>(entry.second);
  });
}

}  // namespace

ConfigurableEnv::Specs ConfigurableEnv::ResetOptionsOf(const Specs& options) {
  Specs numbers;
  for (OptionSpec option : options) {
    if (option.name == "controlled_vehicles") continue;  // on which spaces depend
    if (!std::holds_alternative<std::int64_t>(option.default_value) &&
        !std::holds_alternative<double>(option.default_value) &&
        !std::holds_alternative<std::monostate>(option.default_value)) {
      continue;
    }
    option.default_value = std::monostate();
    numbers.push_back(std::move(option));
  }
  return numbers;
}

ConfigurableEnv::ConfigurableEnv(const Options& options, std::shared_ptr<const Specs> reset_options,
                                 Maker make)
    : options_(options),
      reset_options_(std::move(reset_options)),
      make_(std::move(make)),
      env_(make_(options)),
      numbers_(reset_options_->size(), kNotGiven) {}

void ConfigurableEnv::Reset(Random& random, const Options& options) {
  Numbers numbers;
  for (const OptionSpec& option : *reset_options_) {
    numbers.push_back(options.Has(option.name) ? options.Number(option.name) : kNotGiven);
  }
  Configure(numbers);
  env_->Reset(random, options);
}

void ConfigurableEnv::Configure(const Numbers& numbers) {
  if (std::ranges::equal(numbers, numbers_, IsSame)) return;
  env_ = make_(With(numbers));
  numbers_ = numbers;
}

Options ConfigurableEnv::With(const Numbers& numbers) const {
  Options options = options_;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string& name = (*reset_options_)[i].name;
    if (std::isnan(numbers[i])) continue;
    if (!IsInteger(options_, name)) {
      options.Set(name, numbers[i]);
    } else if (numbers[i] == std::floor(numbers[i])) {
      options.Set(name, static_cast<std::int64_t>(numbers[i]));
    } else {
      throw std::invalid_argument(name + " is " + Shortest(numbers[i]) + ", expected an integer");
    }
  }
  return options;
}

void ConfigurableEnv::Serialize(Archive& archive) {
  Numbers numbers = numbers_;
  archive(numbers);
  archive.Require(numbers.size() == numbers_.size(), "another number of options");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    archive.Require(std::isnan(numbers[i]) || (*reset_options_)[i].limits.Contain(numbers[i]),
                    "an option with a value that it cannot have");
  }
  Configure(numbers);
  env_->Serialize(archive);
}

}  // namespace envpool::highway
