#include "recording/record_chunk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <system_error>

#include "envpool/hash.h"

namespace envpool {

namespace {

template <class T>
void AppendColumn(std::string& bytes, const std::vector<T>& values) {
  const std::uint64_t size = values.size() * sizeof(T);
  bytes.append(reinterpret_cast<const char*>(&size), sizeof(size));
  bytes.append(reinterpret_cast<const char*>(values.data()), size);
}

// The type of one byte that has all numbers of a field, if there is one.
std::optional<DType> NarrowType(const Field& field) {
  if (IsFloat(field.dtype) || field.space == Space::kBox) return std::nullopt;
  const double low = std::ranges::min(field.low), high = std::ranges::max(field.high);
  if (low >= 0 && high <= std::numeric_limits<std::uint8_t>::max()) return DType::kUInt8;
  using Signed = std::numeric_limits<std::int8_t>;
  if (low >= Signed::min() && high <= Signed::max()) return DType::kInt8;
  return std::nullopt;
}

int Create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                              0666);  // NOLINT - the mode that all files of a user's have
  if (descriptor >= 0) return descriptor;
  throw std::system_error(errno, std::generic_category(), path);
}

std::string Bytes(std::uint64_t number) {
  char text[sizeof(number)];
  std::memcpy(text, &number, sizeof(number));
  return {text, sizeof(number)};
}

std::uint64_t NanosecondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

RecordChunk::RecordChunk(std::span<const Field> actions) {
  for (const Field& field : actions) {
    actions_.push_back({.elements = field.Elements(), .narrow = NarrowType(field)});
  }
}

bool RecordChunk::Takes(std::span<const ArrayView> actions) const {
  if (calls_ == 0) return true;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (actions_[i].sent_as != actions[i].dtype) return false;
  }
  return true;
}

void RecordChunk::Actions::Add(const ArrayView& view) {
  sent_as = view.dtype;
  const std::size_t old = values.size(), count = view.rows * elements, size = SizeOf(sent_as);
  const auto* sent = reinterpret_cast<const std::uint8_t*>(view.data);
  if (KeptAs() == sent_as) {
    values.insert(values.end(), sent, sent + count * size);
    return;
  }
  // The machines that we know have an integer's lowest byte first.
  static_assert(std::endian::native == std::endian::little);
  values.resize(old + count);
  for (std::size_t i = 0; i < count; ++i) values[old + i] = sent[i * size];
}

void RecordChunk::AddSteps(std::span<const std::int32_t> env_ids,
                           std::span<const std::int32_t> players,
                           std::span<const ArrayView> actions) {
  ++calls_;
  rows_.push_back(static_cast<std::uint32_t>(env_ids.size()));
  ids_.insert(ids_.end(), env_ids.begin(), env_ids.end());
  players_.insert(players_.end(), players.begin(), players.end());
  bytes_ += sizeof(std::uint32_t) * (1 + env_ids.size() + players.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const std::size_t before = actions_[i].values.size();
    actions_[i].Add(actions[i]);
    bytes_ += actions_[i].values.size() - before;
  }
}

void RecordChunk::AddEnd(std::int32_t env, const EpisodeEnd& end) {
  const std::uint32_t flags = std::uint32_t{end.terminated} | std::uint32_t{end.truncated} << 1U |
                              std::uint32_t{end.continues} << 2U | std::uint32_t{end.failed} << 3U;
  const RecordedEnd content{end.episode_return, end.length, flags};
  std::string bytes(reinterpret_cast<const char*>(&content), sizeof(content));
  if (end.seed) bytes += envpool::Bytes(*end.seed);
  AddEvent(env, RecordEvent::kEnd, bytes);
}

void RecordChunk::AddReset(std::int32_t env, std::optional<std::uint64_t> seed) {
  if (!seed) return AddEvent(env, RecordEvent::kReset);
  AddEvent(env, RecordEvent::kSeededReset, envpool::Bytes(*seed));
}

void RecordChunk::AddEvent(std::int32_t env, RecordEvent event, std::string_view content) {
  const auto size = static_cast<std::uint32_t>(content.size());
  events_.push_back({calls_, env, static_cast<std::uint32_t>(event), size});
  contents_.insert(contents_.end(), content.begin(), content.end());
  bytes_ += sizeof(Event) + content.size();
}

std::string RecordChunk::Encode() const {
  std::string bytes;
  AppendColumn(bytes, rows_);
  AppendColumn(bytes, ids_);
  AppendColumn(bytes, players_);
  AppendColumn(bytes, events_);
  AppendColumn(bytes, contents_);
  std::vector<DType> types;
  for (const Actions& field : actions_) {
    types.insert(types.end(), {field.sent_as, field.KeptAs()});
  }
  AppendColumn(bytes, types);
  for (const Actions& field : actions_) AppendColumn(bytes, field.values);
  return bytes;
}

RecordFile::RecordFile(const std::string& path) : descriptor_(Create(path)) {
  Write("ENVPOOL\n" + Bytes(kRecordFormat));
}

RecordFile::~RecordFile() { close(descriptor_); }

void RecordFile::Append(std::string_view content) {
  std::string checked = Bytes(NanosecondsSince1970());
  checked.append(content);
  Write(Bytes(content.size()) + Bytes(HashOfBytes(checked)) + checked);
}

void RecordFile::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace envpool
