// The keyboard focus in the panels, and its order: Tab and Shift+Tab visit all items that the keyboard can press, in
// layout order, across the windows of the panels. Dear ImGui's own Tab stays within one window, and before version 1.90
// it only visits text fields.
#pragma once

#include <cstddef>
#include <vector>

#include <imgui.h>

#include "app/ui/widgets/style.h"

namespace perturb {

class TabOrder {
 public:
  // The items of the last pass now define the order. `moves`: presses of Tab since then, minus those with Shift.
  void begin_pass(int moves);
  // Gives the focus to the next item.
  void focus_next() { focuses_next_ = true; }
  // Adds the last item as a tab stop.
  void add_last_item();
  // Marks the current window as a dialog over the panels.
  void mark_dialog();
  // Whether the current window is neither the dialog on top in the last pass nor a list.
  bool is_behind_dialog() const;
  // Whether the current window is that dialog.
  bool is_in_dialog() const;

  // Arrow keys captured by an item, for which they do not move the focus. The item must request them in each pass.
  struct Arrows {
    int right = 0, up = 0;  // presses since the last pass
    bool finely = false;    // with Shift
  };
  Arrows capture_arrows();
  bool captures_arrows() const { return captures_ || captured_; }
  void add_arrow_press(int right, int up, bool finely);

 private:
  // With a list over a dialog, or a dialog over the panels, Tab stays in the topmost.
  enum class Level { panels, dialog, list };
  struct Stop {
    ImGuiID id;
    Level level;
  };
  std::vector<Stop> order_, laid_out_;
  ImGuiID requested_ = 0, dialog_ = 0, previous_dialog_ = 0;
  bool focuses_next_ = false, captures_ = false, captured_ = false;
  Arrows arrows_;
};

// Adds Dear ImGui's last item as a stop in the tab order of its context (ImGuiIO::UserData; null: no order).
void add_tab_stop();
void tab_mark_dialog();
bool is_behind_dialog();
// Whether Enter was pressed while no item of the current dialog has the focus: it then presses the prominent button.
bool enter_confirms_dialog();
// Gives the last item the focus when its dialog opens.
void set_default_focus();
void tab_begin_pass(int moves);
void focus_next_item();
TabOrder::Arrows capture_arrows();
// An invisible button, at least one pixel wide and high.
bool press_area(const char* id, ImVec2 size);
bool list_line(const char* label, bool chosen, ImVec2 size = ImVec2(0, 0));
bool begin_list(const char* id, ImGuiComboFlags flags);
bool text_field(const char* id, const char* hint, char* text, std::size_t size, ImGuiInputTextFlags flags);
// Lets the next item, a text field, take the keyboard.
void type_in_next_item();
// Gives the focus to the last item, as keyboard navigation would.
void focus_last_item();

// Draws a ring around the focused item, also for widgets of our own: Dear ImGui only draws one around its own. Call
// after everything else is drawn.
void draw_focus_ring(const Style& style);
// Whether the focus is visible: the keyboard was used last, not the pointer.
bool focus_is_shown();
void show_focus();

}  // namespace perturb
