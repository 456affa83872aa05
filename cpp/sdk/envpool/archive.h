// Archive: writes an environment's state to bytes, or reads it back.
//
// An environment lists its fields once, and the same list serves both ways:
//
//   void Serialize(Archive& archive) override { archive(x_, x_dot_, theta_, theta_dot_); }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace envpool {

class Archive {
 public:
  // Appends to `bytes`, which must outlive the archive.
  static Archive Writer(std::string& bytes) { return Archive(&bytes, {}); }

  // Reads `bytes` from the beginning.
  static Archive Reader(std::string_view bytes) { return Archive(nullptr, bytes); }

  // For state that is not a field: an engine's, say, that is to be rebuilt after reading.
  bool IsReader() const { return written_ == nullptr; }

  // Numbers, enums, strings, classes that have a Serialize(Archive&) of their own, and arrays and
  // vectors of any of these. A reader throws std::invalid_argument when the bytes come to an end.
  template <class... T>
  void operator()(T&... fields) {
    (Transfer(fields), ...);
  }

  // `size` bytes at `data`.
  void Raw(void* data, std::size_t size) {
    if (!IsReader()) {
      written_->append(static_cast<const char*>(data), size);
      return;
    }
    if (size > unread_.size()) throw std::invalid_argument("the state's bytes end too early");
    if (size > 0) std::memcpy(data, unread_.data(), size);
    unread_.remove_prefix(size);
  }

  // How much a reader has left.
  std::size_t Unread() const { return unread_.size(); }

 private:
  // Their bytes are their value. A struct's are not: some of them may be padding, or a pointer.
  template <class T>
  static constexpr bool kIsPlain = std::is_integral_v<T> || std::is_enum_v<T> ||
                                   std::is_same_v<T, float> || std::is_same_v<T, double>;

  Archive(std::string* written, std::string_view unread) : written_(written), unread_(unread) {}

  template <class T>
  void Transfer(T& field) {
    if constexpr (requires { field.Serialize(*this); }) {
      field.Serialize(*this);
    } else {
      static_assert(kIsPlain<T>, "give this type a Serialize(Archive&)");
      Raw(&field, sizeof(field));
    }
  }

  void Transfer(std::string& text) {
    Resize(text, 1);
    Raw(text.data(), text.size());
  }

  template <class T>
  void Transfer(std::vector<T>& items) {
    Resize(items, kIsPlain<T> ? sizeof(T) : 1);
    TransferItems(items.data(), items.size());
  }

  void Transfer(std::vector<bool>& items) {
    Resize(items, 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
      bool item = items[i];
      Transfer(item);
      items[i] = item;
    }
  }

  template <class T, std::size_t size>
  void Transfer(std::array<T, size>& items) {
    TransferItems(items.data(), size);
  }

  template <class T, std::size_t size>
  void Transfer(T (&items)[size]) {
    TransferItems(items, size);
  }

  template <class T>
  void TransferItems(T* items, std::size_t count) {
    if constexpr (kIsPlain<T>) {
      Raw(items, count * sizeof(T));
    } else {
      for (std::size_t i = 0; i < count; ++i) Transfer(items[i]);
    }
  }

  // Transfers the number of elements. One that the unread bytes cannot hold is refused before any
  // memory is taken for it.
  template <class Container>
  void Resize(Container& container, std::size_t least_bytes) {
    std::uint64_t size = container.size();
    Transfer(size);
    if (!IsReader()) return;
    if (size > unread_.size() / least_bytes) {
      throw std::invalid_argument("the state's bytes end too early");
    }
    container.resize(size);
  }

  std::string* written_;
  std::string_view unread_;
};

}  // namespace envpool
