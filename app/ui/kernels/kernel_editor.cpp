#include "app/ui/kernels/kernel_editor.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/edited/edited_kernel.h"
#include "app/i18n/language.h"
#include "app/ui/kernels/kernel_text.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/widgets/fonts.h"
#include "cuda/core/simulation/edited_kernel.h"

namespace perturb {

namespace {

void draw_problems(const Panel& panel) {
  const KernelEditor& kernels = panel.session.kernel_editor();
  if (kernels.is_compiling()) return draw_wrapped("Compiling ...");
  if (kernels.error().empty()) {
    if (const Message& failure = panel.run().edited_kernel_failure; !failure.empty())
      return draw_wrapped(failure, color::bad);
    draw_wrapped(is_edited_kernel(panel.run().kernel) ? "The edited kernel is in use. It runs in a process of its own."
                                                      : "The built-in kernel is in use.");
    return;
  }
  draw_compile_problems(kernels.problems(), kernels.error());
}

// Takes over a text that the session has set, and the built-in text of another simulation.
void update_text(const Panel& panel, KernelEditorState& editor) {
  const KernelEditor& kernels = panel.session.kernel_editor();
  const RunStatus& run = panel.run();
  if (editor.simulation != run.info->id) {
    if (!editor.simulation.empty()) editor.others[editor.simulation] = editor.text;
    editor.simulation = run.info->id;
    editor.replaced.clear();
    const auto own = editor.others.find(editor.simulation);
    set_text(editor, is_edited_kernel(run.kernel) ? std::string(edited_text(run.kernel))
                     : own != editor.others.end() ? own->second
                                                  : std::string(run.kernel_source->built_in_text()));
  }
  if (editor.handled == kernels.texts()) return;
  editor.handled = kernels.texts();
  replace_text(editor, kernels.text());
}

}  // namespace

Message no_editing_reason(const Panel& panel) {
  if (!panel.run().scene->lanes.empty()) return "A race compares the built-in kernels only.";
  if (!panel.run().kernel_source) return "The kernels of this simulation cannot be edited.";
  if (!panel.interface().preferences.edit_kernels) return "Switch on \"Edit kernels\" in the tab View.";
  return {};
}

bool kernel_editor_is_shown(const Panel& panel, const KernelEditorState& editor) {
  return editor.open && no_editing_reason(panel).empty() && !panel.interface().preferences.simple;
}

void draw_kernel_editor(const Panel& panel, KernelEditorState& editor) {
  if (!kernel_editor_is_shown(panel, editor)) return;
  update_text(panel, editor);
  const Style& style = panel.style;
  begin_card_over_view(panel, "##kernel editor");
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
  if (draw_replace_button(style, editor, std::string(panel.run().kernel_source->built_in_text()), "Built-in text",
                          "Return to the built-in text and kernel"))
    panel.ask(ChooseKernel{"auto"});
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Open", false)) panel.ask(CommandId::open_file);
  tooltip(style, "Open a text from a file (.h)");
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Save", false)) panel.ask(SaveKernelText{editor.text});
  tooltip(style, "Save this text as a file");
  const float messages = style.px(96);
  compile |= draw_kernel_text(style, editor, panel.session.kernel_editor().problems(),
                              panel.session.kernel_editor().is_compiling(),
                              std::max(style.px(60), ImGui::GetContentRegionAvail().y - messages));
  ImGui::BeginChild("##messages", ImVec2(0, 0), false);
  draw_problems(panel);
  ImGui::EndChild();
  if (compile) {
    panel.ask(CompileKernel{editor.text});
    editor.takes_focus = true;
  }
  end_card_over_view(panel);
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
  ImGui::PushFont(style.code);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color::raised);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.px(line_number_width));
  ImGui::BeginChild("##unread", ImVec2(0, style.px(320)), false, ImGuiWindowFlags_HorizontalScrollbar);
  const int lines = lines_in(kernels.unread());
  draw_code(kernels.unread(), code_tokens(kernels.unread()), ImGui::GetCursorScreenPos());
  ImGui::Dummy(
      ImVec2(ImGui::CalcTextSize(kernels.unread().c_str()).x, static_cast<float>(lines) * ImGui::GetTextLineHeight()));
  const float scrolled = ImGui::GetScrollY();
  ImGui::EndChild();
  ImGui::PopStyleColor();
  draw_line_numbers(style, scrolled, lines, {});
  ImGui::PopFont();
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, "Do not compile", true)) panel.ask(AnswerUnreadKernel{false});
  ImGui::SameLine(0, style.gap());
  if (text_button(style, "Compile and use", false)) panel.ask(AnswerUnreadKernel{true});
}

}  // namespace perturb
