#include "vizdoom/settings.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "vizdoom/names.h"

namespace envpool::vizdoom {

namespace {

constexpr const char* kRewards = "reward_config";
constexpr const char* kWeapons = "selected_weapon_reward_config";
constexpr const char* kDeltas = "delta_button_config";
constexpr int kMostDeltas = 1000;

struct Entry {
  std::string name;
  std::vector<double> numbers;
};

[[noreturn]] void Refuse(const std::string& option, const std::string& what) {
  throw std::invalid_argument(option + " has " + what);
}

double ToNumber(const std::string& option, const std::string& name, std::string_view text) {
  double number = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && stop == text.data() + text.size();
  if (!is_number || !std::isfinite(number)) {
    Refuse(option, "'" + std::string(text) + "' for " + name + ", expected a number");
  }
  return number;
}

std::vector<Entry> EntriesOf(const Options& options, const std::string& option, std::size_t count) {
  std::vector<Entry> entries;
  for (const std::string& text : options.Get<std::vector<std::string>>(option)) {
    const std::size_t sign = text.find('=');
    Entry entry = {.name = text.substr(0, sign), .numbers = {}};
    std::string_view rest =
        sign == std::string::npos ? "" : std::string_view(text).substr(sign + 1);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      entry.numbers.push_back(ToNumber(option, entry.name, rest.substr(0, comma)));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    if (entry.numbers.size() != count) {
      Refuse(option, std::to_string(entry.numbers.size()) + " numbers for " + entry.name +
                         ", expected " + std::to_string(count));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

float Number(const Entry& entry, std::size_t i) { return static_cast<float>(entry.numbers[i]); }

}  // namespace

std::map<Variable, Worth> WorthsOf(const Options& options) {
  std::map<Variable, Worth> worths;
  for (const Entry& entry : EntriesOf(options, kRewards, 2)) {
    const auto variable = FindVariable(entry.name);
    if (!variable) Refuse(kRewards, "'" + entry.name + "', which is no game variable");
    worths[*variable] = {.up = Number(entry, 0), .down = Number(entry, 1)};
  }
  return worths;
}

std::map<int, float> WeaponsOf(const Options& options) {
  std::map<int, float> weapons;
  for (const Entry& entry : EntriesOf(options, kWeapons, 1)) {
    const double weapon = ToNumber(kWeapons, "a weapon", entry.name);
    if (!(weapon >= 0 && weapon < kNumWeapons && weapon == std::floor(weapon)))
      Refuse(kWeapons, "a weapon " + entry.name + ", expected 0 to 9");
    weapons[static_cast<int>(weapon)] = Number(entry, 0);
  }
  return weapons;
}

std::map<Button, DeltaValues> DeltasOf(const Options& options) {
  std::map<Button, DeltaValues> deltas;
  for (const Entry& entry : EntriesOf(options, kDeltas, 3)) {
    const auto button = FindButton(entry.name);
    if (!button || !IsDelta(*button)) {
      Refuse(kDeltas, "'" + entry.name + "', which is no button of mouse-like movement");
    }
    const double count = entry.numbers[0];
    if (!(count >= 1 && count <= kMostDeltas && count == std::floor(count))) {
      Refuse(kDeltas, "another number of values for " + entry.name + " than 1 to " +
                          std::to_string(kMostDeltas));
    }
    deltas[*button] = {.count = static_cast<int>(entry.numbers[0]),
                       .low = Number(entry, 1),
                       .high = Number(entry, 2)};
  }
  return deltas;
}

std::vector<OptionSpec> DictOptions() {
  using Texts = std::vector<std::string>;
  const Texts rewards = {"FRAGCOUNT=1,-1.5",         "KILLCOUNT=1,0",
                         "DEATHCOUNT=-0.75,0.75",    "HITCOUNT=0.01,-0.01",
                         "DAMAGECOUNT=0.003,-0.003", "HEALTH=0.005,-0.003",
                         "ARMOR=0.005,-0.001",       "WEAPON0=0.02,-0.01",
                         "AMMO0=0.0002,-0.0001",     "WEAPON1=0.02,-0.01",
                         "AMMO1=0.0002,-0.0001",     "WEAPON2=0.02,-0.01",
                         "AMMO2=0.0002,-0.0001",     "WEAPON3=0.1,-0.05",
                         "AMMO3=0.001,-0.0005",      "WEAPON4=0.1,-0.05",
                         "AMMO4=0.001,-0.0005",      "WEAPON5=0.1,-0.05",
                         "AMMO5=0.001,-0.0005",      "WEAPON6=0.2,-0.1",
                         "AMMO6=0.002,-0.001",       "WEAPON7=0.2,-0.1",
                         "AMMO7=0.002,-0.001"};
  const Texts weapons = {"0=0.0002", "1=0.0002", "2=0.0002", "3=0.001",
                         "4=0.001",  "5=0.001",  "6=0.002",  "7=0.002"};
  return {{kRewards, rewards, "what a variable's change by one is worth, upwards and downwards"},
          {kWeapons, weapons, "what a step with a weapon in hand is worth"},
          {kDeltas, Texts(),
           "of buttons of mouse-like movement: how many values in an action, the least, the most"}};
}

}  // namespace envpool::vizdoom
