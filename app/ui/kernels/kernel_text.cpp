#include "app/ui/kernels/kernel_text.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <imgui_internal.h>

#include "app/edited/edited_kernel.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

constexpr int max_problems = 6;
constexpr int passes_to_keep = 3;  // until ImGui has laid out a new text, and moved to a new focus
constexpr float narrowest = 420, widest = 900, narrowest_view = 120;  // design pixels

// Width of the longest line.
float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

// Width of a part of a line, not rounded to whole pixels as by ImGui::CalcTextSize.
float exact_width(const char* from, const char* to) {
  return ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, from, to).x;
}

// Position of the cursor in bytes, and its line, from 0; -1 without the focus. `to`: where it moves; -1: nowhere.
struct Cursor {
  std::string* text;
  int to = -1;
  int line = -1, position = -1;
};

int on_text(ImGuiInputTextCallbackData* data) {
  auto& cursor = *static_cast<Cursor*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    cursor.text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = cursor.text->data();
  } else {
    if (cursor.to >= 0)
      data->CursorPos = data->SelectionStart = data->SelectionEnd = std::min(cursor.to, data->BufTextLen);
    cursor.to = -1;
    cursor.position = data->CursorPos;
    cursor.line = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n'));
  }
  return 0;
}

ImU32 color_of(CodeToken::Kind kind) {
  switch (kind) {
    case CodeToken::Kind::comment:
      return color::dim;
    case CodeToken::Kind::directive:
      return color::inks[4];
    case CodeToken::Kind::keyword:
      return color::inks[2];
    case CodeToken::Kind::type:
      return color::inks[0];
    case CodeToken::Kind::number:
      return color::inks[1];
    case CodeToken::Kind::text:
      break;
  }
  return color::inks[3];
}

// Byte at which a line, from 0, begins.
std::size_t start_of_line(std::string_view text, int line) {
  std::size_t at = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) return text.size();
    at = end + 1;
  }
  return at;
}

Message problem_text(const CompileProblem& problem) {
  if (problem.line == 0) return Message::value(problem.text);
  if (problem.column == 0) return {"Line {}: {}", problem.line, problem.text};
  return {"Line {}, column {}: {}", problem.line, problem.column, problem.text};
}

}  // namespace

int lines_in(const std::string& text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

void draw_code(const std::string& text, const std::vector<CodeToken>& tokens, ImVec2 at) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  const int first = std::max(0, static_cast<int>((list->GetClipRectMin().y - at.y) / line));
  std::size_t from = start_of_line(text, first);
  auto token = std::lower_bound(tokens.begin(), tokens.end(), from,
                                [](const CodeToken& one, std::size_t place) { return one.from < place; });
  for (float y = at.y + static_cast<float>(first) * line; from < text.size() && y < list->GetClipRectMax().y;
       y += line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    float x = at.x;
    const auto draw = [&](std::size_t to, ImU32 ink) {
      if (to <= from) return;
      list->AddText(ImVec2(x, y), ink, text.data() + from, text.data() + to);
      x += exact_width(text.data() + from, text.data() + to);
      from = to;
    };
    for (; token != tokens.end() && token->from < end; ++token) {
      draw(token->from, color::text);
      draw(token->to, color_of(token->kind));
    }
    draw(end, color::text);
    from = end + 1;
  }
}

void draw_line_numbers(const Style& style, float scrolled, int lines, const std::vector<CompileProblem>& problems) {
  std::set<int> bad;
  for (const CompileProblem& problem : problems) bad.insert(problem.line);
  const ImVec2 child = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  const float line = ImGui::GetTextLineHeight(), left = child.x - style.px(line_number_width),
              right = child.x - style.px(8);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(ImVec2(left, child.y), ImVec2(child.x, end.y), true);
  for (int k = 0; k < lines; ++k) {
    const float y = child.y - scrolled + static_cast<float>(k) * line;
    if (y + line < child.y || y > end.y) continue;
    const bool is_bad = bad.contains(k + 1);
    draw_text_in(list, ImVec2(left, y), ImVec2(right, y + line), is_bad ? color::bad : color::faint,
                 Message::value(std::to_string(k + 1)), 1);
    if (is_bad) list->AddRectFilled(ImVec2(right + style.px(3), y), ImVec2(child.x, y + line), color::bad);
  }
  list->PopClipRect();
}

