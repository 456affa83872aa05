// Archive: writes an environment's state to bytes, or reads it back.
//
// An environment lists its fields once, and the same list serves both ways:
//
//   void Serialize(Archive& archive) override {
//     archive(x_, x_dot_, is_awake_, name_);  // whose values are all as good as each other
//     archive.Index(cell_, kCells);
//     archive.Range(heading_, kSouth, kWest);
//   }
//
// The bytes may be anybody's. So an integer or an enum does not compile without the values that it
// may have. A field never gets another one, but may keep its old one if a reader throws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace envpool {

// Readers throw std::invalid_argument when the bytes come to an end, or a value is not allowed.
class Archive {
 public:
  // Appends to `bytes`, which must outlive the archive.
  static Archive Writer(std::string& bytes) { return Archive(&bytes, {}); }

  // Reads `bytes` from the beginning.
  static Archive Reader(std::string_view bytes) { return Archive(nullptr, bytes); }

  // True if the archive reads: for state that is not a field, such as an engine's, which is to be
  // rebuilt after reading.
  bool IsReader() const { return written_ == nullptr; }

  // Transfers float, double (NaN and infinities included: simulations get there by themselves),
  // bool, strings, classes that have a Serialize(Archive&) of their own, and arrays, vectors and
  // spans of any of these. A vector becomes as long as the written one was; a span, which has no
  // length in the bytes, stays as long as it is.
  template <class... T>
  void operator()(T&&... fields) {
    (Transfer(fields), ...);
  }

  // The functions below take numbers, enums, and arrays, vectors and spans of them.

  // Transfers 0 <= field < size, as of a place in an array.
  template <class T>
  void Index(T&& field, std::type_identity_t<std::size_t> size) {
    TransferIf(field, [size](auto value) {
      return std::cmp_greater_equal(value, 0) && std::cmp_less(value, size);
    });
  }

  // Transfers low <= field <= high.
  template <class T, class Low, class High>
  void Range(T&& field, Low low, High high) {
    TransferIf(field, [low, high](auto value) {
      using Value = decltype(value);
      return value >= static_cast<Value>(low) && value <= static_cast<Value>(high);
    });
  }

  // Transfers integers that only ever count up: not negative, and far from where they would
  // overflow.
  template <class... T>
  void Count(T&&... fields) {
    const auto is_count = [](auto value) {
      return value >= 0 && value <= std::numeric_limits<decltype(value)>::max() / 2;
    };
    (TransferIf(fields, is_count), ...);
  }

  // Transfers integers of which every value is as good as another: seeds, pixels, but no place in
  // an array.
  template <class... T>
  void Any(T&&... fields) {
    (TransferAny(fields), ...);
  }

  // Checks a reader's state beyond single fields. Throws std::invalid_argument if the condition
  // does not hold.
  void Require(bool holds, const char* what) const {
    if (IsReader() && !holds) throw std::invalid_argument(std::string("the state has ") + what);
  }

  // Returns how many bytes a reader has left.
  std::size_t Unread() const { return unread_.size(); }

 private:
  // The bytes of these types are their value. A struct's are not: some of them may be padding, or a
  // pointer.
  template <class T>
  static constexpr bool kIsReal = std::is_same_v<T, float> || std::is_same_v<T, double>;
  template <class T>
  static constexpr bool kIsBool = std::is_same_v<T, bool>;
  template <class T>
  static constexpr bool kIsInteger = std::is_integral_v<T> && !kIsBool<T>;

  template <class T>
  static constexpr bool kIsList = requires(T& field) { std::begin(field); };
  template <class T>
  static constexpr bool kIsVector = requires(T& field) { field.resize(1); };

  Archive(std::string* written, std::string_view unread) : written_(written), unread_(unread) {}

