// Font files, loaded by the program itself.
#pragma once

#include <cstring>
#include <string>

#include <imgui.h>

#include "app/io/files/text_file.h"
#include "app/ui/widgets/font_file.h"
#include "cuda/core/backend/check.h"

namespace perturb {

// Like ImFontAtlas::AddFontFromFileTTF, which ends the program if the file cannot be opened or is damaged; this
// function returns null.
inline ImFont* add_font_file(ImFontAtlas& atlas, const std::string& file, float size, const ImFontConfig& config,
                             const ImWchar* range) {
  constexpr std::size_t largest_font = std::size_t{64} << 20;
  std::string bytes;
  try {
    bytes = read_input_file(file, "font", largest_font);
  } catch (const InputError&) {
    return nullptr;
  }
  if (!is_whole_font(bytes)) return nullptr;          // the file may have changed since it was chosen
  void* const owned = ImGui::MemAlloc(bytes.size());  // the atlas frees it
  std::memcpy(owned, bytes.data(), bytes.size());
  return atlas.AddFontFromMemoryTTF(owned, static_cast<int>(bytes.size()), size, &config, range);
}

}  // namespace perturb
