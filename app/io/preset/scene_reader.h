// Reads the parts that presets and scripts have in common: actions and views. Throws InputError with file, line and
// column.
#pragma once

#include <string>

#include "app/io/preset/table_reader.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// Reads the remaining keys of the table, after those that select the kind, as the fields of an action of kind
// `kind_id`; `kind_node` is its location. Images are read relative to the file's folder.
Action read_action(TableReader& reader, const toml::node& kind_node, const std::string& kind_id,
                   const SimulationInfo& info);

// Reads a table of view settings into a view and its camera; missing keys leave them unchanged. `name`: of the file.
void read_view(const toml::table& table, const std::string& name, const SimulationInfo& info, ViewSettings& view,
               Camera& camera);

}  // namespace perturb
