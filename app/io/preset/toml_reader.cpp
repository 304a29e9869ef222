#include "app/io/preset/toml_reader.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/io/files/colormap_file.h"
#include "app/io/files/folders.h"
#include "app/io/image/image.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

double unlocated_value(const toml::node& node, const ValueInfo& info) {
  if (const auto* boolean = node.as_boolean()) return info.parse(boolean->get() ? "true" : "false");
  if (const auto* string = node.as_string()) {
    if (info.kind != ValueKind::choice && info.kind != ValueKind::formula)
      throw InputError("{} must be a number or true or false. Remove the quotes.",
                       Message::parameter(info.id, info.label));
    return info.parse(string->get());
  }
  double given = 0;
  if (const auto* integer = node.as_integer())
    given = static_cast<double>(integer->get());
  else if (const auto* real = node.as_floating_point())
    given = real->get();
  else
    throw InputError("{} must be a single value.", Message::parameter(info.id, info.label));
  if (info.kind != ValueKind::real && info.kind != ValueKind::integer)
    return info.parse(format_number(given, 17));  // a formula; others throw with a list of the valid values
  info.check(given);
  return given;
}

// toml++ recurses into nested tables, and a file may nest more of them than the stack allows. The text is therefore
// checked first. Manually written files are far from these limits.
constexpr int max_key_parts = 32, max_brackets = 32;

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
      if (c == '.' && ++dots >= max_key_parts)
        reject({"a key can have at most {} parts; use a shorter key", max_key_parts});
      if ((c == '[' || c == '{') && ++depth > max_brackets)
        reject({"arrays and tables can be nested at most {} deep; use fewer brackets", max_brackets});
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

  [[noreturn]] void reject_nul() const { reject("a text cannot contain a NUL character; remove it"); }
  [[noreturn]] void reject(const Message& reason) const {
    const std::size_t line_begin = text_.substr(0, at_).rfind('\n') + 1;  // npos + 1: the first line
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InputError("{}:{}:{}: invalid TOML: {}.", name_, line, at_ - line_begin + 1, reason);
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
    throw InputError("{}:{}:{}: invalid TOML: {}.", name, at.line, at.column, error.description());
  }
}

void TableReader::fail(const toml::source_region& where, const Message& message) const {
  throw InputError("{}:{}:{}: {}", name_, where.begin.line, where.begin.column, message);
}

const toml::node* TableReader::find(const std::string& key) {
  asked_.push_back(key);
  return table_.get(key);
}

std::string TableReader::text(const std::string& key, const std::string& otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto* string = node->as_string()) return string->get();
  fail(*node, {"{} must be a text in quotes, such as {} = \"...\".", key, key});
}

std::vector<std::string> TableReader::texts(const std::string& key) {
  std::vector<std::string> list;
  const toml::node* node = find(key);
  if (!node) return list;
  const Message must("{} must be a list of texts in quotes, such as {} = [\"...\", \"...\"].", key, key);
  const toml::array* array = node->as_array();
  if (!array) fail(*node, must);
  for (const toml::node& entry : *array) {
    const auto* string = entry.as_string();
    if (!string) fail(entry, must);
    list.push_back(string->get());
  }
  return list;
}

bool TableReader::boolean(const std::string& key, bool otherwise) {
  const toml::node* node = find(key);
  if (!node) return otherwise;
  if (const auto* boolean = node->as_boolean()) return boolean->get();
  fail(*node, {"{} must be true or false.", key});
}

const toml::array* TableReader::pair(const std::string& key, const std::string& example) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  const toml::array* array = node->as_array();
  if (!array || array->size() != 2) fail(*node, {"{} must be two numbers, such as {} = {}.", key, key, example});
  return array;
}

const toml::table* TableReader::subtable(const std::string& key) {
  const toml::node* node = find(key);
  if (!node) return nullptr;
  if (const toml::table* table = node->as_table()) return table;
  fail(*node, {"{} must be a table. Begin it with the line [{}].", key, key});
}

std::vector<const toml::table*> TableReader::subtables(const std::string& key) {
  std::vector<const toml::table*> tables;
  const toml::node* node = find(key);
  if (!node) return tables;
  const Message must("{} must be a list of tables. Begin each with the line [[{}]].", key, key);
  const toml::array* array = node->as_array();
  if (!array) fail(*node, must);
  for (const toml::node& element : *array) {
    if (!element.is_table()) fail(element, must);
    tables.push_back(element.as_table());
  }
  return tables;
}

std::int64_t TableReader::integer(const toml::node& node, const std::string& key, std::int64_t min_value,
                                  std::int64_t max_value) const {
  const auto* integer = node.as_integer();
  if (!integer || integer->get() < min_value || integer->get() > max_value)
    fail(node, {"{} must be a whole number from {} to {}.", key, min_value, max_value});
  return integer->get();
}

