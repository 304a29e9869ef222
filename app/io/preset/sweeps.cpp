#include "app/io/preset/sweeps.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "app/io/files/text_file.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/toml_reader.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

constexpr double max_count = static_cast<double>(max_sweep_runs);
constexpr std::int64_t max_steps = 9007199254740992;  // exact as double
constexpr int max_side = 1 << 30;

// The shortest of the numbers nearby: 0.1 + 2 * 0.1 becomes 0.3.
double rounded(double value) {
  double read = value;
  read_number(format_number(value, 12), read);
  return read;
}

// Reads the values that a key has, each by `read_value`.
template <class Value, class ReadValue>
std::vector<Value> read_list(const TableReader& reader, const toml::node& node, const std::string& key,
                             const ReadValue& read_value) {
  const toml::array* array = node.as_array();
  if (!array) return {read_value(node)};
  if (array->empty()) reader.fail(node, {"{} is an empty list. Name a value, or remove the line.", key});
  std::vector<Value> values;
  for (const toml::node& element : *array) {
    const Value value = read_value(element);
    if (std::find(values.begin(), values.end(), value) != values.end())
      reader.fail(element, {"{} has this value twice. Each value gives a run: remove one.", key});
    values.push_back(value);
  }
  return values;
}

class RangeReader {
 public:
  RangeReader(const toml::table& table, const std::string& name, std::string key)
      : table_(table), reader_(table, name), key_(std::move(key)) {}

  std::vector<double> read() {
    from_ = end("from");
    to_ = end("to");
    const toml::node *step = reader_.find("step"), *count = reader_.find("count");
    const std::string scale = reader_.text("scale", "linear");
    if (scale != "linear" && scale != "logarithmic")
      reader_.fail(*reader_.find("scale"), {"{}: scale must be \"linear\" or \"logarithmic\".", key_});
    if ((step != nullptr) == (count != nullptr))
      reader_.fail(
          {"{}: a range needs either step or count, such as {} = { from = 1, to = 2, step = 0.5 }.", key_, key_});
    reader_.finish();
    if (count) return by_count(*count, scale == "logarithmic");
    if (scale == "logarithmic")
      reader_.fail(*step, {"{}: a logarithmic range has no step. Give count, the number of its values.", key_});
    return by_step(*step);
  }

 private:
  double end(const std::string& which) {
    const toml::node* node = reader_.find(which);
    if (!node)
      reader_.fail({"{}: a range needs from and to, such as {} = { from = 1, to = 2, step = 0.5 }.", key_, key_});
    return finite(*node, which);
  }
  double finite(const toml::node& node, const std::string& which) const {
    const double value = reader_.number(node, which);
    if (!std::isfinite(value)) reader_.fail(node, {"{} must be a number.", which});
    return value;
  }

  std::vector<double> by_step(const toml::node& node) const {
    constexpr double part_of_step = 1e-6;
    const double step = finite(node, "step");
    if (step == 0)
      reader_.fail(node, {"{}: step cannot be 0. Give a step that leads from {} to {}.", key_, format_number(from_),
                          format_number(to_)});
    const double steps = (to_ - from_) / step;
    if (steps < 0)
      reader_.fail(node, {"{}: a step of {} does not lead from {} to {}. Change its sign.", key_, format_number(step),
                          format_number(from_), format_number(to_)});
    if (steps >= max_count)
      reader_.fail(node, {"{}: the range has more than {} values. Choose a larger step.", key_, max_sweep_runs});
    const auto last = static_cast<int>(std::floor(steps + part_of_step));
    std::vector<double> values = {from_};
    for (int k = 1; k <= last; ++k) values.push_back(rounded(from_ + k * step));
    if (last > 0 && std::abs(steps - last) <= part_of_step) values.back() = to_;
    return values;
  }

