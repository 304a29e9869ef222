// Icons on buttons.
#pragma once

#include <imgui.h>

namespace perturb {

// Icons are drawn as vector graphics, so that they are sharp at every size and need no font.
enum class Icon {
  play,
  pause,
  step,
  restart,
  restart_keeping,
  undo,
  redo,
  minus,
  plus,
  previous,
  next,
  camera,
  film,
  share,
  disk,
  folder,
  command,
  script,
  question,
  information,
  expand,
  home,
  close,
  reset,
  more,
  panel,
  grid,
  preset,
  up,
  people
};
void draw_icon(ImDrawList* list, Icon icon, ImVec2 center, float size, ImU32 icon_color);

}  // namespace perturb
