// Transfer: what goes from XLA's buffers to a pool and back, checked and converted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "environments/action_store.h"
#include "envpool/field.h"
#include "results/layout.h"
#include "xla/abi.h"

namespace envpool::xla {

// Throws std::invalid_argument if it has a type that no pool has.
std::size_t BytesOf(const Buffer& buffer);

// All that read throw std::invalid_argument, with the argument's name, if the buffer has another
// type or shape than they expect.

ArrayView ReadAction(const Buffer& buffer, const Field& field);
std::span<const std::int32_t> ReadIds(const Buffer& buffer);
std::span<const bool> ReadMask(const Buffer& buffer, std::size_t num_envs);

// The seeds of these environments: the number s in `buffer` means s + id, and an array has those of
// all `num_envs`. Throws std::invalid_argument for what is negative or has more than `most_bits`
// bits, too.
std::vector<std::optional<std::uint64_t>> ReadSeeds(const Buffer& buffer,
                                                    std::span<const std::int32_t> env_ids,
                                                    std::size_t num_envs, int most_bits);

// Checks that `buffer` can take `rows` rows of the column.
void CheckResult(const Buffer& buffer, const NamedColumn& column, std::size_t rows);

// Copies them there, from a batch's block. XLA has no 64-bit numbers unless it is told to: then
// they are made 32-bit ones. Throws std::range_error for an integer that does not fit.
void WriteResult(const Buffer& buffer, const NamedColumn& column, const std::byte* block,
                 std::size_t rows);

}  // namespace envpool::xla