double TableReader::number(const toml::node& node, const std::string& key) const {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* real = node.as_floating_point()) return real->get();
  fail(node, {"{} must be a number.", key});
}

double TableReader::value(const toml::node& node, const ValueInfo& info) const {
  try {
    return unlocated_value(node, info);
  } catch (const InputError& error) {
    fail(node, error.message());
  }
}

void TableReader::finish() const {
  for (const auto& entry : table_) {
    const std::string key(static_cast<std::string_view>(entry.first));
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) fail_unknown(key);
  }
}

void TableReader::fail(const Message& message) const {
  std::vector<std::string> missing;
  for (const std::string& key : asked_)
    if (!table_.contains(key)) missing.push_back(key);
  constexpr std::size_t min_letters = 3;  // of shorter words, most are near each other
  for (const auto& entry : table_) {
    const std::string key(static_cast<std::string_view>(entry.first));
    if (key.size() >= min_letters && std::find(asked_.begin(), asked_.end(), key) == asked_.end() &&
        !nearest_name(key, missing).empty())
      fail_unknown(key);
  }
  fail(table_, message);
}

void TableReader::fail_unknown(const std::string& unknown) const {
  for (const auto& entry : table_) {
    const auto& key = entry.first;  // not a structured binding, which clang 14 does not accept in a requires-expression
    const auto& node = entry.second;
    if (static_cast<std::string_view>(key) != unknown) continue;
    const Message message("unknown key \"{}\"{}", unknown, did_you_mean(unknown, asked_));
    // Older versions of toml++ give only the location of the value, not of the key.
    if constexpr (requires { key.source(); })
      fail(key.source(), message);
    else
      fail(node, message);
  }
  fail(table_, Message("unknown key \"{}\".", unknown));
}

namespace {

// The path of an image that a file names. It must be in the file's folder or a subfolder, so that a preset from another
// source cannot select other files of the user.
std::string image_beside(const TableReader& reader, const toml::node& node, const std::string& image) {
  if (const std::string path = resolve_relative_path(reader.name(), image); !path.empty()) return path;
  reader.fail(
      node,
      {"The image \"{}\" is outside the folder of this file. Copy it into that folder and give its relative path.",
       image});
}

void read_camera(TableReader& reader, Camera& camera) {
  if (const toml::array* center = reader.pair("center", "[0.5, 0.5]")) {
    camera.center_x = reader.number(*center->get(0), "center");
    camera.center_y = reader.number(*center->get(1), "center");
    if (!is_camera_center(camera.center_x) || !is_camera_center(camera.center_y))
      reader.fail(*center, "center must be a point in fractions of the domain, such as center = [0.5, 0.5].");
  }
  if (const toml::node* zoom = reader.find("zoom")) {
    camera.zoom = reader.number(*zoom, "zoom");
    if (!(camera.zoom >= min_zoom && camera.zoom <= max_zoom))
      reader.fail(*zoom, {"zoom must be from {} to {}.", format_number(min_zoom), format_number(max_zoom)});
  }
  if (const toml::array* orbit = reader.pair("orbit", "[30, 20]")) {
    const double yaw = reader.number(*orbit->get(0), "orbit"), pitch = reader.number(*orbit->get(1), "orbit");
    if (!(std::abs(yaw) <= 360 && std::abs(pitch) <= 90))
      reader.fail(*orbit, "orbit must be two angles in degrees: around (-360 to 360) and above (-90 to 90).");
    camera.yaw = yaw * radians_per_degree;
    camera.pitch = pitch * radians_per_degree;
  }
}

LayerSettings read_layer(const toml::table& table, const std::string& name, const SimulationInfo& info,
                         const ViewSettings& view) {
  TableReader reader(table, name);
  LayerSettings layer;
  layer.quantity = reader.text("quantity", "");
  if (layer.quantity.empty()) reader.fail("a layer needs a quantity, such as layer = { quantity = \"dye\" }.");
  const std::string as = reader.text("as", "lines");
  if (as != "lines" && as != "colors") reader.fail(*reader.find("as"), "as must be \"lines\" or \"colors\".");
  layer.as_lines = as == "lines";
  if (const toml::node* lines = reader.find("lines"))
    layer.lines = static_cast<int>(reader.integer(*lines, "lines", 1, LayerSettings::max_lines));
  if (const toml::array* range = reader.pair("range", "[-1, 1]")) {
    layer.minimum = reader.number(*range->get(0), "range");
    layer.maximum = reader.number(*range->get(1), "range");
    if (!std::isfinite(layer.minimum) || !std::isfinite(layer.maximum) || !(layer.minimum < layer.maximum))
      reader.fail(*range, "range must go from a smaller number to a larger one.");
  }
  reader.finish();
  ViewSettings with = view;
  with.layer = layer;
  Message failure;
  try {
    failure = layer_error(info, with);
  } catch (const InputError& error) {
    failure = error.message();
  }
  if (!failure.empty()) reader.fail(*reader.find("quantity"), failure);
  return layer;
}

}  // namespace

Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info) {
  const ActionKind* kind = nullptr;
  std::vector<std::string> kinds;
  for (const ActionKind& k : info.actions) {
    kinds.push_back(k.id);
    if (k.id == kind_id) kind = &k;
  }
  if (!kind)
    reader.fail(kind_node, {"There is no action \"{}\" in {}{}", kind_id, info.id, did_you_mean(kind_id, kinds)});
  Action action;
  action.kind = kind_id;
  for (const ValueInfo& field : kind->fields)
    for (const std::string& id : {field.former, field.id})
      if (const toml::node* node = id.empty() ? nullptr : reader.find(id))
        action.numbers[field.id] = reader.value(*node, field);
  if (kind->takes_image) {
    action.file = reader.text("image", "");
    if (!action.file.empty()) {
      const std::string image = image_beside(reader, *reader.find("image"), action.file);
      try {
        action.image = load_grey_image(image);
      } catch (const InputError& error) {
        reader.fail(*reader.find("image"), error.message());
      }
    }
  }
  reader.finish();
  try {
    check_action(action, info.actions);
  } catch (const InputError& error) {
    reader.fail(error.message());
  }
  return action;
}

