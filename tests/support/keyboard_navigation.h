// Keys and keyboard navigation in panels that are laid out without a window.
#pragma once

#include <imgui.h>

namespace perturb {

// Enables it for the current context as a window does; no key is pressed by that.
inline void enable_keyboard_navigation() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
#if IMGUI_VERSION_NUM < 18700
  for (int key = 0; key < ImGuiKey_COUNT; ++key) io.KeyMap[key] = key;
#endif
}

// A key in the next frame, as ImGui receives it.
inline void set_imgui_key(ImGuiKey key, bool down) {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(key, down);
#else
  ImGui::GetIO().KeyMap[key] = key;
  ImGui::GetIO().KeysDown[key] = down;
#endif
}

}  // namespace perturb