namespace {

// Moves the scroll position, where needed, before the lines are drawn.
void scroll_lines(KernelTextState& editor, const std::vector<CompileProblem>& problems, bool compiles, float line,
                  float height) {
  const auto show = [&](int first) {
    editor.scroll = std::max(0.f, static_cast<float>(first - 1) * line);
    editor.kept_passes = passes_to_keep;
  };
  if (std::exchange(editor.was_set, false)) {
    const int first = first_code_line(editor.text);
    editor.cursor_to = static_cast<int>(start_of_line(editor.text, first));
    show(first);
  }
  if (editor.takes_focus) editor.kept_passes = passes_to_keep;
  if (std::exchange(editor.compiles, compiles) && !compiles) {
    const auto bad = std::find_if(problems.begin(), problems.end(), [](const CompileProblem& p) { return p.line > 0; });
    if (bad != problems.end()) {
      const float top = static_cast<float>(bad->line - 1) * line;
      const bool is_shown = top >= editor.scroll && top + line <= editor.scroll + height;
      if (!is_shown) show(bad->line - 1 - static_cast<int>(height / line / 3));
    }
  }
  if (editor.kept_passes > 0) ImGui::SetNextWindowScroll(ImVec2(-1, editor.scroll));
}

}  // namespace

bool draw_kernel_text(const Style& style, KernelTextState& editor, const std::vector<CompileProblem>& problems,
                      bool compiles, float height) {
  ImGui::PushFont(style.code);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.px(line_number_width));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  const float line = ImGui::GetTextLineHeight();
  scroll_lines(editor, problems, compiles, line, height);
  ImGui::BeginChild("##lines", ImVec2(0, height), false, ImGuiWindowFlags_HorizontalScrollbar);
  const int lines = lines_in(editor.text);
  const ImVec2 space = ImGui::GetContentRegionAvail();
  // As large as the text, so that the child window scrolls, and not the field.
  const float width = std::max(space.x, width_of(editor.text) + style.px(24));
  const float full = std::max(space.y - 1, (static_cast<float>(lines) + 1) * line);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  // ImGui draws a field in one colour, so its own text and cursor are invisible.
  ImGui::PushStyleColor(ImGuiCol_Text, 0);
  const bool takes_focus = std::exchange(editor.takes_focus, false);
  if (takes_focus) type_in_next_item();
  // A click places the cursor itself.
  Cursor cursor{&editor.text, ImGui::IsMouseDown(0) ? -1 : editor.cursor_to};
  const std::string before = editor.text;
  ImGui::PushID(
      editor.texts);  // ImGui writes back what a field contains that has the keyboard: a set text needs another
  const bool entered =
      ImGui::InputTextMultiline("##text", editor.text.data(), editor.text.size() + 1, ImVec2(width, full),
                                ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways |
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoHorizontalScroll,
                                on_text, &cursor);
  ImGui::PopID();
  add_tab_stop();
  // Esc would bring back the text that was there when the field got the focus.
  if (ImGui::IsItemDeactivated() && !entered) editor.text = before;
  if (editor.text != before) request_glyphs(editor.text);
  ImGui::PopStyleColor(2);
  if (cursor.position >= 0) editor.cursor_to = -1;
  const ImVec2 at = ImGui::GetItemRectMin();
  if (editor.tokenized != editor.text) {
    editor.tokenized = editor.text;
    editor.tokens = code_tokens(editor.text);
  }
  draw_code(editor.text, editor.tokens, at);
  if (cursor.position != editor.cursor) editor.cursor_moved = ImGui::GetTime();
  constexpr double blink = 1.2, blink_on = 0.8;  // seconds, as ImGui's own
  if (cursor.line >= 0 && std::fmod(ImGui::GetTime() - editor.cursor_moved, blink) < blink_on) {
    const char* const text = editor.text.data();
    const std::size_t start = start_of_line(editor.text, cursor.line),
                      end = std::clamp(static_cast<std::size_t>(cursor.position), start, editor.text.size());
    const float x = at.x + exact_width(text + start, text + end), y = at.y + static_cast<float>(cursor.line) * line;
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(x, y), ImVec2(x + style.px(1), y + line), color::text);
  }
  const float scrolled = ImGui::GetScrollY();
  if (editor.kept_passes > 0) {
    --editor.kept_passes;
  } else {
    editor.scroll = scrolled;
    if (cursor.line >= 0 && cursor.position != editor.cursor) {
      // Lines that were clicked stay, so that the second click of two meets the same word.
      const float below = ImGui::IsMouseDown(0) ? line : 3 * line;
      const float top = static_cast<float>(cursor.line) * line, room = ImGui::GetWindowHeight() - below;
      if (top < scrolled) ImGui::SetScrollY(std::max(0.f, top - line));
      if (top > scrolled + room) ImGui::SetScrollY(top - room);
    }
  }
  editor.cursor = cursor.position;
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  draw_line_numbers(style, scrolled, lines, problems);
  ImGui::PopFont();
  return entered;
}

