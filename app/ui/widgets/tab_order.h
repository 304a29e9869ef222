// Tab and Shift+Tab: through all that the keyboard can press, in the order in which it is laid out, across the panels'
// windows. Dear ImGui's own Tab stays within one window, and before its 1.90 knows text fields alone.
#pragma once

#include <cstddef>
#include <vector>

#include <imgui.h>

namespace perturb {

class TabOrder {
 public:
  // What the last look laid out is the order from now on. `moves`: presses of Tab since then, less those with Shift.
  void begin_pass(int moves);
  // The item that is laid out next gets the keyboard.
  void focus_next() { focuses_next_ = true; }
  // The item just laid out can be stopped at.
  void add_last_item();
  // The window that is being laid out is a box over the panels.
  void mark_dialog();
  // Another window than the box that the last look laid out over everything, and than a list.
  bool is_behind_dialog() const;
  // The box itself.
  bool is_in_dialog() const;

  // Arrows that an item holds do not lead elsewhere: it is asked in each look whether it still does.
  struct Arrows {
    int right = 0, up = 0;  // presses since the last look
    bool finely = false;    // with Shift
  };
  Arrows capture_arrows();
  bool captures_arrows() const { return captures_ || captured_; }
  void add_arrow_press(int right, int up, bool finely);

 private:
  // Where a list hangs over a box, and a box over the panels, Tab stays in the topmost.
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

// Dear ImGui's items, each a stop of the order of its context (ImGuiIO::UserData; none there: no order).
void add_tab_stop();
void tab_mark_dialog();
bool is_behind_dialog();
// Enter was pressed where the keyboard is on nothing of the box that is being laid out: it means the prominent button.
bool enter_confirms_dialog();
// The item just laid out has the keyboard when its box comes up.
void set_default_focus();
void tab_begin_pass(int moves);
void focus_next_item();
TabOrder::Arrows capture_arrows();
// At least one pixel wide and high.
bool press_area(const char* id, ImVec2 size);
bool list_line(const char* label, bool chosen, ImVec2 size = ImVec2(0, 0));
bool begin_list(const char* id, ImGuiComboFlags flags);
bool text_field(const char* id, const char* hint, char* text, std::size_t size, ImGuiInputTextFlags flags);
// As if the keyboard had come to the item just laid out.
void focus_last_item();

}  // namespace perturb
