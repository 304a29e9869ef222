#include "app/session/look.h"

#include "cuda/core/check.h"

namespace perturb {

namespace {

constexpr LookName names[] = {
    {Look::dark, "dark", "Dark"}, {Look::light, "light", "Light"}, {Look::high_contrast, "high-contrast", "Contrast"}};

}  // namespace

std::span<const LookName> look_names() { return names; }

const char* id_of(Look look) {
  for (const LookName& name : names)
    if (name.look == look) return name.id;
  throw Error("internal: a look without a name");
}

Look look_of(const std::string& id) {
  std::string list;
  for (const LookName& name : names) {
    if (id == name.id) return name.look;
    list.append(list.empty() ? "" : ", ").append(name.id);
  }
  throw InputError("There is no look \"" + id + "\": choose one of " + list + ".");
}

}  // namespace perturb
