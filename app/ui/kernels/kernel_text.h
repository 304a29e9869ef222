// Parts of both the editor of kernels and the puzzles: a card over the left part of the view, and a text field for the
// source of a kernel with the numbers of its lines and a mark at those with errors.
#pragma once

#include <string>
#include <vector>

#include "app/ui/panels/panel.h"

namespace perturb {

struct CompileProblem;

// A field for a kernel's source code.
struct KernelTextState {
  std::string text;          // while being typed
  int cursor = -1;           // position in the text in the last pass; -1: the field has no focus
  bool takes_focus = false;  // in the next pass
  int texts = 0;             // set by set_text, so far
  // The text that `replacement` has replaced, while that is unchanged; empty: none.
  std::string replaced, replacement;
};

// At the left of a text, for the numbers of its lines.
inline constexpr float line_number_width = 40;  // design pixels

int lines_in(const std::string& text);

// The numbers of the lines at the left of the child window that was drawn last, which has scrolled this far; marks
// those of the problems.
void draw_line_numbers(const Style& style, float scrolled, int lines, const std::vector<CompileProblem>& problems);

// Draws the field in the rest of the line's width. Returns whether Ctrl+Enter was pressed.
bool draw_kernel_text(const Style& style, KernelTextState& state, const std::vector<CompileProblem>& problems,
                      float height);

// Sets the text, also while the user is typing.
void set_text(KernelTextState& state, const std::string& text);
// The same; what it replaces is kept.
void replace_text(KernelTextState& state, const std::string& by);
// A button with this label that replaces the text by `original`. While a replacement is unchanged, the button brings
// back the text that it replaced. Returns whether the text is now the original.
bool draw_replace_button(const Style& style, KernelTextState& state, const std::string& original, const char* label,
                         const char* help);

// Draws the compiler's messages, or `otherwise` if there are none.
void draw_compile_problems(const std::vector<CompileProblem>& problems, const Message& otherwise);

// Begins and ends an ImGui window over the left part of the view.
void begin_card_over_view(const Panel& panel, const char* id);
void end_card_over_view(const Panel& panel);

}  // namespace perturb
