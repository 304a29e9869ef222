// Colours from a user's file.
#pragma once

#include <string>

#include "cuda/core/paint/colormap.h"

namespace perturb {

// Reads the file (its format: parse_colormap) and makes its colours available under its name, without its folder.
// Throws InputError if it cannot be read, or with file, line and reason.
const Colormap& load_colormap_file(const std::string& path);
// A colormap by its name, or a file if the text has an ending. Throws InputError if there is neither.
const Colormap& colormap_of_option(const std::string& text);
// Prepares find_colormap() for a scene that `file` describes: reads a user's colours from next to it. Throws InputError
// for an unknown name, and for colours that are there and cannot be read.
void require_colormap(const std::string& id, const std::string& file);

}  // namespace perturb
