#include "environments/pictures.h"

#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace envpool {

namespace {

constexpr std::size_t kChannels = 3;

std::size_t BytesOf(FrameSize size, std::size_t count) {
  if (size.width < 1 || size.height < 1) {
    throw std::invalid_argument("the size of a picture is " + std::to_string(size.width) + " x " +
                                std::to_string(size.height) + ", expected at least 1 x 1");
  }
  const std::size_t picture =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * kChannels;
  if (count > std::numeric_limits<std::size_t>::max() / picture) throw std::bad_alloc();
  return count * picture;
}

}  // namespace

Pictures::Pictures(FrameSize size, std::size_t count)
    : size_(size),
      bytes_(BytesOf(size, count)),
      pixels_(std::make_unique_for_overwrite<std::uint8_t[]>(bytes_)) {}

std::span<std::uint8_t> Pictures::At(std::size_t index) {
  const std::size_t bytes = BytesOf(size_, 1);
  return All().subspan(index * bytes, bytes);
}

void LookAt(std::int32_t env_id, const std::function<void()>& look) {
  const std::string name = "environment " + std::to_string(env_id) + " was not rendered: ";
  try {
    look();
  } catch (const std::invalid_argument& refusal) {
    throw std::invalid_argument(name + refusal.what());
  } catch (const std::exception& failure) {
    throw std::runtime_error(name + failure.what());
  } catch (...) {
    throw std::runtime_error(name + "an exception that is no std::exception");
  }
}

}  // namespace envpool
