// A table of a TOML file that is being read: hands out values by key with their types checked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "cuda/core/simulation/value_info.h"

namespace perturb {

// The text as a table; `name` is what errors call the file. Throws InputError with file, line and column.
toml::table parse_toml(const std::string& text, const std::string& name);

// Throws InputError with file, line and column. What has not been asked for when it is all read is not known here.
// The table outlives it.
class TableReader {
 public:
  // `name`: of the file.
  TableReader(const toml::table& table, std::string name) : table_(table), name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  [[noreturn]] void fail(const toml::source_region& where, const std::string& sentence) const;
  [[noreturn]] void fail(const toml::node& where, const std::string& sentence) const { fail(where.source(), sentence); }
  [[noreturn]] void fail(const std::string& sentence) const { fail(table_, sentence); }

  // Null where the key is not given.
  const toml::node* find(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise);
  // A list of them; empty where the key is not given.
  std::vector<std::string> texts(const std::string& key);
  bool boolean(const std::string& key, bool otherwise);
  // Two numbers; `example` is told where they are none.
  const toml::array* pair(const std::string& key, const std::string& example);
  const toml::table* subtable(const std::string& key);
  // The tables of [[key]], in order.
  std::vector<const toml::table*> subtables(const std::string& key);

  // The number that stands at `node`.
  std::int64_t integer(const toml::node& node, const std::string& key, std::int64_t least, std::int64_t most) const;
  double number(const toml::node& node, const std::string& key) const;
  // A value in the terms of its record: a number, true or false, or a choice's id.
  double value(const toml::node& node, const ValueInfo& info) const;

  // Refuses the first key that was not asked for.
  void finish() const;

 private:
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> asked_;
};

}  // namespace perturb
