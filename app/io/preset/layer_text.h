// A layer over the picture as presets, scripts and command lines have it.
#pragma once

#include <string>

#include "cuda/core/paint/view_settings.h"

namespace perturb {

// Of --layer: "dye,colors", "speed,lines,7", "height,lines,5,-0.1,0.1", "dye,colors,0,0.5"; "none". Throws InputError
// for words that are none of these; whether there is such a quantity is for who knows the simulation.
LayerSettings parse_layer(const std::string& words);
// The same words of a layer.
std::string layer_option(const LayerSettings& layer);
// { quantity = "dye", as = "colors" }, for a [view] table.
std::string layer_table(const LayerSettings& layer);

}  // namespace perturb
