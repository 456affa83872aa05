// Shared by the tests of recordings: reads what was written, as the headers describe it, and has
// disks that are stuck or full.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/dtype.h"
#include "envpool/hash.h"
#include "recording/record_chunk.h"

namespace envpool {

template <class T>
T TakeNumber(std::string_view& bytes) {
  if (bytes.size() < sizeof(T)) throw std::runtime_error("the bytes end within a number");
  T number;
  std::memcpy(&number, bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return number;
}

// Takes a column from the front of `bytes`.
inline std::string TakeColumn(std::string_view& bytes) {
  const auto size = TakeNumber<std::uint64_t>(bytes);
  if (bytes.size() < size) throw std::runtime_error("the bytes end within a column");
  const std::string column(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return column;
}

// All of a column's numbers.
template <class T>
std::vector<T> NumbersIn(std::string_view column) {
  std::vector<T> numbers;
  while (!column.empty()) numbers.push_back(TakeNumber<T>(column));
  return numbers;
}

// The actions of one field.
struct ReadActions {
  DType dtype;    // as they were sent
  DType kept_as;  // in the file
  std::string values;

  std::size_t Count() const { return values.size() / SizeOf(kept_as); }

  template <class T>
  std::vector<T> As() const {
    return VisitDType(kept_as, [&]<class Kept>() {
      const std::vector<Kept> kept = NumbersIn<Kept>(values);
      return std::vector<T>(kept.begin(), kept.end());
    });
  }
};

struct ReadEvent {
  std::uint32_t call;
  std::int32_t env;
  RecordEvent kind;
  std::string content;
};

// What the tests look at of a chunk as record_chunk.h has it. Calls are counted from its beginning.
struct ReadChunk {
  std::vector<std::uint32_t> rows;
  std::vector<ReadEvent> events;  // but for ends
  std::vector<ReadActions> actions;

  explicit ReadChunk(std::string_view bytes) {
    rows = NumbersIn<std::uint32_t>(TakeColumn(bytes));
    TakeColumn(bytes);  // the environments
    TakeColumn(bytes);  // the players
    const std::string columns = TakeColumn(bytes), contents = TakeColumn(bytes);
    std::size_t begin = 0;
    for (std::string_view rest = columns; !rest.empty();) {
      ReadEvent event{TakeNumber<std::uint32_t>(rest), TakeNumber<std::int32_t>(rest),
                      static_cast<RecordEvent>(TakeNumber<std::uint32_t>(rest)),
                      contents.substr(begin, TakeNumber<std::uint32_t>(rest))};
      begin += event.content.size();
      if (event.kind != RecordEvent::kEnd) events.push_back(std::move(event));
    }
    EXPECT_EQ(begin, contents.size());
    const std::string types = TakeColumn(bytes);
    for (std::string_view rest = types; !rest.empty();) {
      const auto sent_as = TakeNumber<DType>(rest), kept_as = TakeNumber<DType>(rest);
      actions.push_back({sent_as, kept_as, TakeColumn(bytes)});
    }
    EXPECT_TRUE(bytes.empty());
  }
};

// A path of this test's own, where nothing is.
inline std::string FreshPath() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string path = testing::TempDir() + "envpool_" + std::to_string(getpid()) + "_";
  path.append(test.name());
  std::remove(path.c_str());
  return path;
}

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The contents of the whole chunks at the front of `bytes`.
inline std::vector<std::string> Contents(std::string_view bytes) {
  std::vector<std::string> contents;
  while (bytes.size() >= 16) {
    const auto size = TakeNumber<std::uint64_t>(bytes);
    const auto checksum = TakeNumber<std::uint64_t>(bytes);
    if (bytes.size() < 8 + size) break;
    const std::string_view checked = bytes.substr(0, 8 + size);
    EXPECT_EQ(HashOfBytes(checked), checksum);
    contents.emplace_back(checked.substr(8));
    bytes.remove_prefix(checked.size());
  }
  return contents;
}

inline constexpr std::size_t kFileHead = 16;  // bytes, before the first chunk

inline std::vector<ReadChunk> ChunksOf(std::string_view bytes) {
  std::vector<ReadChunk> chunks;
  for (const std::string& content : Contents(bytes)) chunks.emplace_back(content);
  return chunks;
}

inline std::vector<ReadChunk> ChunksIn(const std::string& path) {
  const std::string bytes = ReadAll(path);
  EXPECT_EQ(bytes.substr(0, 8), "ENVPOOL\n");
  return ChunksOf(std::string_view(bytes).substr(kFileHead));
}

inline std::size_t CountCalls(const std::vector<ReadChunk>& chunks) {
  std::size_t calls = 0;
  for (const ReadChunk& chunk : chunks) calls += chunk.rows.size();
  return calls;
}

// This process's descriptor of an open file.
inline int DescriptorOf(const std::string& path) {
  struct stat wanted{};
  if (stat(path.c_str(), &wanted) != 0) throw std::runtime_error("there is no " + path);
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    struct stat found{};
    if (fstat(descriptor, &found) != 0) continue;
    if (found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino) return descriptor;
  }
  throw std::runtime_error("nobody has opened " + path);
}

// From now on, all that is written to this open file fails as on a full disk.
inline void FillDiskOf(const std::string& path) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0 || dup2(full, DescriptorOf(path)) < 0) throw std::runtime_error("no /dev/full");
  close(full);
}

// A disk that does not take what is written, until it is released. It outlives who writes.
class StuckDisk {
 public:
  StuckDisk() {
    if (pipe(pipe_) != 0) throw std::runtime_error("no pipe can be made");
    fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
    const std::string bytes(1024, '\0');
    for (ssize_t size = 0; size >= 0; size = write(pipe_[1], bytes.data(), bytes.size())) {
      filling_ += static_cast<std::size_t>(size);
    }
    while (write(pipe_[1], bytes.data(), 1) == 1) ++filling_;
    fcntl(pipe_[1], F_SETFL, 0);
  }
  StuckDisk(const StuckDisk&) = delete;
  StuckDisk& operator=(const StuckDisk&) = delete;
  ~StuckDisk() {
    if (pipe_[1] >= 0) close(pipe_[1]);
    if (!reader_.joinable()) Release();
    reader_.join();
    close(pipe_[0]);
  }

  // All that is written to this open file from now on comes here.
  void Hold(const std::string& path) {
    dup2(pipe_[1], DescriptorOf(path));
    close(pipe_[1]);
    pipe_[1] = -1;
  }

  void Release() {
    reader_ = std::thread([this] {
      char bytes[4096];
      while (true) {
        const ssize_t size = read(pipe_[0], bytes, sizeof(bytes));
        if (size <= 0) return;
        written_.append(bytes, static_cast<std::size_t>(size));
      }
    });
  }

  // All that it has taken, once the file is closed.
  std::string Written() {
    reader_.join();
    reader_ = std::thread([] {});
    return written_.substr(filling_);
  }

 private:
  int pipe_[2];
  std::size_t filling_ = 0;
  std::string written_;
  std::thread reader_;
};

}  // namespace envpool
