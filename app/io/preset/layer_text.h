// A layer over the image, in the form used by presets, scripts and the command line.
#pragma once

#include <string>

#include "cuda/core/paint/view_settings.h"

namespace perturb {

// Parses the value of --layer: "dye,colors", "speed,lines,7", "height,lines,5,-0.1,0.1", "dye,colors,0,0.5"; "none".
// Throws InputError if it is none of these. The caller checks whether the simulation has the quantity.
LayerSettings parse_layer(const std::string& words);
// The value of --layer for a layer.
std::string layer_option(const LayerSettings& layer);
// { quantity = "dye", as = "colors" }, for a [view] table.
std::string layer_table(const LayerSettings& layer);

}  // namespace perturb
