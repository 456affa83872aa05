#include "mujoco/variations/beginning.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

namespace envpool::mujoco {

namespace {

// The name of the array that an option of resets stands for, whose names have no dots.
std::string NameOfOption(std::string option) {
  constexpr std::string_view kOptions = "opt_";
  if (option.starts_with(kOptions)) option[kOptions.size() - 1] = '.';
  return option;
}

}  // namespace

Beginning::Beginning(Simulation& simulation, const Options& options)
    : simulation_(simulation),
      variations_(VariationsOf(options, simulation.Model())),
      copy_(simulation, variations_) {}

void Beginning::Draw(Random& random, const Options& reset_options) {
  for (Variation& variation : variations_) variation.Draw(random);
  given_.clear();
  for (const auto& [option, value] : reset_options.Entries()) {
    const auto& numbers = std::get<std::vector<double>>(value);
    if (!numbers.empty()) Give(NameOfOption(option), numbers);
  }
  copy_.Apply(simulation_, variations_, given_);
}

void Beginning::ChangeState() {
  auto& model = const_cast<mjModel&>(simulation_.Model());  // which is not written to
  for (const Variation& variation : variations_) {
    if (!variation.IsOfModel()) variation.Apply(model, simulation_.Data());
  }
  for (const Given& given : given_) {
    if (given.part.array->IsOfModel()) continue;
    given.part.Write(model, simulation_.Data(), given.numbers.data());
  }
}

void Beginning::Serialize(Archive& archive) {
  std::map<std::string, std::vector<double>> changed;
  const auto add = [&](const ArrayPart& part) {
    if (!part.array->IsOfModel()) return;
    const std::string name = NameOf(*part.array);
    const ArrayPart whole = FindArray(simulation_.Model(), "the state", name);
    std::vector<double>& numbers = changed[name];
    numbers.resize(whole.size);
    whole.Read(simulation_.Model(), simulation_.Data(), numbers.data());
  };
  for (const Variation& variation : variations_) add(variation.Part());
  for (const Given& given : given_) add(given.part);
  std::vector<std::string> names;
  std::vector<std::vector<double>> numbers;
  for (const auto& [name, values] : changed) {
    names.push_back(name);
    numbers.push_back(values);
  }
  archive(names, numbers);
  archive.Require(names.size() == numbers.size(), "arrays without names");
  if (!archive.IsReader()) return;
  given_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) Give(names[i], numbers[i]);
  copy_.Apply(simulation_, {}, given_);
}

// Takes the numbers of an array that a reset was given.
void Beginning::Give(const std::string& name, const std::vector<double>& numbers) {
  const ArrayPart part = FindArray(simulation_.Model(), "options", name);
  if (numbers.size() != part.size) {
    throw std::invalid_argument("options['" + name + "'] has " + std::to_string(numbers.size()) +
                                " numbers, expected " + std::to_string(part.size));
  }
  given_.push_back({part, numbers});
}

OptionSpec RandomiseOption() {
  return {"randomise", std::vector<std::string>{},
          "arrays that differ from episode to episode, and how: a dict of distributions"};
}

std::vector<Variation> VariationsOf(const Options& options, const mjModel& model) {
  std::vector<Variation> variations;
  for (const std::string& entry : options.Get<std::vector<std::string>>("randomise")) {
    variations.emplace_back(model, entry);
  }
  return variations;
}

std::vector<OptionSpec> ArraysOfResets() {
  std::vector<OptionSpec> options;
  for (std::string name : NamesOfChangeableArrays()) {
    std::ranges::replace(name, '.', '_');
    options.push_back({name, std::vector<double>{}, "what the episode begins with; []: as always"});
  }
  return options;
}

}  // namespace envpool::mujoco
