// The style: colours, spacing and fonts, and the few widgets that ImGui does not have.
#pragma once

#include <array>
#include <string>

#include <imgui.h>

#include "app/ui/widgets/icons.h"
#include "app/ui/widgets/palette.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// Fonts and sizes at the current scale.
struct Style {
  float unit = 1;               // screen coordinates per design pixel
  float pointer_idle = 0;       // seconds since the pointer last moved
  bool keyboard_leads = false;  // a key was pressed since then
  ImFont* body = nullptr;
  ImFont* strong = nullptr;
  ImFont* small = nullptr;
  ImFont* title = nullptr;
  ImFont* figures = nullptr;  // large figures of readings
  ImFont* code = nullptr;     // of fixed width, if one is installed
  // For equations: italic letters, upright digits and signs; the small fonts are for indices.
  ImFont* letters = nullptr;
  ImFont* signs = nullptr;
  ImFont* small_letters = nullptr;
  ImFont* small_signs = nullptr;

  std::array<ImFont*, 10> fonts() const {
    return {body, strong, small, title, figures, code, letters, signs, small_letters, small_signs};
  }

  float px(float design) const;  // rounded to whole screen coordinates
  float gap() const { return px(8); }
  float row() const { return px(29); }
  float gutter() const { return px(24); }  // next to the rows of a panel: space for the buttons that reset a value
};

// Sets ImGui's own colours and sizes to match.
void apply_style(const Style& style);

// Text that is cut with an ellipsis if it does not fit `width`.
std::string elided(const std::string& text, float width);
// All functions below translate their message into the selected language (tr()).
//
// Two texts, one below the other; either may be empty.
Message stacked(const Message& upper, const Message& lower);
// Size of a text.
ImVec2 text_size(const Message& text);
// Text with line breaks at blanks, and inside words that are too long for a line, so that it fits `width`. ImGui's own
// wrapping also breaks between a quotation mark and the comma that follows it.
std::string wrap_text(const Message& text, float width);
// Wrapped texts are cached; call this when the fonts are rebuilt.
void clear_wrap_cache();
// Draws text inside a rectangle, vertically centred; `align` 0 left, 1 right. Cut if it does not fit.
void draw_text_in(ImDrawList* list, ImVec2 minimum, ImVec2 maximum, ImU32 text_color, const Message& text,
                  float align = 0);
// A dimmed text that wraps.
void draw_wrapped(const Message& text, ImU32 text_color = color::dim);
// Begins a window that fills an area like a part of the program's window: without decoration, padding or round corners.
// ImGui::End() ends it.
void begin_plain_window(const char* id, ImVec2 from, ImVec2 size, ImGuiWindowFlags more_flags = ImGuiWindowFlags_None);
// A heading inside a panel, with some space above.
void heading(const Style& style, const Message& text);
// A tooltip for the last item, shown after the pointer has rested briefly; wraps, and covers neither the item nor, if
// there is space next to it, the panel of the item.
void tooltip(const Style& style, const Message& text);
// A thin line across the panel.
void separator(const Style& style);

// A square button with an icon. `id` is unique in its window.
bool icon_button(const Style& style, const char* id, Icon icon, float size, bool prominent = false,
                 bool enabled = true);
// A button with text, whose English format is also its ImGui id; the prominent one is the usual choice, and Enter
// presses it in a dialog. If the label changes, pass `id`.
bool text_button(const Style& style, const Message& label, bool prominent, const char* id = nullptr);
// A choice between a few segments over the given width; returns true when `chosen` changed.
bool segmented_control(const Style& style, const char* id, const char* const* labels, int count, int& chosen,
                       float width);
// A switch: label left, switch right; the label wraps.
float toggle_height(const Style& style, const Message& label, float width);
bool toggle_row(const Style& style, const char* id, const Message& label, bool& on, ImU32 label_color = color::text);

// Whether the left button was pressed an even number of times in quick succession: also on the fourth press. ImGui
// counts on, and so recognizes only the first of two double clicks in quick succession.
inline bool double_clicked() {
  const int count = ImGui::GetMouseClickedCount(ImGuiMouseButton_Left);
  return count > 0 && count % 2 == 0;
}

}  // namespace perturb
