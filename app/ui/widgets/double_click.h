// Double clicks as a hand means them.
#pragma once

#include <imgui.h>

namespace perturb {

// The left button went down the second time within a moment: the fourth time too. ImGui counts on, so that of two
// double clicks close to each other it takes only the first for one.
inline bool double_clicked() {
  const int count = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
  return count > 0 && count % 2 == 0;
}

}  // namespace perturb
