// What the panels tell of the display.
#pragma once

#include <string>

#include "app/render/display/canvas.h"
#include "app/ui/panels/panels.h"

namespace perturb {

// `backend_note`: why the backend is not the one that was hoped for.
inline DisplayInfo display_info_of(const Canvas& canvas, const std::string& backend_note) {
  const std::string& note = canvas.note();
  return {canvas.path(), backend_note + (backend_note.empty() || note.empty() ? "" : "  ") + note};
}

}  // namespace perturb