  template <class T>
  void Transfer(T& field) {
    if constexpr (requires { field.Serialize(*this); }) {
      field.Serialize(*this);
    } else if constexpr (kIsList<T>) {
      TransferItems<kIsReal<ItemOf<T>>>(field, [this](auto& item) { this->Transfer(item); });
    } else if constexpr (kIsBool<T>) {
      TransferIf(field, [](auto value) { return value <= 1; });
    } else {
      static_assert(!kIsInteger<T> && !std::is_enum_v<T>,
                    "say which values it may have: Index, Range, Count or Any");
      static_assert(kIsReal<T> || kIsInteger<T> || std::is_enum_v<T>,
                    "give this type a Serialize(Archive&)");
      Raw(&field, sizeof(field));
    }
  }

  void Transfer(std::string& text) {
    Resize(text, 1);
    Raw(text.data(), text.size());
  }

  void Transfer(std::vector<bool>& items) {
    Resize(items, 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
      bool item = items[i];
      Transfer(item);
      items[i] = item;
    }
  }

  template <class T>
  void TransferAny(T& field) {
    if constexpr (kIsList<T>) {
      TransferItems<kIsInteger<ItemOf<T>>>(field, [this](auto& item) { this->TransferAny(item); });
    } else {
      static_assert(kIsInteger<T>, "only integers can have any value");
      Raw(&field, sizeof(field));
    }
  }

  // Gives the field its value only after it was accepted.
  template <class T, class Accepts>
  void TransferIf(T& field, const Accepts& accepts) {
    if constexpr (kIsList<T>) {
      TransferItems<false>(field, [&](auto& item) { TransferIf(item, accepts); });
    } else {
      auto value = ToNumber(field);
      Raw(&value, sizeof(value));
      if (IsReader() && !accepts(value)) throw std::invalid_argument(Describe(value));
      field = static_cast<T>(value);
    }
  }

  // Returns a number of the same bytes, for types that not every byte is a value of.
  template <class T>
  static auto ToNumber(T field) {
    if constexpr (kIsBool<T>) {
      return static_cast<std::uint8_t>(field);
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::underlying_type_t<T>>(field);
    } else {
      static_assert(kIsInteger<T> || kIsReal<T>, "no number");
      return field;
    }
  }

  template <class T>
  static std::string Describe(T value) {
    return "the state has a field whose value is " + std::to_string(value);
  }

  template <class T>
  using ItemOf = std::remove_reference_t<decltype(*std::begin(std::declval<T&>()))>;

  // Transfers the items of a list, as bytes if that is what they are.
  template <bool as_bytes, class List, class TransferItem>
  void TransferItems(List& items, const TransferItem& transfer) {
    using Item = ItemOf<List>;
    constexpr bool kIsNumber = std::is_arithmetic_v<Item> || std::is_enum_v<Item>;
    if constexpr (kIsVector<List>) Resize(items, kIsNumber ? sizeof(Item) : 1);
    if constexpr (as_bytes) {
      Raw(std::data(items), std::size(items) * sizeof(Item));
    } else {
      for (Item& item : items) transfer(item);
    }
  }

  // Transfers the number of elements. One that the unread bytes cannot hold is refused before any
  // memory is taken for it.
  template <class Container>
  void Resize(Container& container, std::size_t least_bytes) {
    std::uint64_t size = container.size();
    Raw(&size, sizeof(size));
    if (!IsReader()) return;
    if (size > unread_.size() / least_bytes) throw EndsTooEarly();
    container.resize(size);
  }

  void Raw(void* data, std::size_t size) {
    if (!IsReader()) {
      written_->append(static_cast<const char*>(data), size);
      return;
    }
    if (size > unread_.size()) throw EndsTooEarly();
    if (size > 0) std::memcpy(data, unread_.data(), size);
    unread_.remove_prefix(size);
  }

  static std::invalid_argument EndsTooEarly() {
    return std::invalid_argument("the state's bytes end too early");
  }

  std::string* written_;
  std::string_view unread_;
};

}  // namespace envpool
