#include "mujoco/variations/arrays.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace envpool::mujoco {

namespace {

using Arrays = std::map<std::string, ArrayType, std::less<>>;

struct Entry {
  const char* name;
  ArrayType type;  // without columns if its elements are neither mjtNum nor float
};

template <class Owner, class T>
constexpr ArrayType TypeOf(T Owner::* member, const char* rows_of, mjtSize mjModel::* rows,
                           ArrayType::Count columns) {
  ArrayType type;
  if constexpr (std::is_same_v<T, mjtNum*>) {
    type = {.rows_of = rows_of, .rows = rows, .columns = columns};
    if constexpr (std::is_same_v<Owner, mjData>) {
      type.data = member;
    } else {
      type.model = member;
    }
  } else if constexpr (std::is_same_v<Owner, mjModel> && std::is_same_v<T, float*>) {
    type = {.floats = member, .rows_of = rows_of, .rows = rows, .columns = columns};
  }
  return type;
}

#define X(type, name, nr, nc)                                            \
  {#name, TypeOf(&OWNER::name, #nr, &mjModel::nr, [](const mjModel& m) { \
     return static_cast<void>(m), static_cast<std::size_t>(nc);          \
   })},
#undef MJ_M
#define MJ_M(n) m.n

#define OWNER mjData
constexpr Entry kData[] = {MJDATA_POINTERS};
#undef OWNER
#define OWNER mjModel
constexpr Entry kModel[] = {MJMODEL_POINTERS};
#undef OWNER
#undef X

template <std::size_t size>
std::size_t Columns(const mjModel&) {
  return size;
}

#define X(kind, name, size)                                                      \
  {"opt." #name,                                                                 \
   {.option = [](mjModel& m) { return reinterpret_cast<mjtNum*>(&m.opt.name); }, \
    .columns = std::is_same_v<kind, mjtNum> ? Columns<size> : nullptr}},
#define XVEC X
constexpr Entry kOptions[] = {MJOPTION_FIELDS};
#undef XVEC
#undef X

constexpr Entry kTime[] = {
    {"time", {.scalar = [](mjData& data) { return &data.time; }, .columns = Columns<1>}}};

void Add(Arrays& arrays, std::span<const Entry> entries) {
  for (const auto& [name, type] : entries) {
    if (type.columns == nullptr) continue;
    ArrayType& array = arrays.emplace(name, type).first->second;
    const std::string_view text = name;
    array.needs_forces = text == "cacc" || text == "cfrc_int" || text == "cfrc_ext";
    array.is_input = type.model != nullptr && UseOfConstants(text).is_input;
  }
}

const Arrays& AllArrays() {
  static const Arrays kArrays = [] {
    Arrays arrays;
    Add(arrays, kData);
    Add(arrays, kModel);
    Add(arrays, kOptions);
    Add(arrays, kTime);
    return arrays;
  }();
  return kArrays;
}

// What one object of a kind has of an array.
struct Rows {
  std::size_t begin;
  std::size_t count;
};

Rows Of(int begin, int count) {
  return {static_cast<std::size_t>(std::max(begin, 0)),
          begin < 0 ? 0 : static_cast<std::size_t>(count)};
}

// The kind of objects that a number of rows counts, and which rows an object has.
struct Kind {
  mjtObj type = mjOBJ_UNKNOWN;
  Rows (*rows)(const mjModel& model, int id) = [](const mjModel&, int id) { return Of(id, 1); };
};

