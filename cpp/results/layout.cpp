#include "results/layout.h"

#include <algorithm>
#include <stdexcept>

#include "threads/machine.h"

namespace envpool {

Layout::Layout(const Spec& spec, const LayoutConfig& layout_config, std::size_t rows)
    : config(layout_config), max_players(static_cast<std::size_t>(spec.max_num_players)) {
  config.several_players = max_players > 1;
  // Columns start on cache lines of their own, so that no two threads write to one for long.
  const auto add = [&](const Field& field, const char* prefix, const char* kind) {
    const std::string name = prefix + field.name;
    if (std::ranges::find(all, name, &NamedColumn::name) != all.end()) {
      throw std::invalid_argument("there are two columns " + name);
    }
    const std::string& label = labels->emplace_back(std::string(kind) + " '" + field.name + "'");
    const Column column{bytes,       field.Bytes(),    field.Elements(),
                        field.dtype, field.per_player, label.c_str()};
    const std::size_t used = column.row_bytes * rows * (field.per_player ? max_players : 1);
    bytes += RoundUp(used, kCacheLine);
    all.push_back({column, name, field.shape});
    return column;
  };
  const auto add_all = [&](const std::vector<Field>& fields, const char* prefix, const char* kind) {
    std::vector<Column> columns;
    for (const Field& field : fields) columns.push_back(add(field, prefix, kind));
    return columns;
  };
  observation = add_all(spec.observation, "obs.", "observation");
  info = add_all(spec.info, "info.", "info");
  for (const OwnColumn& own : OwnColumnTable()) {
    if (own.only_if != nullptr && !(config.*own.only_if)) continue;
    Field field = own.field;
    if (own.column == &OwnColumns::reward) field.dtype = config.reward;
    this->*own.column = add(field, "@", "the pool's column");
  }
  if (config.final_rows) {
    finals.observation = add_all(spec.observation, "final_obs.", "observation");
    finals.info = add_all(spec.info, "final_info.", "info");
  }
}

std::size_t Layout::IndexOf(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &NamedColumn::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::string known;
  for (const NamedColumn& column : all) known += (known.empty() ? "" : ", ") + column.name;
  throw std::invalid_argument("there is no column '" + std::string(name) + "', but " + known);
}

}  // namespace envpool
