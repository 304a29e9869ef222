// Detection of double clicks.
#pragma once

#include <imgui.h>

namespace perturb {

// Whether the left button was pressed an even number of times in quick succession: also on the fourth press. ImGui
// counts on, and so recognizes only the first of two double clicks in quick succession.
inline bool double_clicked() {
  const int count = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
  return count > 0 && count % 2 == 0;
}

}  // namespace perturb
