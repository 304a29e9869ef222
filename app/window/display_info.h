// Display properties for the panels.
#pragma once

#include <string>

#include "app/render/display/canvas.h"
#include "app/ui/panels/panels.h"

namespace perturb {

// `backend_note`: why the preferred backend is not used.
inline DisplayInfo display_info_of(const Canvas& canvas, const std::string& backend_note) {
  const std::string& note = canvas.note();
  return {canvas.path(), backend_note + (backend_note.empty() || note.empty() ? "" : "  ") + note};
}

}  // namespace perturb