  std::vector<double> by_count(const toml::node& node, bool logarithmic) const {
    const auto count = static_cast<int>(reader_.integer(node, "count", 2, static_cast<std::int64_t>(max_sweep_runs)));
    if (from_ == to_) reader_.fail(node, {"{}: from and to are equal. Give one value instead of a range.", key_});
    if (logarithmic && !(from_ > 0 && to_ > 0))
      reader_.fail(table_, {"{}: a logarithmic range needs from and to above 0.", key_});
    std::vector<double> values = {from_};
    for (int k = 1; k < count - 1; ++k) {
      const double share = static_cast<double>(k) / (count - 1);
      values.push_back(rounded(logarithmic ? from_ * std::pow(to_ / from_, share) : from_ + share * (to_ - from_)));
    }
    values.push_back(to_);
    return values;
  }

  const toml::table& table_;
  TableReader reader_;
  std::string key_;
  double from_ = 0, to_ = 0;
};

std::vector<double> read_values(const TableReader& reader, const toml::node& node, const Parameter& parameter) {
  const toml::table* range = node.as_table();
  if (!range)
    return read_list<double>(reader, node, parameter.id,
                             [&](const toml::node& one) { return reader.value(one, parameter); });
  if (parameter.kind != ValueKind::real && parameter.kind != ValueKind::integer)
    reader.fail(node, {"{} has no range. Give a list of values.", parameter.id});
  std::vector<double> values = RangeReader(*range, reader.name(), parameter.id).read();
  for (const double value : values) {
    try {
      parameter.check(value);
    } catch (const InputError& error) {
      reader.fail(node, error.message());
    }
  }
  return values;
}

std::vector<SweepParameter> read_parameters(const toml::table& table, const std::string& name,
                                            const SimulationInfo& info) {
  TableReader reader(table, name);
  std::vector<std::pair<toml::source_position, SweepParameter>> read;
  for (const auto& entry : table) {
    const std::string id(static_cast<std::string_view>(entry.first));
    const toml::node& node = *reader.find(id);
    const Parameter* parameter = find_parameter(info.parameters, id);
    if (!parameter)
      reader.fail(node,
                  {"There is no parameter \"{}\" in {}{}", id, info.id,
                   did_you_mean(id, ids_of(info.parameters), Message(". \"perturb list {}\" lists them.", info.id))});
    read.push_back({node.source().begin, {parameter->id, read_values(reader, node, *parameter)}});
  }
  // The table is sorted by key.
  std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<SweepParameter> parameters;
  for (auto& [position, parameter] : read) parameters.push_back(std::move(parameter));
  return parameters;
}

GridSize read_size(const TableReader& reader, const toml::node& node) {
  constexpr const char* must = "size must be a text such as size = \"256x128\", or a list of such texts.";
  const auto* text = node.as_string();
  if (!text) reader.fail(node, must);
  const std::size_t cross = text->get().find('x');
  double sides[2] = {0, 0};
  if (cross == std::string::npos || !read_number(text->get().substr(0, cross), sides[0]) ||
      !read_number(text->get().substr(cross + 1), sides[1]))
    reader.fail(node, must);
  for (const double side : sides)
    if (!(side >= 1 && side <= max_side && side == std::floor(side))) reader.fail(node, must);
  return {static_cast<int>(sides[0]), static_cast<int>(sides[1])};
}

std::vector<std::uint32_t> read_seeds(const TableReader& reader, const toml::node& node) {
  constexpr std::int64_t max_seed = std::numeric_limits<std::uint32_t>::max();
  if (const auto* count = node.as_integer()) {
    if (count->get() < 1 || count->get() > static_cast<std::int64_t>(max_sweep_runs))
      reader.fail(node,
                  {"seeds must be the number of seeds, from 1 to {}, or a list of seeds: seeds = 3 is the same as "
                   "seeds = [1, 2, 3].",
                   max_sweep_runs});
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(count->get()); ++seed) seeds.push_back(seed);
    return seeds;
  }
  return read_list<std::uint32_t>(reader, node, "seeds", [&](const toml::node& one) {
    return static_cast<std::uint32_t>(reader.integer(one, "seeds", 0, max_seed));
  });
}

