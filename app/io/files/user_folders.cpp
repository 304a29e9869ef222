#include "app/io/files/user_folders.h"

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
std::string desktop_folder(const std::string& key, const char* in_home, std::string* note) {
  constexpr std::size_t largest_list = 1 << 20;  // the list has a few lines
  const std::string home = absolute_variable("HOME"), config = base_folder("XDG_CONFIG_HOME", ".config");
  std::error_code ignored;
  std::string failure;
  const std::optional<std::string> text =
      config.empty()
          ? std::nullopt
          : read_kept_file(config + "/user-dirs.dirs", "list of the desktop's folders", largest_list, failure);
  if (note && !failure.empty())
    *note = failure + " Files go to \"" + in_home + "\" in the home folder, or to the home folder itself.";
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

std::string pictures_folder(std::string* note) { return desktop_folder("XDG_PICTURES_DIR", "Pictures", note); }
std::string documents_folder(std::string* note) { return desktop_folder("XDG_DOCUMENTS_DIR", "Documents", note); }

std::string with_home_folder(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const std::string home = absolute_variable("HOME");
  return home.empty() ? path : home + path.substr(1);
}

}  // namespace perturb
