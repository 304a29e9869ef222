#include "app/scenes/table_reader.h"

#include <algorithm>
#include <string_view>

#include "app/scenes/sentences.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

double unlocated_value(const toml::node& node, const ValueInfo& info) {
  if (const auto* boolean = node.as_boolean()) return info.parse(boolean->get() ? "true" : "false");
  if (const auto* string = node.as_string()) {
    if (info.kind != ValueKind::choice) throw InputError(info.id + " is given as a text: write it without quotes.");
    return info.parse(string->get());
  }
  double given = 0;
  if (const auto* integer = node.as_integer())
    given = static_cast<double>(integer->get());
  else if (const auto* real = node.as_floating_point())
    given = real->get();
  else
    throw InputError(info.id + " must be a single value.");
  if (info.kind == ValueKind::choice || info.kind == ValueKind::boolean)
    return info.parse(number_in_words(given));  // says what it takes instead
  info.check(given);
  return given;
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    throw InputError(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                     ": cannot be read as TOML: " + std::string(error.description()) + ".");
  }
}

void TableReader::fail(const toml::source_region& where, const std::string& sentence) const {
  throw InputError(name_ + ":" + std::to_string(where.begin.line) + ":" + std::to_string(where.begin.column) + ": " +
                   sentence);
}

const toml::node* TableReader::find(const std::string& key) {
  asked_.push_back(key);
  return table_.get(key);
}

std::string TableReader::text(const std::string& key, const std::string& otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto* string = node->as_string()) return string->get();
  fail(*node, key + " must be a text in quotes, such as " + key + " = \"...\".");
}

std::vector<std::string> TableReader::texts(const std::string& key) {
  std::vector<std::string> list;
  const toml::node* node = find(key);
  if (!node) return list;
  const std::string sentence = key + " must be a list of texts in quotes, such as " + key + " = [\"...\", \"...\"].";
  const toml::array* array = node->as_array();
  if (!array) fail(*node, sentence);
  for (const toml::node& entry : *array) {
    const auto* string = entry.as_string();
    if (!string) fail(entry, sentence);
    list.push_back(string->get());
  }
  return list;
}

bool TableReader::truth(const std::string& key, bool otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto* boolean = node->as_boolean()) return boolean->get();
  fail(*node, key + " must be true or false.");
}

const toml::array* TableReader::pair(const std::string& key, const std::string& example) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  const toml::array* array = node->as_array();
  if (!array || array->size() != 2) fail(*node, key + " must be two numbers, such as " + key + " = " + example + ".");
  return array;
}

const toml::table* TableReader::subtable(const std::string& key) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  if (const toml::table* table = node->as_table()) return table;
  fail(*node, key + " must be a table: begin it with a line [" + key + "].");
}

std::vector<const toml::table*> TableReader::subtables(const std::string& key) {
  std::vector<const toml::table*> tables;
  const toml::node* node = find(key);
  if (!node) return tables;
  const std::string must = key + " must be a list of tables: begin each with a line [[" + key + "]].";
  const toml::array* array = node->as_array();
  if (!array) fail(*node, must);
  for (const toml::node& element : *array) {
    if (!element.is_table()) fail(element, must);
    tables.push_back(element.as_table());
  }
  return tables;
}

std::int64_t TableReader::whole(const toml::node& node, const std::string& key, std::int64_t least,
                                std::int64_t most) const {
  const auto* integer = node.as_integer();
  if (!integer || integer->get() < least || integer->get() > most)
    fail(node, key + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ".");
  return integer->get();
}

double TableReader::number(const toml::node& node, const std::string& key) const {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* real = node.as_floating_point()) return real->get();
  fail(node, key + " must be a number.");
}

double TableReader::value(const toml::node& node, const ValueInfo& info) const {
  try {
    return unlocated_value(node, info);
  } catch (const InputError& error) {
    fail(node, error.what());
  }
}

void TableReader::finish() const {
  for (const auto& entry : table_) {
    const auto& key = entry.first;  // not a structured binding, which clang 14 takes into no requires-expression
    const auto& node = entry.second;
    const std::string name(static_cast<std::string_view>(key));
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const std::string sentence = in_quotes(name) + " is not known here" + did_you_mean(name, asked_);
    // Older versions of toml++ do not tell where a key stands, only its value.
    if constexpr (requires { key.source(); })
      fail(key.source(), sentence);
    else
      fail(node, sentence);
  }
}

}  // namespace perturb