RecordSettings read_record(const toml::table& table, const std::string& name, std::int64_t steps) {
  TableReader reader(table, name);
  RecordSettings record;
  record.numbers = reader.texts("numbers");
  if (const toml::node* numbers = reader.find("numbers"); numbers && record.numbers.empty())
    reader.fail(*numbers, {"{} is an empty list. Name a value, or remove the line.", "numbers"});
  if (const toml::node* every = reader.find("every")) record.every = reader.integer(*every, "every", 1, steps);
  if (const toml::node* from = reader.find("from")) {
    record.from = reader.integer(*from, "from", 0, steps);
    if (record.every == 0) reader.fail(*from, "from needs every, the number of steps between samples. Add it.");
  }
  reader.finish();
  return record;
}

// As a user would name it for `perturb run` in this folder.
std::string scene_beside(const std::string& file, const std::string& scene) {
  namespace fs = std::filesystem;
  return scene.ends_with(".toml") && fs::path(scene).is_relative() ? (fs::path(file).parent_path() / scene).string()
                                                                   : scene;
}

}  // namespace

std::size_t Sweep::count() const {
  std::size_t all = std::max<std::size_t>(1, sizes.size()) * std::max<std::size_t>(1, seeds.size());
  for (const SweepParameter& parameter : parameters) all *= parameter.values.size();
  return all;
}

SweepRun Sweep::run(std::size_t index) const {
  SweepRun run;
  const auto take = [&](const auto& values) {
    const auto& value = values[index % values.size()];
    index /= values.size();
    return value;
  };
  if (!seeds.empty()) run.seed = take(seeds);
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter)
    run.parameters.push_back({parameter->id, take(parameter->values)});
  std::reverse(run.parameters.begin(), run.parameters.end());
  if (!sizes.empty()) run.size = take(sizes);
  return run;
}

Sweep load_sweep(const std::string& path) {
  const toml::table table = parse_toml(read_text_file(path, "sweep file"), path);
  TableReader reader(table, path);
  Sweep sweep;
  const toml::node* scene = reader.find("scene");
  const toml::node *steps = reader.find("steps"), *size = reader.find("size"), *seeds = reader.find("seeds"),
                   *kernel = reader.find("kernel");
  const toml::table *parameters = reader.subtable("parameters"), *record = reader.subtable("record");
  if (!scene) reader.fail("a sweep needs a scene, such as scene = \"wave/rain\".");
  if (!steps) reader.fail("a sweep needs the number of steps of each run, such as steps = 2000.");
  reader.finish();

  sweep.scene_name = scene_beside(path, reader.text("scene", ""));
  try {
    sweep.scene = load_scene(sweep.scene_name);
  } catch (const InputError& error) {
    reader.fail(*scene, error.message());
  }
  const SimulationInfo& info = find_simulation(sweep.scene.setup.simulation);
  if (!sweep.scene.lanes.empty()) reader.fail(*scene, "A sweep runs no races. Name a scene without lanes.");
  sweep.steps = reader.integer(*steps, "steps", 1, max_steps);
  if (kernel) {
    sweep.kernel = reader.text("kernel", "");
    try {
      if (sweep.kernel != "auto") kernel_index(info, sweep.kernel);
    } catch (const InputError& error) {
      reader.fail(*kernel, error.message());
    }
  }
  if (size) {
    // Compared as pairs: GridSize has no ==.
    const auto sides = read_list<std::pair<int, int>>(reader, *size, "size", [&](const toml::node& one) {
      const GridSize read = read_size(reader, one);
      return std::pair(read.width, read.height);
    });
    for (const auto& [width, height] : sides) sweep.sizes.push_back({width, height});
  }
  if (seeds) sweep.seeds = read_seeds(reader, *seeds);
  if (parameters) sweep.parameters = read_parameters(*parameters, path, info);
  if (record) sweep.record = read_record(*record, path, sweep.steps);

  double count = static_cast<double>(std::max<std::size_t>(1, sweep.sizes.size())) *
                 static_cast<double>(std::max<std::size_t>(1, sweep.seeds.size()));
  for (const SweepParameter& parameter : sweep.parameters) count *= static_cast<double>(parameter.values.size());
  if (count > max_count)
    reader.fail({"the sweep has {} runs; at most {} are possible. Make several sweeps of it.", format_number(count),
                 max_sweep_runs});
  return sweep;
}

}  // namespace perturb
