#include "minigrid/mission.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string_view>

namespace envpool::minigrid {
namespace {

// kList has minigrid's words, then those words of BabyAI's missions that minigrid has not.
constexpr std::array<std::string_view, kBabyAIMissions.words> kList = {
    "red",    "green",    "blue",   "yellow", "purple", "grey",    "unseen", "empty",  "wall",
    "floor",  "box",      "key",    "ball",   "door",   "goal",    "agent",  "lava",   "pick",
    "avoid",  "get",      "find",   "put",    "use",    "open",    "go",     "fetch",  "reach",
    "unlock", "traverse", "up",     "the",    "a",      "at",      ",",      "square", "and",
    "then",   "to",       "of",     "rooms",  "near",   "opening", "must",   "you",    "matching",
    "end",    "hallway",  "object", "from",   "room",   "maze",    "next",   "after",  "on",
    "in",     "your",     "left",   "right",  "front",  "behind"};

// Takes the first word off a text and returns it; a comma is a word.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t length = text.starts_with(',') ? 1 : text.find_first_of(" ,");
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

void WriteWords(const std::string& mission, std::span<std::int64_t> numbers) {
  std::ranges::fill(numbers, 0);
  std::string_view text = mission;
  std::size_t count = 0;
  for (std::string_view word = TakeWord(text); !word.empty(); word = TakeWord(text)) {
    const auto* found = std::ranges::find(kList, word);
    if (found == kList.end()) {
      throw std::runtime_error("the mission '" + mission + "' has the word '" + std::string(word) +
                               "', which is not in the list of words");
    }
    if (count + 1 == numbers.size()) {
      throw std::runtime_error("the mission '" + mission +
                               "' has too many words, expected less than " +
                               std::to_string(numbers.size()));
    }
    numbers[count++] = found - kList.begin() + 1;
  }
}

void WriteLetters(const std::string& mission, std::span<std::uint8_t> ones) {
  std::ranges::fill(ones, std::uint8_t{0});
  if (mission.size() * kLetters > ones.size()) {
    throw std::runtime_error("the mission '" + mission + "' has " + std::to_string(mission.size()) +
                             " characters, expected at most " + std::to_string(kMostLetters));
  }
  for (std::size_t i = 0; i < mission.size(); ++i) {
    static constexpr std::string_view kOrder = "abcdefghijklmnopqrstuvwxyz ,";
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(mission[i])));
    const std::size_t letter = kOrder.find(lower);
    if (letter == std::string_view::npos) {
      throw std::runtime_error("the mission '" + mission +
                               "' has a character that is no letter, space or comma");
    }
    ones[i * kLetters + letter] = 1;
  }
}

}  // namespace envpool::minigrid
