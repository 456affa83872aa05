// For snapshots of ALE's picture chip: where in a table of masks it stands, as a number.
#pragma once

namespace ale::stella {

// -1 if `mask` is not in the table.
template <class Mask, class Table>
int OffsetOf(const Mask* mask, const Table& table) {
  const auto* begin = reinterpret_cast<const Mask*>(&table);
  const auto* end = begin + sizeof(table) / sizeof(Mask);
  return mask >= begin && mask < end ? static_cast<int>(mask - begin) : -1;
}

// The inverse; `otherwise` for an offset that is not in the table.
template <class Mask, class Table>
const Mask* MaskAt(int offset, const Table& table, const Mask* otherwise) {
  const bool is_inside = offset >= 0 && offset < static_cast<int>(sizeof(table) / sizeof(Mask));
  return is_inside ? reinterpret_cast<const Mask*>(&table) + offset : otherwise;
}

}  // namespace ale::stella
