#include "app/session/look.h"

#include "cuda/core/check.h"

namespace perturb {

namespace {

constexpr LookName known_looks[] = {
    {Look::dark, "dark", "Dark"}, {Look::light, "light", "Light"}, {Look::high_contrast, "high-contrast", "Contrast"}};

}  // namespace

std::span<const LookName> look_names() { return known_looks; }

const char* id_of(Look look) {
  for (const LookName& name : known_looks)
    if (name.look == look) return name.id;
  throw Error("internal: a look without a name");
}

Look look_of(const std::string& id) {
  std::string list;
  for (const LookName& name : known_looks) {
    if (id == name.id) return name.look;
    list.append(list.empty() ? "" : ", ").append(name.id);
  }
  throw InputError("There is no look \"" + id + "\": choose one of " + list + ".");
}

}  // namespace perturb