const Kind& KindOf(std::string_view rows_of) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"nbody", {mjOBJ_BODY}},
      {"njnt", {mjOBJ_JOINT}},
      {"ngeom", {mjOBJ_GEOM}},
      {"nsite", {mjOBJ_SITE}},
      {"nmat", {mjOBJ_MATERIAL}},
      {"ncam", {mjOBJ_CAMERA}},
      {"nlight", {mjOBJ_LIGHT}},
      {"ntendon", {mjOBJ_TENDON}},
      {"nactuator", {mjOBJ_ACTUATOR}},
      {"neq", {mjOBJ_EQUALITY}},
      {"npair", {mjOBJ_PAIR}},
      {"nkey", {mjOBJ_KEY}},
      {"nsensor", {mjOBJ_SENSOR}},
      {"nmocap", {mjOBJ_BODY, [](const mjModel& m, int id) { return Of(m.body_mocapid[id], 1); }}},
      {"nsensordata",
       {mjOBJ_SENSOR,
        [](const mjModel& m, int id) { return Of(m.sensor_adr[id], m.sensor_dim[id]); }}},
      {"nu",
       {mjOBJ_ACTUATOR, [](const mjModel& m,
                           int id) { return Of(m.actuator_ctrladr[id], m.actuator_ctrlnum[id]); }}},
      {"nout",
       {mjOBJ_ACTUATOR,
        [](const mjModel& m, int id) { return Of(m.actuator_outadr[id], m.actuator_outnum[id]); }}},
      {"na",
       {mjOBJ_ACTUATOR,
        [](const mjModel& m, int id) { return Of(m.actuator_actadr[id], m.actuator_actnum[id]); }}},
      {"nq",
       {mjOBJ_JOINT,
        [](const mjModel& m, int id) {
          constexpr int kNumbers[] = {7, 4, 1, 1};  // free, ball, slide, hinge
          return Of(m.jnt_qposadr[id], kNumbers[m.jnt_type[id]]);
        }}},
      {"nv",
       {mjOBJ_JOINT,
        [](const mjModel& m, int id) {
          constexpr int kNumbers[] = {6, 3, 1, 1};
          return Of(m.jnt_dofadr[id], kNumbers[m.jnt_type[id]]);
        }}},
  };
  static const Kind kNone;
  const auto found = kKinds.find(rows_of);
  return found == kKinds.end() ? kNone : found->second;
}

// How many letters are to be changed to make one text of the other.
std::size_t Distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

// Names the most similar text, or else some of them.
std::string Hint(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return ", which has none";
  const auto nearest = std::ranges::min_element(
      known, {}, [&name](const std::string& each) { return Distance(name, each); });
  if (Distance(name, *nearest) <= 1 + name.size() / 3) return ", did you mean '" + *nearest + "'?";
  constexpr std::size_t kMost = 20;
  std::string text;
  for (const std::string& each : known) {
    if (&each - known.data() == kMost) return text + ", ...";
    text.append(text.empty() ? ", expected one of " : ", ").append("'" + each + "'");
  }
  return text;
}

std::vector<std::string> NamesOf(const mjModel& model, mjtObj type) {
  std::vector<std::string> names;
  for (int id = 0; id < static_cast<int>(model.nnames_map); ++id) {  // there are no more
    if (const char* name = mj_id2name(&model, type, id)) names.emplace_back(name);
  }
  return names;
}

// A name's parts.
struct ArrayName {
  std::string array;
  std::optional<std::string> object;
  std::optional<std::string> slice;
};

ArrayName Split(std::string name) {
  ArrayName parts;
  if (name.ends_with(']')) {
    if (const std::size_t bracket = name.rfind('['); bracket != std::string::npos) {
      parts.slice = name.substr(bracket + 1, name.size() - bracket - 2);
      name.resize(bracket);
    }
  }
  if (const std::size_t colon = name.find(':'); colon != std::string::npos) {
    parts.object = name.substr(colon + 1);
    name.resize(colon);
  }
  parts.array = name;
  return parts;
}

// Reads one end of a slice, counted from the end if it is negative. Returns false if it is none.
bool ReadEnd(std::string_view text, std::size_t size, std::size_t& end) {
  if (text.empty()) return true;
  std::ptrdiff_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || rest != text.data() + text.size()) return false;
  const auto most = static_cast<std::ptrdiff_t>(size);
  if (number < 0) number += most;
  if (number < 0 || number > most) return false;
  end = static_cast<std::size_t>(number);
  return true;
}

void Cut(ArrayPart& part, const std::string& slice, const std::string& message) {
  std::size_t first = 0;
  std::size_t last = part.size;
  const std::size_t colon = slice.find(':');
  const bool is_one = colon == std::string::npos;
  const bool is_read = is_one ? !slice.empty() && ReadEnd(slice, part.size, first)
                              : ReadEnd(slice.substr(0, colon), part.size, first) &&
                                    ReadEnd(slice.substr(colon + 1), part.size, last);
  if (is_one) last = first + 1;
  if (!is_read || first >= last || last > part.size) {
    throw std::invalid_argument(message + "[" + slice + "] is no slice of its " +
                                std::to_string(part.size) + " numbers");
  }
  part.begin += first;
  part.size = last - first;
  part.shape = is_one ? std::vector<int>{} : std::vector<int>{static_cast<int>(part.size)};
}

