// A line of mathematics: letters in italics, "_x" and "_{xy}" as subscripts, "^2" as superscripts.
#pragma once

#include <string>

#include "app/ui/widgets/style.h"

namespace perturb {

// Wraps at blanks outside brackets if the line is too narrow.
void draw_equation(const Style& style, const std::string& equation, ImU32 ink = color::text);

}  // namespace perturb
