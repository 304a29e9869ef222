#include "app/ui/panels/export_dialog.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "app/i18n/language.h"
#include "app/session/output_folders.h"
#include "app/ui/panels/overlays.h"
#include "app/ui/widgets/tab_order.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {

// A button as wide as a column, with a description of its output next to it.
void export_row(const Panel& panel, const char* label, const std::string& what, const Request& request) {
  const Style& style = panel.style;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, button = std::min(style.px(150), 0.45f * width);
  const std::string words = wrap_text(what, width - button - style.px(12));
  const float height = std::max(style.row(), ImGui::CalcTextSize(words.c_str()).y + style.px(4));
  const ImVec2 to(at.x + button, at.y + height);
  if (press_area(label, ImVec2(button, height))) panel.state().ask(request);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, to, ImGui::IsItemHovered() || ImGui::IsItemFocused() ? color::hovered : color::raised,
                      style.px(5));
  draw_text_in(list, at, to, color::text, label, 0.5f);
  const float middle = at.y + 0.5f * (height - ImGui::CalcTextSize(words.c_str()).y);
  list->AddText(ImVec2(to.x + style.px(12), std::round(middle)), color::dim, words.c_str());
  ImGui::SetCursorScreenPos(ImVec2(at.x, to.y + style.px(4)));
}

std::string folder_of(const OutputFolders& output, OutputFolders::Kind kind) {
  return std::filesystem::path(whole_path_of(output.stem(kind))).parent_path().string();
}

// Rows for the output folders: images have their own folder on most desktops.
void draw_folders(const OutputFolders& output) {
  const std::string pictures = folder_of(output, OutputFolders::Kind::picture),
                    others = folder_of(output, OutputFolders::Kind::document);
  if (pictures == others) {
    draw_wrapped("Files go to " + others);
    return;
  }
  draw_wrapped(tr("Pictures and films go to {}.", pictures));
  draw_wrapped(tr("All other files go to {}.", others));
}

std::string key_in_brackets(UiCommand command) { return "  (" + shown_chord(command) + ")"; }

}  // namespace

void draw_export_dialog(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  Dialog dialog(panel, "export", 560, "Export", true, Dialog::Modality::modal);
  draw_folders(panel.session.output());
  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(170);
  ImGui::BeginChild("##exports", ImVec2(0, std::clamp(room, style.px(90), style.px(470))), false);
  heading(style, "Numbers");
  export_row(panel, "Curves as CSV", "All curves and line cuts, one row for each point", Export{ExportKind::curves});
  export_row(panel, "Curves as PNG", "The same as they are drawn", Export{ExportKind::curves_image});
  export_row(panel, "Fields as HDF5", "The saved state" + key_in_brackets(UiCommand::save_state),
             Export{ExportKind::fields});
  export_row(panel, "Copy numbers", "As text" + key_in_brackets(UiCommand::copy_numbers), Export{ExportKind::numbers});
  heading(style, "Picture");
  export_row(panel, "Picture as PNG", "Without the panels" + key_in_brackets(UiCommand::screenshot),
             Export{ExportKind::image});
  export_row(panel, "Window as PNG", "With the panels", Export{ExportKind::whole_window});
  export_row(panel, "Copy picture", "To the clipboard" + key_in_brackets(UiCommand::copy_image),
             Export{ExportKind::image_to_clipboard});
  ValueInfo caption;
  caption.kind = ValueKind::boolean, caption.label = "Caption in pictures";
  ValueRow row;
  row.key = "export/caption";
  row.value = state.caption, row.default_value = 0;
  if (const auto on = draw_value_row(style, state, caption, row)) state.caption = *on != 0;
  heading(style, "Film");
  const char* const kinds[] = {"MP4", "GIF"};
  int kind = state.film_choice.as_gif ? 1 : 0;
  if (segmented_control(style, "film", kinds, 2, kind, ImGui::GetContentRegionAvail().x))
    state.film_choice.as_gif = kind == 1;
  ValueInfo length = real_value("length", "Length", "s", "", 10, 1, 120, "Of the film, at 60 pictures a second.");
  row.key = "export/length";
  row.value = state.film_choice.seconds, row.default_value = 10;
  if (const auto seconds = draw_value_row(style, state, length, row)) state.film_choice.seconds = *seconds;
  export_row(panel, "Take the film", "From now on, each picture of it" + key_in_brackets(UiCommand::film), StartFilm{});
  heading(style, "Report and script");
  export_row(panel, "Lab report",
             "A folder: page, picture, curves, parameters, script" + key_in_brackets(UiCommand::report),
             Export{ExportKind::report});
  export_row(panel, "Script", "Does the run again, to the bit" + key_in_brackets(UiCommand::save_script),
             UiCommand::save_script);
  export_row(panel, "Copy command line",
             "Begins the run with what is chosen now" + key_in_brackets(UiCommand::copy_command_line),
             UiCommand::copy_command_line);
  ImGui::EndChild();
}

