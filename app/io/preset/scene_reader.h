// What presets and scripts have in common: an action, and what is shown. Throws InputError with file, line and column.
#pragma once

#include <string>

#include "app/io/preset/table_reader.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// The rest of `reader`'s table, after the keys that say what it is, as the fields of an action of kind `kind_id`, which
// stands at `kind_node`. An image is looked for beside the file.
Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info);

// A table of what is shown, into a view and its camera; what it does not say stays. `name`: of the file.
void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, ViewSettings& view,
               Camera& camera);

}  // namespace perturb