// The shape of some rows: without the axes that have only one element, unless it is the first one
// and to be kept.
std::vector<int> ShapeOf(std::size_t rows, std::size_t columns, bool keeps_first) {
  std::vector<int> shape;
  if (keeps_first || rows != 1) shape.push_back(static_cast<int>(rows));
  if (columns != 1) shape.push_back(static_cast<int>(columns));
  return shape;
}

// Where an array of mjtNum is.
mjtNum* Numbers(const ArrayType& array, mjModel& model, mjData& data) {
  return array.data != nullptr     ? data.*array.data
         : array.model != nullptr  ? model.*array.model
         : array.option != nullptr ? array.option(model)
                                   : array.scalar(data);
}

}  // namespace

void ArrayPart::Read(const mjModel& model, const mjData& data, mjtNum* out) const {
  if (array->floats != nullptr) {
    std::copy_n(model.*array->floats + begin, size, out);
  } else {
    auto& owner = const_cast<mjModel&>(model);
    std::copy_n(Numbers(*array, owner, const_cast<mjData&>(data)) + begin, size, out);
  }
}

void ArrayPart::Write(mjModel& model, mjData& data, const mjtNum* numbers) const {
  if (array->floats == nullptr) {
    std::copy_n(numbers, size, Numbers(*array, model, data) + begin);
  } else {
    std::transform(numbers, numbers + size, model.*array->floats + begin,
                   [](mjtNum number) { return static_cast<float>(number); });
  }
}

ConstantsUse UseOfConstants(std::string_view name) {
  static const std::map<std::string_view, ConstantsUse> kUses = [] {
    std::map<std::string_view, ConstantsUse> uses;
    const auto add = [&uses](const char* array, std::initializer_list<int> groups) {
      const auto* first = std::ranges::find_if(groups, [](int use) { return use != 0; });
      const auto writes = [](int use) { return (use & mjSC_OUT) != 0; };
      uses[array] = {.is_input = first != groups.end() && (*first & mjSC_IN) != 0,
                     .is_output = std::ranges::any_of(groups, writes)};
    };
#define X(name, ...) add(#name, {__VA_ARGS__});
    MJSETCONST_ARRAYS
#undef X
    return uses;
  }();
  const auto found = kUses.find(name);
  return found == kUses.end() ? ConstantsUse{} : found->second;
}

std::string NameOf(const ArrayType& array) {
  const auto is_it = [&array](const auto& each) { return &each.second == &array; };
  return std::ranges::find_if(AllArrays(), is_it)->first;
}

std::vector<std::string> NamesOfChangeableArrays() {
  std::vector<std::string> names = {"qpos",      "qvel",       "act",          "ctrl",
                                    "mocap_pos", "mocap_quat", "qfrc_applied", "xfrc_applied"};
  for (const auto& [name, array] : AllArrays()) {
    if (array.IsOfModel()) names.push_back(name);
  }
  return names;
}

ArrayPart FindArray(const mjModel& model, const std::string& what, const std::string& name) {
  const ArrayName parts = Split(name);
  const std::string message = what + " '" + name + "': ";
  const auto found = AllArrays().find(parts.array);
  if (found == AllArrays().end()) {
    std::vector<std::string> known;
    for (const auto& [each, type] : AllArrays()) known.push_back(each);
    throw std::invalid_argument(message + "there is no array '" + parts.array +
                                "' of floats in mjData, mjModel or mjOption" +
                                Hint(parts.array, known));
  }
  const ArrayType& array = found->second;
  const std::size_t columns = array.columns(model);
  Rows rows{0, array.Rows(model)};
  if (parts.object) {
    const Kind& kind = KindOf(array.rows_of);
    if (kind.type == mjOBJ_UNKNOWN) {
      throw std::invalid_argument(message + parts.array + " has no rows with names");
    }
    const std::string type = mju_type2Str(kind.type);
    const int id = mj_name2id(&model, kind.type, parts.object->c_str());
    if (id < 0) {
      throw std::invalid_argument(message + "there is no " + type + " '" + *parts.object +
                                  "' in the model" +
                                  Hint(*parts.object, NamesOf(model, kind.type)));
    }
    rows = kind.rows(model, id);
    if (rows.count == 0) {
      throw std::invalid_argument(message + "the " + type + " has no numbers in " + parts.array);
    }
  }
  const bool keeps_axis = !parts.object && !array.rows_of.empty();
  ArrayPart part{&array, rows.begin * columns, rows.count * columns,
                 ShapeOf(rows.count, columns, keeps_axis)};
  if (parts.slice) Cut(part, *parts.slice, message);
  return part;
}

}  // namespace envpool::mujoco
