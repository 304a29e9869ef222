#include "app/ui/panels/kernel_editor.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

namespace {

constexpr float narrowest = 420, widest = 900, narrowest_view = 120;  // design pixels
constexpr int most_problems = 6;

int lines_in(const std::string& text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

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

constexpr float gutter = 40;  // design pixels, for the numbers of the lines

// The numbers of the lines at the left of the child window that was drawn last, which has scrolled this far; and a mark
// at lines with errors.
void draw_line_numbers(const Style& style, float scrolled, int lines, const std::set<int>& bad) {
  const ImVec2 child = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  const float line = ImGui::GetTextLineHeight(), left = child.x - style.px(gutter), right = child.x - style.px(8);
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

// The text, with the numbers of its lines. Returns whether Ctrl+Enter was pressed.
bool draw_text(const Panel& panel, KernelEditorState& editor, float height) {
  const Style& style = panel.style;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.px(gutter));
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
  if (editor.takes_focus) ImGui::SetKeyboardFocusHere();
  editor.takes_focus = false;
  Cursor cursor{&editor.text};
  const std::string before = editor.text;
  const bool entered =
      ImGui::InputTextMultiline("##text", editor.text.data(), editor.text.size() + 1, ImVec2(width, full),
                                ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways |
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoHorizontalScroll,
                                on_text, &cursor);
  add_tab_stop();
  // Esc would bring back the text from before the field got the focus.
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
  std::set<int> bad;
  for (const CompileProblem& problem : panel.session.kernel_editor().problems()) bad.insert(problem.line);
  draw_line_numbers(style, scrolled, lines, bad);
  return entered;
}

Message problem_text(const CompileProblem& problem) {
  if (problem.line == 0) return Message::value(problem.text);
  if (problem.column == 0) return {"Line {}: {}", problem.line, problem.text};
  return {"Line {}, column {}: {}", problem.line, problem.column, problem.text};
}

void draw_problems(const Panel& panel) {
  const KernelEditor& kernels = panel.session.kernel_editor();
  if (kernels.is_compiling()) return draw_wrapped("Compiling ...");
  if (kernels.error().empty()) {
    draw_wrapped(is_edited_kernel(panel.run().kernel) ? "The edited kernel is in use. It runs in a process of its own."
                                                      : "The built-in kernel is in use.");
    return;
  }
  int shown = 0;
  for (const CompileProblem& problem : kernels.problems())
    if (++shown <= most_problems) draw_wrapped(problem_text(problem), color::bad);
  if (shown == 0) draw_wrapped(kernels.error(), color::bad);
  if (shown > most_problems) draw_wrapped({"{} more messages.", shown - most_problems}, color::bad);
}

// Takes over a text that the session has set, and the built-in text of another simulation.
void update_text(const Panel& panel, KernelEditorState& editor) {
  const KernelEditor& kernels = panel.session.kernel_editor();
  const RunStatus& run = panel.run();
  if (editor.simulation != run.info->id) {
    editor.simulation = run.info->id;
    editor.text = is_edited_kernel(run.kernel) ? std::string(edited_text(run.kernel))
                                               : std::string(run.kernel_source->built_in_text());
    request_glyphs(editor.text);
  }
  if (editor.texts == kernels.texts()) return;
  editor.texts = kernels.texts();
  editor.text = kernels.text();
  request_glyphs(editor.text);
}

}  // namespace

Message no_editing_reason(const Panel& panel) {
  if (!panel.run().scene->lanes.empty()) return "A race compares the built-in kernels only.";
  if (!panel.run().kernel_source) return "The kernels of this simulation cannot be edited.";
  if (!panel.interface().preferences.edit_kernels) return "Switch on \"Edit kernels\" in the tab View.";
  return {};
}

void draw_kernel_editor(const Panel& panel, KernelEditorState& editor) {
  if (!editor.open || !no_editing_reason(panel).empty() || panel.interface().preferences.simple) return;
  update_text(panel, editor);
  const Style& style = panel.style;
  const Rect& view = panel.layout.view_rect;
  const float width = std::clamp(0.6f * static_cast<float>(view.width), style.px(narrowest), style.px(widest));
  const float possible = static_cast<float>(view.width) - style.px(narrowest_view);
  ImGui::SetNextWindowPos(ImVec2(static_cast<float>(view.x), static_cast<float>(view.y)));
  ImGui::SetNextWindowSize(ImVec2(std::max(style.px(200), std::min(width, possible)), static_cast<float>(view.height)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(12), style.px(10)));
  ImGui::Begin("##kernel editor", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PushFont(style.strong);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("Update of a cell").c_str());
  ImGui::PopFont();
  const float button = style.px(26);
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
  if (icon_button(style, "close", Icon::close, button)) editor.open = false;
  tooltip(style, "Close the editor");
  bool compile = text_button(style, "Compile", true);
  tooltip(style, "Compile and use this text from the next step on  (Ctrl+Enter)");
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Built-in text", false)) {
    editor.text = std::string(panel.run().kernel_source->built_in_text());
    panel.ask(ChooseKernel{"auto"});
  }
  tooltip(style, "Return to the built-in text and kernel");
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Open", false)) panel.ask(CommandId::open_file);
  tooltip(style, "Open a text from a file (.h)");
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Save", false)) panel.ask(SaveKernelText{editor.text});
  tooltip(style, "Save this text as a file");
  const float messages = style.px(96);
  compile |= draw_text(panel, editor, std::max(style.px(60), ImGui::GetContentRegionAvail().y - messages));
  ImGui::BeginChild("##messages", ImVec2(0, 0), false);
  draw_problems(panel);
  ImGui::EndChild();
  if (compile) {
    panel.ask(CompileKernel{editor.text});
    editor.takes_focus = true;
  }
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  panel.areas.add({at.x, at.y, size.x, size.y});
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

void draw_unread_kernel(const Panel& panel) {
  const Style& style = panel.style;
  const KernelEditor& kernels = panel.session.kernel_editor();
  Dialog dialog(panel, "unread kernel", 760, "Kernel from a file", true, Dialog::Modality::modal);
  draw_wrapped({"\"{}\" contains the text of a kernel. Compiled, it is a program that can do anything that you can do. "
                "Read it, and compile it only if you trust it.",
                std::filesystem::path(kernels.unread_file()).filename().string()},
               color::text);
  request_glyphs(kernels.unread());
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color::raised);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.px(gutter));
  ImGui::BeginChild("##unread", ImVec2(0, style.px(320)), false, ImGuiWindowFlags_HorizontalScrollbar);
  ImGui::TextUnformatted(kernels.unread().c_str());
  const float scrolled = ImGui::GetScrollY();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  draw_line_numbers(style, scrolled, lines_in(kernels.unread()), {});
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, "Do not compile", true)) panel.ask(AnswerUnreadKernel{false});
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Compile and use", false)) panel.ask(AnswerUnreadKernel{true});
}

}  // namespace perturb
