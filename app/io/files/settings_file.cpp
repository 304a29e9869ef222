#include "app/io/files/settings_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/io/files/folders.h"
#include "app/io/files/output.h"
#include "app/io/files/text_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;
using SettingsJson = nlohmann::ordered_json;

constexpr std::size_t largest_settings_file = 1 << 20;  // a longer file was not written by Perturb
constexpr int settings_format = 1;
constexpr std::size_t max_recent_kept = 32, longest_setting = 4096;
constexpr int largest_coordinate = 1 << 20;

// Return the value if it exists and has the right type, otherwise the default.
bool is_truth(const SettingsJson& json, const char* key, bool otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}
std::string text_at(const SettingsJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return "";
  std::string words = found->get<std::string>();
  return words.size() <= longest_setting ? words : "";
}
std::optional<int> coordinate_at(const SettingsJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  const auto value = found->get<std::int64_t>();
  if (value < -largest_coordinate || value > largest_coordinate) return std::nullopt;
  return static_cast<int>(value);
}

double share_at(const SettingsJson& json, const char* key, double otherwise) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return otherwise;
  const auto value = found->get<double>();
  return value >= 0 && value <= 1 ? value : otherwise;
}

Settings settings_in(const SettingsJson& json) {
  Settings settings;
  settings.open = text_at(json, "open");
  if (const auto recent = json.find("recent"); recent != json.end() && recent->is_array())
    for (const auto& one : *recent)
      if (one.is_string() && settings.recent.size() < max_recent_kept &&
          one.get_ref<const std::string&>().size() <= longest_setting)
        settings.recent.push_back(one.get<std::string>());
  if (const auto window = json.find("window"); window != json.end() && window->is_object()) {
    const auto x = coordinate_at(*window, "x"), y = coordinate_at(*window, "y"),
               width = coordinate_at(*window, "width"), height = coordinate_at(*window, "height");
    if (x && y && width && height && *width > 0 && *height > 0) settings.place = {*x, *y, *width, *height};
    settings.fullscreen = is_truth(*window, "fullscreen", false);
  }
  settings.panels = is_truth(json, "panels", true);
  settings.color_bar = is_truth(json, "color_bar", true);
  settings.drawer_open = is_truth(json, "drawer_open", false);
  settings.bar_across = share_at(json, "bar_across", 1);
  settings.bar_down = share_at(json, "bar_down", 1);
  settings.plot_dock = is_truth(json, "plot_dock", false);
  if (const auto height = json.find("plot_dock_height"); height != json.end() && height->is_number())
    if (const auto value = height->get<double>(); std::isfinite(value) && value > 0) settings.plot_dock_height = value;
  settings.tab = text_at(json, "tab");
  settings.theme = text_at(json, json.contains("theme") ? "theme" : "look");  // "look": the name in older files
  settings.language = text_at(json, "language");
  settings.simple = is_truth(json, "simple", false);
  settings.scene_units = is_truth(json, "scene_units", false);
  settings.edit_kernels = is_truth(json, "edit_kernels", false);
  settings.reduced_motion = is_truth(json, "reduced_motion", false);
  settings.output_folder = text_at(json, "output_folder");
  if (const auto scale = json.find("text_scale"); scale != json.end() && scale->is_number())
    if (const auto value = scale->get<double>(); std::isfinite(value) && value > 0) settings.text_scale = value;
  return settings;
}

