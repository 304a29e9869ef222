// Values and layers as text, for writing presets and scripts and for the command line.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/parameters.h"

namespace perturb {

// The shortest text that reads back to exactly this number: "5", "0.1".
std::string exact_number(double value);
// The same as a TOML float: "5" would be an integer, which has no negative zero and a limited range.
std::string toml_real(double value);
std::string toml_real_pair(double a, double b);
// In quotation marks, with TOML escapes for quotes, backslashes and control characters.
std::string toml_string(const std::string& text);
// A list of such strings.
std::string toml_list(const std::vector<std::string>& texts);
// A value of the type in its ValueInfo: a number, true or false, or a choice's id.
std::string toml_value(const ValueInfo& info, double value);

// Parses the value of --layer, a layer over the image: "dye,colors", "speed,lines,7", "height,lines,5,-0.1,0.1",
// "dye,colors,0,0.5"; "none". Throws InputError if it is none of these. The caller checks whether the simulation has
// the quantity.
LayerSettings parse_layer(const std::string& words);
// The value of --layer for a layer.
std::string layer_option(const LayerSettings& layer);
// { quantity = "dye", as = "colors" }, for a [view] table.
std::string layer_table(const LayerSettings& layer);

}  // namespace perturb
