#include "app/io/files/folders.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "app/io/files/text_file.h"

namespace perturb {

namespace {

namespace fs = std::filesystem;

std::string absolute_variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value == '/' ? value : "";
}

std::string base_folder(const char* variable, const char* in_home) {
  if (const std::string base = absolute_variable(variable); !base.empty()) return base;
  const std::string home = absolute_variable("HOME");
  return home.empty() ? std::string() : home + "/" + in_home;
}

std::string kept_in(const char* variable, const char* in_home) {
  const std::string base = base_folder(variable, in_home);
  return base.empty() ? base : base + "/perturb";
}

// Reads a line of user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures", or an absolute path.
std::string desktop_folder(const std::string& key, const char* in_home, Message* note) {
  constexpr std::size_t largest_list = 1 << 20;  // the list has a few lines
  const std::string home = absolute_variable("HOME"), config = base_folder("XDG_CONFIG_HOME", ".config");
  std::error_code ignored;
  Message failure;
  const std::optional<std::string> text =
      config.empty()
          ? std::nullopt
          : read_kept_file(config + "/user-dirs.dirs", "list of the desktop's folders", largest_list, failure);
  if (note && !failure.empty())
    *note = failure + Message("Files are saved in \"{}\" in the home folder, or in the home folder itself.",
                              std::string(in_home));
  std::istringstream file(text.value_or(""));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key + "=\"") || line.back() != '"') continue;
    std::string path = line.substr(key.size() + 2, line.size() - key.size() - 3);
    if (path.starts_with("$HOME")) path.replace(0, 5, home);
    if (path.starts_with("/") && fs::is_directory(path, ignored)) return path;
  }
  if (home.empty()) return ".";
  return fs::is_directory(home + "/" + in_home, ignored) ? home + "/" + in_home : home;
}

}  // namespace

std::string config_folder() { return kept_in("XDG_CONFIG_HOME", ".config"); }
std::string data_folder() { return kept_in("XDG_DATA_HOME", ".local/share"); }
std::string cache_folder() { return kept_in("XDG_CACHE_HOME", ".cache"); }
std::string state_folder() { return kept_in("XDG_STATE_HOME", ".local/state"); }

std::string pictures_folder(Message* note) { return desktop_folder("XDG_PICTURES_DIR", "Pictures", note); }
std::string documents_folder(Message* note) { return desktop_folder("XDG_DOCUMENTS_DIR", "Documents", note); }

std::string with_home_folder(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const std::string home = absolute_variable("HOME");
  return home.empty() ? path : home + path.substr(1);
}

namespace {
constexpr std::size_t max_items = 5000;
}  // namespace

bool has_ending(const std::string& path, const std::vector<std::string>& endings) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return !ending.empty() && std::find(endings.begin(), endings.end(), ending.substr(1)) != endings.end();
}

FolderListing list_folder(const std::string& folder, const std::vector<std::string>& endings) {
  struct Found {
    FolderItem item;
    fs::file_time_type time;
  };
  FolderListing listing;
  std::error_code failure;
  const fs::path absolute = fs::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  listing.folder = absolute.string();
  if (listing.folder.size() > 1 && listing.folder.back() == '/') listing.folder.pop_back();
  std::vector<Found> found;
  fs::directory_iterator entry(absolute, failure);
  if (failure) {
    listing.problem = Message("Cannot read the folder \"{}\" ({}). Choose another one, or check its permissions.",
                              listing.folder, Message(failure.message()));
    return listing;
  }
  for (const fs::directory_iterator end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(".")) continue;
    std::error_code ignored;
    const bool is_folder = entry->is_directory(ignored);
    if (!is_folder && !has_ending(name, endings)) continue;
    if (found.size() >= max_items) {
      listing.is_cut = true;
      break;
    }
    found.push_back({{name, is_folder}, entry->last_write_time(ignored)});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.item.is_folder != b.item.is_folder) return a.item.is_folder;
    if (!a.item.is_folder && a.time != b.time) return a.time > b.time;
    return a.item.name < b.item.name;
  });
  listing.items.reserve(found.size());
  for (Found& one : found) listing.items.push_back(std::move(one.item));
  return listing;
}

std::string folder_above(const std::string& folder) {
  const std::string above = fs::path(folder).parent_path().string();
  return above.empty() ? folder : above;
}

std::string resolve_relative_path(const std::string& file, const std::string& name) {
  const fs::path folder = fs::path(file).parent_path();
  const fs::path meant = folder / name;
  std::error_code ignored;
  const fs::path home = fs::weakly_canonical(fs::absolute(folder.empty() ? "." : folder, ignored), ignored);
  const fs::path real = fs::weakly_canonical(fs::absolute(meant, ignored), ignored);
  const fs::path way = real.lexically_relative(home);
  if (real.empty() || way.empty() || *way.begin() == "..") return "";
  return meant.string();
}

}  // namespace perturb
