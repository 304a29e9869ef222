#include "app/io/preset/table_reader.h"

#include <algorithm>
#include <string_view>

#include "app/io/preset/quotes.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

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
    return info.parse(format_number(given));  // throws with a list of the valid values
  info.check(given);
  return given;
}

// toml++ recurses into nested tables, and a file may nest more of them than the stack allows. The text is therefore
// checked first. Manually written files are far from these limits.
constexpr int most_key_parts = 32, most_brackets = 32;

class TomlScan {
 public:
  TomlScan(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  // Throws InputError if keys have too many parts, if arrays and tables are nested too deeply, or if the text contains
  // a NUL, which would truncate messages.
  void require_shallow() {
    int dots = 0, depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\0') reject_nul();
      if (c == '"' || c == '\'') {
        pass_quotes(c);
        continue;
      }
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') {
          if (text_[at_] == '\0') reject_nul();
          ++at_;
        }
        continue;
      }
      if (c == '.' && ++dots >= most_key_parts)
        reject("a key has at most " + std::to_string(most_key_parts) + " parts, use a shorter one");
      if ((c == '[' || c == '{') && ++depth > most_brackets)
        reject("arrays and tables lie at most " + std::to_string(most_brackets) +
               " deep in each other, use fewer brackets");
      if ((c == ']' || c == '}') && depth > 0) --depth;
      // A dotted key may contain spaces and letters; it ends at any of these characters.
      if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) dots = 0;
      ++at_;
    }
  }

 private:
  // Skips from the opening quotes past the closing ones, or to the end of the line if they are missing.
  void pass_quotes(char quote) {
    const std::string three(3, quote);
    const bool long_text = text_.substr(at_).starts_with(three);
    at_ += long_text ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\0') reject_nul();
      if (c == '\\' && quote == '"') {
        const std::string_view escape = text_.substr(at_, 10);
        if (escape.starts_with("\\u0000") || escape.starts_with("\\U00000000")) reject_nul();
        at_ += 2;
        continue;
      }
      if (!long_text && c == '\n') return;
      if (long_text && text_.substr(at_).starts_with(three)) {
        // Up to two quotes before the closing ones belong to the text.
        std::size_t count = 3;
        while (count < 5 && at_ + count < text_.size() && text_[at_ + count] == quote) ++count;
        at_ += count;
        return;
      }
      ++at_;
      if (!long_text && c == quote) return;
    }
  }

  [[noreturn]] void reject_nul() const { reject("a NUL character is no part of a text, take it out"); }
  [[noreturn]] void reject(const std::string& sentence) const {
    const std::size_t line_begin = text_.substr(0, at_).rfind('\n') + 1;  // npos + 1: the first line
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InputError(name_ + ":" + std::to_string(line) + ":" + std::to_string(at_ - line_begin + 1) +
                     ": cannot be read as TOML: " + sentence + ".");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& name) {
  TomlScan(text, name).require_shallow();
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

bool TableReader::boolean(const std::string& key, bool otherwise) {
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

std::int64_t TableReader::integer(const toml::node& node, const std::string& key, std::int64_t least,
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
    const auto& key = entry.first;  // not a structured binding, which clang 14 does not accept in a requires-expression
    const auto& node = entry.second;
    const std::string name(static_cast<std::string_view>(key));
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) continue;
    const std::string sentence = in_quotes(name) + " is not known here" + did_you_mean(name, asked_);
    // Older versions of toml++ give only the location of the value, not of the key.
    if constexpr (requires { key.source(); })
      fail(key.source(), sentence);
    else
      fail(node, sentence);
  }
}

}  // namespace perturb
