#include "workers/letters.h"

#include <fcntl.h>

#include <bit>

namespace envpool {

namespace {

constexpr std::size_t kLeastRoom = 4096;  // a page, so that what is given back is whole pages

}  // namespace

LetterWriter::LetterWriter(const File& file, std::size_t num_envs)
    : file_(file),
      places_(num_envs),
      end_((file.Size() + kLeastRoom - 1) / kLeastRoom * kLeastRoom) {}

Letter LetterWriter::Write(std::size_t env, const std::string& bytes) {
  Place& place = places_[env];
  if (bytes.size() > place.room) {
    // The memory is given back; if the system does not do that, it is only memory.
    if (place.room > 0) {
      static_cast<void>(fallocate(file_.Descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  static_cast<off_t>(place.offset),
                                  static_cast<off_t>(place.room)));
    }
    place = {end_, std::max(kLeastRoom, std::bit_ceil(bytes.size()))};
    end_ += place.room;
  }
  file_.Write(bytes, place.offset);
  return {place.offset, bytes.size()};
}

}  // namespace envpool
