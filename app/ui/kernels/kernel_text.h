// Parts of both the editor of kernels and the puzzles: a card over the left part of the view, and a text field for the
// source of a kernel with coloured words, the numbers of its lines and a mark at those with errors.
#pragma once

#include <string>
#include <vector>

#include "app/ui/kernels/code_tokens.h"
#include "app/ui/panels/panel.h"

namespace perturb {

struct CompileProblem;

// A field for a kernel's source code.
struct KernelTextState {
  std::string text;          // while being typed
  int cursor = -1;           // position in the text in the last pass; -1: the field has no focus
  bool takes_focus = false;  // in the next pass
  bool was_set = false;      // the next pass shows its first code
  bool compiles = false;     // in the last pass
  float scroll = 0;          // in the last pass, screen coordinates
  int kept_passes = 0;       // in which that stays: ImGui would show the upper end of a field that gets the focus
  int cursor_to = -1;        // position that the field takes with the focus; -1: its own
  double cursor_moved = 0;   // time (ImGui::GetTime)
  std::string tokenized;     // the text that `tokens` belong to
  std::vector<CodeToken> tokens;
  int texts = 0;  // set by set_text, so far
  // The text that `replacement` has replaced, while that is unchanged; empty: none.
  std::string replaced, replacement;
};

// At the left of a text, for the numbers of its lines.
inline constexpr float line_number_width = 40;  // design pixels

int lines_in(const std::string& text);

// Draws the text with coloured words, from this position on, as far as the clip rectangle shows it. With the font of
// code.
void draw_code(const std::string& text, const std::vector<CodeToken>& tokens, ImVec2 at);

// The numbers of the lines at the left of the child window that was drawn last, which has scrolled this far; marks
// those of the problems.
void draw_line_numbers(const Style& style, float scrolled, int lines, const std::vector<CompileProblem>& problems);

// Draws the field in the rest of the line's width. When `compiles` ends, the first line with a problem is shown.
// Returns whether Ctrl+Enter was pressed.
bool draw_kernel_text(const Style& style, KernelTextState& state, const std::vector<CompileProblem>& problems,
                      bool compiles, float height);

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

// The area of such a card: the left part of the view.
Rect card_over_view_rect(const Panel& panel);
// Begins and ends an ImGui window there.
void begin_card_over_view(const Panel& panel, const char* id);
void end_card_over_view(const Panel& panel);

}  // namespace perturb
