#include "executor/rendering.h"

#include <stdexcept>
#include <string>

#include "executor/visits.h"

namespace envpool {

namespace {

constexpr std::size_t kChannels = 3;

std::size_t BytesOf(FrameSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * kChannels;
}

// What a visit throws, with the environment's name in front.
template <class Visit>
void WithName(std::int32_t env_id, Visit visit) {
  const std::string name = "environment " + std::to_string(env_id) + " was not rendered: ";
  try {
    visit();
  } catch (const std::invalid_argument& refusal) {
    throw std::invalid_argument(name + refusal.what());
  } catch (const std::exception& failure) {
    throw std::runtime_error(name + failure.what());
  } catch (...) {
    throw std::runtime_error(name + "an exception that is no std::exception");
  }
}

}  // namespace

void Rendering::CheckRoom(FrameSize size, std::size_t count, std::span<const std::uint8_t> pixels) {
  if (size.width < 1 || size.height < 1) {
    throw std::invalid_argument("the size of a picture is " + std::to_string(size.width) + " x " +
                                std::to_string(size.height) + ", expected at least 1 x 1");
  }
  if (pixels.size() != count * BytesOf(size)) {
    throw std::invalid_argument("pixels: expected " + std::to_string(count) + " pictures of " +
                                std::to_string(BytesOf(size)) + " bytes");
  }
}

void Rendering::Draw(FrameSize size, int camera, std::span<std::uint8_t> pixels,
                     std::size_t most_threads, Interrupt interrupt) const {
  const std::size_t bytes = BytesOf(size);
  const auto draw = [&](Env& env, std::size_t index) {
    env.Render({size.width, size.height, camera, pixels.subspan(index * bytes, bytes)});
  };
  VisitAll(draw, most_threads, interrupt);
}

std::vector<Scene> Rendering::Describe(Interrupt interrupt) const {
  std::vector<Scene> scenes(env_ids_.size());
  const auto describe = [&](Env& env, std::size_t index) { scenes[index] = env.Describe(); };
  // A few numbers each: starting a thread would take longer.
  VisitAll(describe, 1, interrupt);
  return scenes;
}

void Rendering::VisitAll(const std::function<void(Env& env, std::size_t index)>& visit,
                         std::size_t most_threads, Interrupt interrupt) const {
  const auto visit_index = [&](std::size_t index) {
    const std::int32_t id = env_ids_[index];
    WithName(id, [&] { visit(environments_.At(id), index); });
  };
  Visits visits({.count = env_ids_.size(), .most_threads = most_threads}, visit_index, closing_);
  if (!visits.Run(interrupt)) throw std::runtime_error("the pool was closed during render()");
}

}  // namespace envpool
