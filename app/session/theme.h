// Themes of the window. Files and the command line use the ids listed here.
#pragma once

#include <span>
#include <string>

namespace perturb {

enum class Theme { dark, light, high_contrast };

struct ThemeName {
  Theme theme;
  const char* id;     // "high-contrast"
  const char* label;  // "High contrast"
};
std::span<const ThemeName> theme_names();
const char* id_of(Theme theme);
// Throws InputError with the list of themes.
Theme theme_of(const std::string& id);

}  // namespace perturb
