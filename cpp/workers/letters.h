// Letters: bytes of any length that go with a request or a row, in a file beside the shared memory.
//
// An environment has one request at a time, and so one letter in each direction. Its place is used
// again for the next one, and another one, twice as large at least, is taken for a longer letter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "environments/choices.h"
#include "threads/machine.h"
#include "workers/file.h"

namespace envpool {

// Where in the file it is. Plain data, in shared memory.
struct Letter {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // 0: there is none
};

class LetterWriter {
 public:
  // Begins after what is in the file, of which some may not have been read: a worker that ended has
  // left it to the next one. The file outlives this.
  LetterWriter(const File& file, std::size_t num_envs)
      : file_(file), places_(num_envs), end_(RoundUp(file.Size(), kLeastRoom)) {}

  // After the environment's last letter was read. Throws std::system_error.
  Letter Write(std::size_t env, const std::string& bytes) {
    Place& place = places_[env];
    if (bytes.size() > place.room) {
      place = {end_, std::max(kLeastRoom, std::bit_ceil(bytes.size()))};
      end_ += place.room;
    }
    file_.Write(bytes, place.offset);
    return {place.offset, bytes.size()};
  }

 private:
  static constexpr std::size_t kLeastRoom = 4096;

  struct Place {
    std::size_t offset = 0;
    std::size_t room = 0;
  };

  const File& file_;
  std::vector<Place> places_;
  std::size_t end_;
};

// What an environment written in Python begins an episode with is the option of this name: the
// arguments of its reset, as a letter.
inline constexpr const char* kLetter = "letter";

inline Choice ByLetter(std::string letter) {
  auto options = std::make_shared<Options>();
  options->Set(kLetter, std::move(letter));
  return {.options = std::move(options)};
}

inline std::string ReadLetter(const File& file, const Letter& letter) {
  return file.Read(letter.size, letter.offset);
}

}  // namespace envpool