SettingsJson json_of(const Settings& settings) {
  SettingsJson json = {{"format", settings_format}, {"open", settings.open}, {"recent", settings.recent}};
  SettingsJson window = {{"fullscreen", settings.fullscreen}};
  if (settings.place) {
    window["x"] = settings.place->x;
    window["y"] = settings.place->y;
    window["width"] = settings.place->width;
    window["height"] = settings.place->height;
  }
  json["window"] = std::move(window);
  json["panels"] = settings.panels;
  json["color_bar"] = settings.color_bar;
  json["drawer_open"] = settings.drawer_open;
  json["bar_across"] = settings.bar_across;
  json["bar_down"] = settings.bar_down;
  json["plot_dock"] = settings.plot_dock;
  json["plot_dock_height"] = settings.plot_dock_height;
  json["tab"] = settings.tab;
  json["theme"] = settings.theme;
  json["language"] = settings.language;
  json["text_scale"] = settings.text_scale;
  json["simple"] = settings.simple;
  json["scene_units"] = settings.scene_units;
  json["edit_kernels"] = settings.edit_kernels;
  json["reduced_motion"] = settings.reduced_motion;
  json["output_folder"] = settings.output_folder;
  return json;
}

// Whether it is of this program, and of which version.
std::optional<std::int64_t> format_of(const SettingsJson& json) {
  const auto format = json.is_object() ? json.find("format") : json.end();
  if (!json.is_object() || format == json.end() || !format->is_number_integer()) return {};
  return format->get<std::int64_t>();
}

// The settings of a file with those that have changed from `before` to `now`.
SettingsJson merged(const std::optional<std::string>& file, const Settings& before, const Settings& now) {
  SettingsJson mine = json_of(now);
  SettingsJson all = file ? SettingsJson::parse(*file, nullptr, false) : SettingsJson();
  if (!format_of(all)) return mine;  // missing or damaged
  const Settings others = settings_in(all);
  Settings both = now;
  if (now.recent == before.recent) both.recent.clear();
  for (const std::string& one : others.recent)
    if (both.recent.size() < max_recent_kept &&
        std::find(both.recent.begin(), both.recent.end(), one) == both.recent.end())
      both.recent.push_back(one);
  mine["recent"] = both.recent;
  const SettingsJson known = json_of(before);
  for (const auto& [key, value] : mine.items())
    if (!all.contains(key) || value != known[key]) all[key] = value;
  return all;
}

}  // namespace

std::string settings_path() {
  const std::string folder = config_folder();
  return folder.empty() ? folder : folder + "/settings.json";
}

SettingsFile::SettingsFile(std::string path, Message* note) : path_(std::move(path)) {
  Message failure;
  const std::optional<std::string> text = read_kept_file(path_, "settings file", largest_settings_file, failure);
  if (!failure.empty()) {
    // Does not replace a file that cannot be read: it may belong to another program, or be a pipe that blocks the
    // writer.
    if (note)
      *note = failure + Message(
                            "The window starts with default settings, and changes to them are not saved. Move \"{}\" "
                            "away to save them again.",
                            path_);
    path_.clear();
  }
  if (!text) return;
  const SettingsJson json = SettingsJson::parse(*text, nullptr, false);
  const std::optional<std::int64_t> format = format_of(json);
  if (!format) {
    if (note)
      *note = Message(
          "Cannot read the window's settings from \"{}\": the file is damaged. The window starts with default settings "
          "and overwrites the file.",
          path_);
    return;
  }
  if (*format > settings_format) {
    if (note)
      *note = Message(
          "Cannot read \"{}\": a newer version of Perturb wrote it. The window starts with default settings and leaves "
          "the file unchanged.",
          path_);
    path_.clear();
    return;
  }
  settings_ = settings_in(json);
}

void SettingsFile::keep(const Settings& settings) {
  if (path_.empty() || settings == settings_) return;
  Message failure;
  const std::optional<std::string> file = read_kept_file(path_, "settings file", largest_settings_file, failure);
  if (!failure.empty()) throw Error(failure);
  const SettingsJson all = merged(file, settings_, settings);
  if (format_of(all).value_or(0) > settings_format) return;  // a newer version has written it since
  // A file name need not be UTF-8.
  const std::string text = all.dump(1, ' ', false, SettingsJson::error_handler_t::replace) + "\n";
  std::error_code ignored;
  fs::create_directories(fs::path(path_).parent_path(), ignored);
  replace_file(path_, std::as_bytes(std::span(text)));
  settings_ = settings;
}

}  // namespace perturb
