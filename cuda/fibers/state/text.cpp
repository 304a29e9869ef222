#include "cuda/fibers/state/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/csv_text.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/text_format.h"
#include "cuda/fibers/actions.h"
#include "cuda/fibers/model/core.h"
#include "cuda/fibers/model/start.h"
#include "cuda/fibers/parameters.h"

namespace perturb::fibers {

namespace {

constexpr std::array<std::string_view, 9> columns = {"time", "fiber", "x", "y", "z", "tx", "ty", "tz", "half_length"};
constexpr std::size_t time_column = 0, first_needed = 2, last_needed = 7, half_column = 8, no_column = 99;
constexpr const char* headings =
    "The first line names the columns, separated by commas, semicolons or tabs: x,y,z,tx,ty,tz and optionally "
    "half_length.";
constexpr double max_place = 1e9;

class Table {
 public:
  Table(const std::string& text, std::string name) : name_(name), rows_(text, std::move(name), true) {
    for (std::vector<CsvField> fields = rows_.next(); !fields.empty(); fields = rows_.next()) add(fields, rows_.line());
  }

  // Of the last table; 0 if it gives none.
  double time() const { return time_; }
  // After the last line.
  Placement take() {
    if (columns_.empty()) reject(1, 1, Message("The file is empty.") + headings);
    if (placement_.count() == 0) reject(rows_.line(), 1, "No fiber after the headings. Add at least one.");
    return std::move(placement_);
  }

 private:
  void add(std::vector<CsvField>& fields, int line) {
    // A spreadsheet may write empty columns next to the table.
    while (fields.back().text.empty() && (is_heading(fields) || fields.size() > columns_.size())) fields.pop_back();
    if (is_heading(fields)) {
      begin(fields, line);
      return;
    }
    if (columns_.empty()) reject(line, fields[0].column, Message("Found \"{}\".", fields[0].text) + headings);
    if (fields.size() != columns_.size())
      reject(line, fields.back().column,
             Message("{} fields, and there are {} headings. Fields end at a {}.", fields.size(), columns_.size(),
                     rows_.delimiter_name()));
    if (placement_.count() == max_fibers)
      reject(line, 1, Message("Too many fibers: at most {} are allowed.", max_fibers));
    std::array<double, columns.size()> values{};
    values[half_column] = 1;
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (columns_[k] >= first_needed || columns_[k] == time_column)
        values[columns_[k]] = number(fields[k], columns_[k], line);
    if (placement_.count() > 0 && values[time_column] != time_)
      reject(line, fields[index_of(time_column)].column,
             Message("time is {}, and {} in the line before. A table holds one time. Repeat the headings before each "
                     "other time; the last table is read.",
                     format_number(values[time_column]), format_number(time_)));
    time_ = values[time_column];
    const Vector3<double> t{values[5], values[6], values[7]};
    const double length = std::hypot(t.x, t.y, t.z);
    if (!(length > 1e-6))
      reject(line, fields[index_of(5)].column,
             Message("tx, ty, tz are not a direction: their length is {}.", format_number(length)));
    // A unit vector, up to rounding, is not changed.
    const double scale = std::abs(length - 1) > 1e-9 ? 1 / length : 1;
    placement_.add({values[2], values[3], values[4]}, {scale * t.x, scale * t.y, scale * t.z}, values[half_column]);
  }
  static bool is_heading(const std::vector<CsvField>& fields) {
    return std::any_of(fields.begin(), fields.end(), [](const CsvField& field) {
      return std::find(columns.begin(), columns.end(), field.text) != columns.end();
    });
  }
  void begin(const std::vector<CsvField>& fields, int line) {
    columns_.clear();
    placement_ = {};
    time_ = 0;
    for (const CsvField& field : fields) {
      const auto found = std::find(columns.begin(), columns.end(), field.text);
      if (found == columns.end())
        reject(line, field.column, Message("\"{}\" is not a heading.", field.text) + headings);
      const auto own = static_cast<std::size_t>(found - columns.begin());
      if (index_of(own) != no_column)
        reject(line, field.column, Message("The heading {} appears twice. Remove one.", field.text));
      columns_.push_back(own);
    }
    for (std::size_t own = first_needed; own <= last_needed; ++own)
      if (index_of(own) == no_column) reject(line, 1, Message("The heading {} is missing.", columns[own]) + headings);
  }
  std::size_t index_of(std::size_t own) const {
    const auto found = std::find(columns_.begin(), columns_.end(), own);
    return found == columns_.end() ? no_column : static_cast<std::size_t>(found - columns_.begin());
  }
  double number(const CsvField& field, std::size_t own, int line) const {
    const std::string heading(columns[own]);
    const double value = finite_number(name_, line, {rows_.number_text(field), field.column}, Message::value(heading));
    const double min_value = own == half_column   ? min_half_length
                             : own == time_column ? 0
                                                  : -max_place,
                 max_value = own == half_column ? max_half_length : max_place;
    if (value < min_value || value > max_value)
      reject(line, field.column,
             Message("{} is {}, and must be from {} to {}.", heading, format_number(value), format_number(min_value),
                     format_number(max_value)));
    return value;
  }
  [[noreturn]] void reject(int line, int column, const Message& what) const { reject_text(name_, line, column, what); }