void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, ViewSettings& view,
               Camera& camera) {
  TableReader reader(table, name);
  view.quantity = reader.text("quantity", "");
  std::vector<std::string> quantities;
  for (const Quantity& q : info.quantities) quantities.push_back(q.id);
  if (!view.quantity.empty() && std::find(quantities.begin(), quantities.end(), view.quantity) == quantities.end())
    reader.fail(*reader.find("quantity"), {"There is no quantity \"{}\" in {}{}", view.quantity, info.id,
                                           did_you_mean(view.quantity, quantities)});
  view.colormap = reader.text("colormap", "");
  if (!view.colormap.empty()) {
    try {
      require_colormap(view.colormap, name);
    } catch (const InputError& error) {
      reader.fail(*reader.find("colormap"), error.message());
    }
  }
  if (const toml::array* range = reader.pair("range", "[-1, 1]")) {
    view.minimum = reader.number(*range->get(0), "range");
    view.maximum = reader.number(*range->get(1), "range");
    if (!std::isfinite(view.minimum) || !std::isfinite(view.maximum) || !(view.minimum < view.maximum))
      reader.fail(*range, "range must go from a smaller number to a larger one.");
  }
  view.automatic = reader.boolean("automatic", view.automatic);
  view.smooth = reader.boolean("smooth", view.smooth);
  if (const toml::table* layer = reader.subtable("layer")) view.layer = read_layer(*layer, name, info, view);
  view.theory = reader.boolean("theory", view.theory);
  read_camera(reader, camera);
  reader.finish();
}

std::vector<Lane> read_lanes(TableReader& reader, const SimulationInfo& info) {
  std::vector<Lane> lanes;
  const std::vector<const toml::table*> tables = reader.subtables("lane");
  for (const toml::table* table : tables) {
    TableReader keys(*table, reader.name());
    Lane& lane = lanes.emplace_back();
    // The form of the command line checks names too.
    const auto check = [&](const std::string& key, const std::string& value) {
      try {
        return parse_lane(key + "=" + value, info);
      } catch (const InputError& error) {
        keys.fail(*keys.find(key), error.message());
      }
    };
    if (const std::string kernel = keys.text("kernel", ""); !kernel.empty())
      lane.kernel = check("kernel", kernel).kernel;
    if (const std::string backend = keys.text("backend", ""); !backend.empty())
      lane.backend = check("backend", backend).backend;
    lane.nudged = keys.boolean("nudge", false);
    lane.shows_difference = keys.boolean("difference", false);
    for (const Parameter& p : info.parameters)
      for (const std::string& id : {p.former, p.id})
        if (const toml::node* node = id.empty() ? nullptr : keys.find(id)) lane.parameters[p.id] = keys.value(*node, p);
    keys.finish();
  }
  try {
    require_lane_count(lanes.size());
  } catch (const InputError& error) {
    reader.fail(*tables.front(), error.message());
  }
  return lanes;
}

bool read_race_by_time(TableReader& reader, const std::vector<Lane>& lanes) {
  const toml::node* node = reader.find("by");
  if (!node) return false;
  const std::string by = reader.text("by", "steps");
  if (lanes.empty()) reader.fail(*node, {"{} needs a race. Add lanes, each with the line [[lane]].", "by"});
  if (by != "time" && by != "steps") reader.fail(*node, {"a race cannot go by \"{}\": use \"time\" or \"steps\".", by});
  return by == "time";
}

}  // namespace perturb
