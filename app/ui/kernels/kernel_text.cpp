#include "app/ui/kernels/kernel_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/edited/edited_kernel.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

constexpr int max_problems = 6;
constexpr float narrowest = 420, widest = 900, narrowest_view = 120;  // design pixels

// Width of the longest line.
float width_of(const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; }

// Line of the cursor, from 0, and whether it has moved since the last pass.
struct Cursor {
  std::string* text;
  int line = -1, position = -1;
};

int on_text(ImGuiInputTextCallbackData* data) {
  auto& cursor = *static_cast<Cursor*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    cursor.text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = cursor.text->data();
  } else {
    cursor.position = data->CursorPos;
    cursor.line = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n'));
  }
  return 0;
}

Message problem_text(const CompileProblem& problem) {
  if (problem.line == 0) return Message::value(problem.text);
  if (problem.column == 0) return {"Line {}: {}", problem.line, problem.text};
  return {"Line {}, column {}: {}", problem.line, problem.column, problem.text};
}

}  // namespace

int lines_in(const std::string& text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

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

bool draw_kernel_text(const Style& style, KernelTextState& editor, const std::vector<CompileProblem>& problems,
                      float height) {
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.px(line_number_width));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color::raised);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0));
  ImGui::BeginChild("##lines", ImVec2(0, height), false, ImGuiWindowFlags_HorizontalScrollbar);
  const float line = ImGui::GetTextLineHeight();
  const int lines = lines_in(editor.text);
  const ImVec2 space = ImGui::GetContentRegionAvail();
  // As large as the text, so that the child window scrolls, and not the field.
  const float width = std::max(space.x, width_of(editor.text) + style.px(24));
  const float full = std::max(space.y - 1, (static_cast<float>(lines) + 1) * line);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0);
  if (editor.takes_focus) type_in_next_item();
  editor.takes_focus = false;
  Cursor cursor{&editor.text};
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
  ImGui::PopStyleColor();
  const float scrolled = ImGui::GetScrollY();
  if (cursor.line >= 0 && cursor.position != editor.cursor) {
    const float top = static_cast<float>(cursor.line) * line, room = ImGui::GetWindowHeight() - 3 * line;
    if (top < scrolled) ImGui::SetScrollY(std::max(0.f, top - line));
    if (top > scrolled + room) ImGui::SetScrollY(top - room);
  }
  editor.cursor = cursor.position;
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  draw_line_numbers(style, scrolled, lines, problems);
  return entered;
}

void set_text(KernelTextState& state, const std::string& text) {
  state.text = text;
  ++state.texts;
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

void begin_card_over_view(const Panel& panel, const char* id) {
  const Style& style = panel.style;
  const Rect& view = panel.layout.view_rect;
  const float width = std::clamp(0.6f * static_cast<float>(view.width), style.px(narrowest), style.px(widest));
  const float possible = static_cast<float>(view.width) - style.px(narrowest_view);
  ImGui::SetNextWindowPos(ImVec2(static_cast<float>(view.x), static_cast<float>(view.y)));
  ImGui::SetNextWindowSize(ImVec2(std::max(style.px(200), std::min(width, possible)), static_cast<float>(view.height)));
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
