// Guarded: an object that can only be reached with its mutex held.
//
// A function that takes a T& from here says with it that the mutex is held; no comment need say so.
#pragma once

#include <mutex>
#include <utility>

namespace envpool {

template <class T>
class Guarded {
 public:
  template <class... Arguments>
  explicit Guarded(Arguments&&... arguments) : value_{std::forward<Arguments>(arguments)...} {}

  // Holds the mutex for as long as it lives.
  class Access {
   public:
    explicit Access(Guarded& guarded) : lock_(guarded.mutex_), value_(guarded.value_) {}
    T& operator*() const { return value_; }
    T* operator->() const { return &value_; }

   private:
    std::unique_lock<std::mutex> lock_;
    T& value_;
  };

  [[nodiscard]] Access Lock() { return Access(*this); }

 private:
  std::mutex mutex_;
  T value_;
};

}  // namespace envpool