  std::string name_;
  CsvReader rows_;
  std::vector<std::size_t> columns_;  // of each field
  Placement placement_;
  double time_ = 0;
};

void write_csv_number(std::string& text, double value) {
  text += ',';
  text += shortest_text(value);
}

}  // namespace

TextStart read_text(const std::string& text, const std::string& name, const Setup& base) {
  Table table(text, name);
  const Placement fibers = table.take();
  const std::size_t count = static_cast<std::size_t>(fibers.count());

  // Setup of the run that receives the state: a ball with room for the same number.
  double farthest = 0;
  for (const double x : fibers.position) farthest = std::max(farthest, std::abs(x));
  TextStart start;
  start.setup = base;
  start.setup.width = fibers.count();
  start.setup.height = 0;
  start.setup.actions.clear();
  for (const char* id : {"tilt", "gap", "lengths"}) start.setup.parameters.erase(id);
  start.setup.parameters["start"] = static_cast<double>(Start::cloud);
  start.setup.parameters["radius"] = std::clamp(farthest, 1.0, 1000.0);
  start.setup.parameters["min_distance"] = 0;
  start.setup.parameters["length_spread"] = 0;
  Parameters parameters;
  ParameterSet set(parameter_table(), &parameters);
  for (const auto& [id, value] : start.setup.parameters) set.set(id, value);

  State& state = start.state;
  state.simulation = "fibers";
  state.preset = base.preset;
  state.seed = base.seed;
  state.width = fibers.count();
  state.height = 1;
  for (const Parameter& p : parameter_table()) state.parameters[p.id] = p.format(p.get(&parameters));
  // It continues at its time; its steps are counted as if all had this run's length.
  state.time = table.time();
  state.steps = std::max<std::int64_t>(0, std::llround(state.time / parameters.time_step));
  state.put<double>("position", {count, 3}, "length", fibers.position);
  state.put<double>("tangent", {count, 3}, "", fibers.tangent);
  if (!fibers.half_length.empty()) state.put<double>("half_length", {count}, "length", fibers.half_length);
  state.put<double>("ring_break", {1}, "time", std::vector<double>{RingBreak::unobserved});
  return start;
}

std::string write_text(const State& state, bool) {
  const std::size_t count = static_cast<std::size_t>(state.width);
  const auto x = state.get<double>("position", {count, 3}), t = state.get<double>("tangent", {count, 3});
  const bool unequal = state.has("half_length");
  const auto half = unequal ? state.get<double>("half_length", {count}) : std::vector<double>();
  std::string text;
  for (const std::string_view heading : columns) {
    if (heading == columns[half_column] && !unequal) continue;
    if (!text.empty()) text += ',';
    text += heading;
  }
  text += '\n';
  std::string time;
  write_csv_number(time, state.time);
  for (std::size_t m = 0; m < count; ++m) {
    text.append(time, 1);
    text += ',' + std::to_string(m);
    for (std::size_t k = 3 * m; k < 3 * m + 3; ++k) write_csv_number(text, x[k]);
    for (std::size_t k = 3 * m; k < 3 * m + 3; ++k) write_csv_number(text, t[k]);
    if (unequal) write_csv_number(text, half[m]);
    text += '\n';
  }
  return text;
}

}  // namespace perturb::fibers
