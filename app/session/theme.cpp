#include "app/session/theme.h"

#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr ThemeName known_themes[] = {{Theme::dark, "dark", "Dark"},
                                      {Theme::light, "light", "Light"},
                                      {Theme::high_contrast, "high-contrast", "Contrast"}};

}  // namespace

std::span<const ThemeName> theme_names() { return known_themes; }

const char* id_of(Theme theme) {
  for (const ThemeName& name : known_themes)
    if (name.theme == theme) return name.id;
  throw Error("internal: a look without a name");
}

Theme theme_of(const std::string& id) {
  std::string list;
  for (const ThemeName& name : known_themes) {
    if (id == name.id) return name.theme;
    list.append(list.empty() ? "" : ", ").append(name.id);
  }
  throw InputError("There is no look \"" + id + "\": choose one of " + list + ".");
}

}  // namespace perturb