void draw_film_progress(const Panel& panel) {
  const Style& style = panel.style;
  if (!panel.state().film) return;
  const FilmProgress& film = *panel.state().film;
  char text[120];
  if (film.seconds_left > 0)
    std::snprintf(text, sizeof text, "Film: picture %lld of %lld, about %.0f s left  (Esc: keep it so far)",
                  static_cast<long long>(film.frames), static_cast<long long>(film.all), film.seconds_left);
  else
    std::snprintf(text, sizeof text, "Film: picture %lld of %lld  (Esc: keep it so far)",
                  static_cast<long long>(film.frames), static_cast<long long>(film.all));
  const Rect& view_rect = panel.layout.view_rect;
  const std::string words =
      wrap_text(text, std::min(style.px(460), static_cast<float>(view_rect.width) - style.px(48)));
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  const float pad = style.px(10), bar = style.px(4);
  const ImVec2 from(std::round(static_cast<float>(view_rect.x + 0.5 * view_rect.width) - 0.5f * size.x - pad),
                    static_cast<float>(view_rect.y) + style.px(12));
  const ImVec2 to(from.x + size.x + 2 * pad, from.y + size.y + 2 * pad + bar);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->AddRectFilled(from, to, color::popup, style.px(6));
  list->AddText(ImVec2(from.x + pad, from.y + pad), color::text, words.c_str());
  const float done = static_cast<float>(film.frames) / static_cast<float>(std::max<std::int64_t>(1, film.all));
  list->AddRectFilled(ImVec2(from.x, to.y - bar), to, color::raised);
  list->AddRectFilled(ImVec2(from.x, to.y - bar), ImVec2(from.x + done * (to.x - from.x), to.y), color::accent);
}

void draw_recovery_offer(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  if (state.recovery.description.empty() || state.overlay != Overlay::none || !panel.run().stop_reason.empty()) return;
  const Rect& view_rect = panel.layout.view_rect;
  const float width = std::max(1.f, std::min(style.px(420), static_cast<float>(view_rect.width) - style.px(24)));
  // Above the bottom of the view, where messages appear.
  ImGui::SetNextWindowPos(ImVec2(std::round(static_cast<float>(view_rect.x + 0.5 * view_rect.width)),
                                 std::round(static_cast<float>(view_rect.y + 0.6 * view_rect.height))),
                          ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, static_cast<float>(view_rect.height)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(16), style.px(12)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::popup);
  ImGui::Begin("##rescue", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  draw_wrapped((state.recovery.was_closed ? "Kept when the window was closed: "
                                          : "The program was cut off the last time. What it kept: ") +
                   state.recovery.description + ".",
               color::text);
  if (text_button(style, "Go on from there", true)) state.ask(AnswerRecovery{true});
  ImGui::SameLine();
  if (text_button(style, "Leave it", false)) state.ask(AnswerRecovery{false});
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  panel.session.panel_areas().add({at.x, at.y, size.x, size.y});
  ImGui::End();
}

}  // namespace perturb
