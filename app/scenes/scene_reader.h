// What presets and scripts have in common: an action, and what is shown. Throws InputError with file, line and column.
#pragma once

#include <string>

#include "app/scenes/table_reader.h"
#include "cuda/core/action.h"
#include "cuda/core/setup.h"
#include "cuda/core/simulation.h"

namespace perturb {

// The rest of `reader`'s table, after the keys that say what it is, as the fields of an action of kind `kind_id`, which
// stands at `kind_node`. An image is looked for beside the file.
Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info);

// A table of what is shown, into the setup's view and camera. `name`: of the file.
void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, Setup& setup);

}  // namespace perturb