void set_text(KernelTextState& state, const std::string& text) {
  state.text = text;
  ++state.texts;
  state.was_set = true;
  request_glyphs(text);
}

void replace_text(KernelTextState& state, const std::string& by) {
  if (state.text == by) return;
  state.replaced = state.text;
  state.replacement = by;
  set_text(state, by);
}

bool draw_replace_button(const Style& style, KernelTextState& state, const std::string& original, const char* label,
                         const char* help) {
  if (!state.replaced.empty() && state.text == state.replacement) {
    if (text_button(style, "Your text", false)) set_text(state, std::exchange(state.replaced, {}));
    tooltip(style, "Return to the text that this one has replaced");
    return false;
  }
  const bool is_pressed = text_button(style, label, false);
  tooltip(style, help);
  if (is_pressed) replace_text(state, original);
  return is_pressed;
}

void draw_compile_problems(const std::vector<CompileProblem>& problems, const Message& otherwise) {
  int shown = 0;
  for (const CompileProblem& problem : problems)
    if (++shown <= max_problems) draw_wrapped(problem_text(problem), color::bad);
  if (shown == 0) draw_wrapped(otherwise, color::bad);
  if (shown > max_problems) draw_wrapped({"{} more messages.", shown - max_problems}, color::bad);
}

Rect card_over_view_rect(const Panel& panel) {
  const Style& style = panel.style;
  const Rect& view = panel.layout.view_rect;
  const float width = std::clamp(0.6f * static_cast<float>(view.width), style.px(narrowest), style.px(widest));
  const float possible = static_cast<float>(view.width) - style.px(narrowest_view);
  return {view.x, view.y, std::max(style.px(200), std::min(width, possible)), view.height};
}

void begin_card_over_view(const Panel& panel, const char* id) {
  const Style& style = panel.style;
  const Rect card = card_over_view_rect(panel);
  ImGui::SetNextWindowPos(ImVec2(static_cast<float>(card.x), static_cast<float>(card.y)));
  ImGui::SetNextWindowSize(ImVec2(static_cast<float>(card.width), static_cast<float>(card.height)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(12), style.px(10)));
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
}

void end_card_over_view(const Panel& panel) {
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  panel.areas.add({at.x, at.y, size.x, size.y});
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace perturb
