// Reads TOML: tables, and the parts that presets and scripts have in common, actions and views. Errors are InputErrors
// with file, line and column.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "app/race/lane.h"
#include "cuda/core/backend/message.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Parses a text into a table. Error messages call the file `name`.
toml::table parse_toml(const std::string& text, const std::string& name);

// Returns values by key and checks their types. Keys that have not been read by finish() are unknown. The table must
// outlive the reader.
class TableReader {
 public:
  // `name`: of the file.
  TableReader(const toml::table& table, std::string name) : table_(table), name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  // With a format and arguments: fail(node, {"{} must be a number.", key}).
  [[noreturn]] void fail(const toml::source_region& where, const Message& message) const;
  [[noreturn]] void fail(const toml::node& where, const Message& message) const { fail(where.source(), message); }
  // About the table: often a key is missing. If a misspelt one is the reason, that is the error instead.
  [[noreturn]] void fail(const Message& message) const;

  // Null if the key is missing.
  const toml::node* find(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise);
  // A list of strings; empty if the key is missing.
  std::vector<std::string> texts(const std::string& key);
  bool boolean(const std::string& key, bool otherwise);
  // Two numbers; the error message gives `example`.
  const toml::array* pair(const std::string& key, const std::string& example);
  const toml::table* subtable(const std::string& key);
  // The tables of [[key]], in order.
  std::vector<const toml::table*> subtables(const std::string& key);

  // The number at `node`.
  std::int64_t integer(const toml::node& node, const std::string& key, std::int64_t min_value,
                       std::int64_t max_value) const;
  double number(const toml::node& node, const std::string& key) const;
  // A value of the type in its ValueInfo: a number, true or false, or a choice's id.
  double value(const toml::node& node, const ValueInfo& info) const;

  // Throws for the first key that was not read.
  void finish() const;

 private:
  [[noreturn]] void fail_unknown(const std::string& key) const;

  const toml::table& table_;
  std::string name_;
  std::vector<std::string> asked_;
};

// Reads the remaining keys of the table, after those that select the kind, as the fields of an action of kind
// `kind_id`; `kind_node` is its location. Images are read relative to the file's folder.
Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info);

// Reads a table of view settings into a view and its camera; missing keys leave them unchanged. `name`: of the file.
void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, ViewSettings& view,
               Camera& camera);

// Reads the [[lane]] tables of a race; without one, there are no lanes. Their keys are those of parse_lane.
std::vector<Lane> read_lanes(TableReader& reader, const SimulationInfo& info);
// Whether `by = "time"` is given for a race with these lanes; by = "steps" is the same as no key. Without lanes, the
// key is an error.
bool read_race_by_time(TableReader& reader, const std::vector<Lane>& lanes);

}  // namespace perturb
