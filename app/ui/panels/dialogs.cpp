#include "app/ui/panels/dialogs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>

#include <imgui_internal.h>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/lesson_panel.h"
#include "app/ui/panels/status_bar.h"
#include "app/ui/widgets/color_bar.h"
#include "app/ui/widgets/equation.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

namespace {

constexpr ImGuiWindowFlags dialog_flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                          ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize;

// A window between the panels and a dialog that blocks the pointer from the panels.
void draw_backdrop(float width, float height) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::backdrop);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##veil", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  // The dialog appears in the same pass, on top.
  if (ImGui::IsWindowAppearing()) ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

}  // namespace

Dialog::Dialog(const Panel& panel, const char* id, float design_width, const char* title, bool closable,
               Modality modality) {
  const Style& style = panel.style;
  panel.areas.add_everything();
  const auto width = static_cast<float>(panel.layout.width), height = static_cast<float>(panel.layout.height);
  if (modality == Modality::modal)
    draw_backdrop(width, height);
  else
    ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(width, height), color::backdrop);
  const float dialog_width = std::max(1.f, std::min(style.px(design_width), width - style.px(32)));
  // In the middle of the view if it fits there, so that the panels stay visible.
  const Rect& view_rect = panel.layout.view_rect;
  const bool fits = view_rect.width >= dialog_width + style.px(32);
  // It ends above the status bar.
  const float usable = height - static_cast<float>(panel.layout.status.height), margin = style.px(12);
  ImGui::SetNextWindowPos(
      ImVec2(fits ? static_cast<float>(view_rect.x + 0.5 * view_rect.width) : 0.5f * width, 0.5f * usable),
      ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  ImGui::SetNextWindowSizeConstraints(ImVec2(dialog_width, 0),
                                      ImVec2(dialog_width, std::max(1.f, usable - 2 * margin)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(24), style.px(20)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, style.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::dialog);
  ImGui::Begin(id, nullptr, dialog_flags);
  tab_mark_dialog();
  ImGui::PushFont(style.title);
  ImGui::TextUnformatted(tr(title).c_str());
  ImGui::PopFont();
  if (closable) {
    const float button = style.px(28);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
    if (icon_button(style, "close", Icon::close, button)) panel.ask(CommandId::close_overlay);
    tooltip(style, "Close  (Esc)");
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
}

Dialog::~Dialog() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

namespace {

// The button that applies the remedy, if a parameter was found that keeps the run finite. Returns whether it is shown.
bool draw_remedy(const Panel& panel) {
  const RunStatus& run = panel.run();
  if (!run.has_sought_remedy) {
    draw_wrapped("Looking for a change that keeps it running ...");
    return false;
  }
  if (!run.remedy) return false;
  if (run.remedy->parameter.empty()) {
    draw_wrapped("Tried on a copy: from the last valid state, without the later changes, it keeps running.");
    return false;
  }
  const Parameter& parameter = *find_parameter(run.info->parameters, run.remedy->parameter);
  const DisplayUnit unit = panel.shown_unit(parameter.unit, parameter.id);
  const Message value = value_text(in_display_unit(parameter, unit), run.remedy->value * unit.factor);
  draw_wrapped("Tried on a copy: with this change it keeps running.");
  if (text_button(panel.style, Message("Set {} to {} and continue", Message(parameter.label), value), true))
    panel.ask(CommandId::apply_remedy);
  return true;
}

}  // namespace

void draw_stop_message(const Panel& panel) {
  const Style& style = panel.style;
  Dialog dialog(panel, "trouble", 460, "The run has stopped", false);
  draw_wrapped(panel.run().stop_reason, color::text);
  ImGui::Dummy(ImVec2(0, style.px(6)));
  const bool has_remedy = draw_remedy(panel);
  if (panel.run().can_restore_last_good) {
    if (text_button(style, "Restore the last valid state", !has_remedy)) panel.ask(CommandId::restore_last_good);
    ImGui::SameLine();
  }
  if (text_button(style, "Restart", !has_remedy && !panel.run().can_restore_last_good)) panel.ask(CommandId::restart);
  ImGui::SameLine();
  if (text_button(style, "Restart with defaults", false)) {
    panel.ask(CommandId::reset_parameters);
    panel.ask(CommandId::restart);
  }
}

namespace {

// A button as wide as a column, with a description of its output next to it.
void export_row(const Panel& panel, const char* label, const Message& what, const Command& command) {
  const Style& style = panel.style;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, button = std::min(style.px(150), 0.45f * width);
  const std::string words = wrap_text(what, width - button - style.px(12));
  const float height = std::max(style.row(), ImGui::CalcTextSize(words.c_str()).y + style.px(4));
  const ImVec2 to(at.x + button, at.y + height);
  if (press_area(label, ImVec2(button, height))) panel.ask(command);
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
    draw_wrapped({"Files are saved in {}", others});
    return;
  }
  draw_wrapped({"Images and videos are saved in {}.", pictures});
  draw_wrapped({"All other files are saved in {}.", others});
}

}  // namespace

void draw_export_dialog(const Panel& panel) {
  const Style& style = panel.style;
  ExportChoices choices = panel.interface().exports;
  const auto choose = [&] { panel.ask(ChangeInterface{&InterfaceState::exports, choices}); };
  Dialog dialog(panel, "export", 560, "Export", true, Dialog::Modality::modal);
  draw_folders(panel.session.output());
  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(170);
  ImGui::BeginChild("##exports", ImVec2(0, std::clamp(room, style.px(90), style.px(470))), false);
  heading(style, "Data");
  export_row(panel, "Curves as CSV", "All curves and line cuts, one row per point", Export{ExportKind::curves});
  export_row(panel, "Curves as PNG", "The curves as an image", Export{ExportKind::curves_image});
  export_row(panel, "Kernels as CSV", "The table of the tab Kernels, one row per kernel", Export{ExportKind::kernels});
  export_row(panel, "Fields as HDF5", "For h5py and other readers of HDF5", Export{ExportKind::fields});
  export_row(panel, "Copy values", with_key("As text", CommandId::copy_numbers), Export{ExportKind::numbers});
  heading(style, "Image");
  export_row(panel, "Image as PNG", with_key("Without the panels", CommandId::screenshot), Export{ExportKind::image});
  export_row(panel, "Window as PNG", "With the panels", Export{ExportKind::whole_window});
  export_row(panel, "Copy image", with_key("To the clipboard", CommandId::copy_image),
             Export{ExportKind::image_to_clipboard});
  ValueInfo caption;
  caption.kind = ValueKind::boolean;
  caption.label = "Captions in images";
  ValueRow row;
  row.key = "export/caption";
  row.value = choices.caption;
  row.default_value = 0;
  if (const auto on = panel.value_row(caption, row)) {
    choices.caption = *on != 0;
    choose();
  }
  heading(style, "Video");
  const char* const kinds[] = {"MP4", "GIF"};
  int kind = choices.film_as_gif ? 1 : 0;
  if (segmented_control(style, "film", kinds, 2, kind, ImGui::GetContentRegionAvail().x)) {
    choices.film_as_gif = kind == 1;
    choose();
  }
  ValueInfo length =
      real_value("length", "Length", "s", "", 10, 1, 120, "Length of the video at 60 frames per second.");
  row.key = "export/length";
  row.value = choices.film_seconds;
  row.default_value = 10;
  if (const auto seconds = panel.value_row(length, row)) {
    choices.film_seconds = *seconds;
    choose();
  }
  export_row(panel, "Record video", with_key("Records the next frames", CommandId::film), CommandId::film);
  heading(style, "Report and script");
  export_row(panel, "Lab report",
             with_key("A folder with page, image, curves, parameters and script", CommandId::report),
             Export{ExportKind::report});
  export_row(panel, "Script", with_key("Repeats the run exactly", CommandId::save_script), CommandId::save_script);
  export_row(panel, "Copy command line",
             with_key("Starts a run with the current settings", CommandId::copy_command_line),
             CommandId::copy_command_line);
  ImGui::EndChild();
}

void draw_film_progress(const Panel& panel) {
  const Style& style = panel.style;
  if (!panel.session.playback().film()) return;
  const FilmProgress& film = *panel.session.playback().film();
  const Message text = film.seconds_left > 0
                           ? Message("Recording: frame {} of {}, about {} s left  (Esc: stop and save)", film.frames,
                                     film.all, std::llround(film.seconds_left))
                           : Message("Recording: frame {} of {}  (Esc: stop and save)", film.frames, film.all);
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

Message day_text(std::time_t then, std::time_t now) {
  constexpr const char* days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  std::tm day{}, today{};
  localtime_r(&then, &day);
  localtime_r(&now, &today);
  // Noon to noon: days of 23 and 25 hours count as one.
  const auto noon = [](std::tm of) {
    of.tm_hour = 12;
    of.tm_min = of.tm_sec = 0;
    of.tm_isdst = -1;
    return std::mktime(&of);
  };
  const long ago = std::lround(std::difftime(noon(today), noon(day)) / 86400);
  char text[32];
  if (ago == 0) {
    std::strftime(text, sizeof text, "%H:%M", &day);
    return Message::value(text);
  }
  if (ago == 1) return "yesterday";
  if (ago > 1 && ago < 7) return days[day.tm_wday];
  std::strftime(text, sizeof text, "%Y-%m-%d", &day);
  return Message::value(text);
}

namespace {

// The title of the scene with this path, which the user knows it by; of a user's preset, the name of its file.
Message title_of_scene(const std::string& path) {
  const std::string full = full_preset_of(path);
  for (const SceneEntry& scene : all_scenes())
    if (scene.path() == full) return Message(scene.title);
  return full.ends_with(".toml") ? Message::value(std::filesystem::path(full).stem().string()) : Message::value(full);
}

}  // namespace

Message recovery_text(const RecoveryOffer& offer) {
  Message run = offer.description;  // "{} at step {}"
  std::vector<Message> arguments = run.arguments();
  if (!arguments.empty()) {
    arguments.front() = title_of_scene(arguments.front().text());
    run = offer.was_closed ? arguments.front() : Message::with_arguments(run.text(), arguments);
  }
  if (!offer.was_closed) return {"Perturb did not exit cleanly. Recovered: {}.", run};
  return {"Continue {} of {}?", run, day_text(offer.saved, std::time(nullptr))};
}

bool is_recovery_offered(const Panel& panel) {
  const RecoveryOffer& offer = panel.session.autosave_controller().offer();
  return !offer.description.empty() && !offer.put_off && panel.interface().overlay == Overlay::none &&
         panel.run().stop_reason.empty();
}

void draw_recovery_offer(const Panel& panel) {
  const Style& style = panel.style;
  const RecoveryOffer& offer = panel.session.autosave_controller().offer();
  if (!is_recovery_offered(panel) || is_offer_in_status_line(panel)) return;
  // At the bottom of the view, above the line of a message.
  const Rect view_rect = visible_view_rect(panel);
  const float width = std::max(1.f, std::min(style.px(600), static_cast<float>(view_rect.width) - style.px(24)));
  ImGui::SetNextWindowPos(ImVec2(std::round(static_cast<float>(view_rect.x + 0.5 * view_rect.width)),
                                 std::round(static_cast<float>(view_rect.y + view_rect.height) - style.px(64))),
                          ImGuiCond_Always, ImVec2(0.5f, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(width, static_cast<float>(view_rect.height)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(12), style.px(6)));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::popup);
  ImGui::Begin("##rescue", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  // In one line where there is room.
  const std::string text = tr(recovery_text(offer));
  const float buttons = text_size("Continue").x + text_size("Discard").x + style.px(150);
  const bool is_line = ImGui::CalcTextSize(text.c_str()).x + buttons < width;
  if (is_line) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text.c_str());
    ImGui::SameLine();
  } else {
    ImGui::PushTextWrapPos(width - style.px(24));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
  }
  if (text_button(style, "Continue", true)) panel.ask(AnswerRecovery{true});
  ImGui::SameLine();
  if (text_button(style, "Discard", false)) panel.ask(AnswerRecovery{false});
  if (offer.was_closed) {
    ImGui::SameLine();
    if (icon_button(style, "later", Icon::close, style.row())) panel.ask(CommandId::close_overlay);
    tooltip(style, "Not now (Esc): the scene browser keeps it");
  }
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  panel.areas.add({at.x, at.y, size.x, size.y});
  ImGui::End();
}

void draw_preset_prompt(const Panel& panel, PresetPromptState& preset) {
  const Style& style = panel.style;
  const PresetPrompt& prompt = panel.session.presets().prompt();
  if (preset.opened != prompt.opened) {
    preset = {prompt.opened, "", true};
    fill_field(preset.title, prompt.title);
  }
  Dialog dialog(panel, "preset", 460, "Save as preset", true, Dialog::Modality::modal);
  draw_wrapped("It starts with the current parameters and view, and with everything drawn, dropped and pushed so far.");
  if (preset.just_opened) type_in_next_item();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const bool entered = text_field("##title", tr("Title").c_str(), preset.title, sizeof preset.title,
                                  ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  // Checked when the title changes, not in every frame.
  if (preset.just_opened || ImGui::IsItemEdited()) {
    std::error_code ignored;
    preset.replaces = std::filesystem::exists(
        user_presets_folder() + "/" + panel.run().info->id + "/" + preset_file_stem(preset.title) + ".toml", ignored);
    preset.title_is_new = true;
  }
  preset.just_opened = false;
  if (!prompt.error.empty() && !preset.title_is_new)
    draw_wrapped(prompt.error, color::bad);
  else if (preset.replaces)
    draw_wrapped("This name exists. Saving overwrites it.", color::warning);
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, preset.replaces ? "Replace" : "Save", true) || entered) {
    panel.ask(SavePreset{preset.title});
    preset.title_is_new = false;
  }
  ImGui::SameLine();
  if (text_button(style, "Cancel", false)) panel.ask(CommandId::close_overlay);
}

namespace {

// A key or a name, with its action next to it; both wrap.
void draw_line(const Style& style, const Message& key, const Message& action, float key_width, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string left = wrap_text(key, key_width - style.px(10)), right = wrap_text(action, width - key_width);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float inset = std::floor(style.px(5) / 2);
  list->AddText(ImVec2(at.x, at.y + inset), color::accent_bright, left.c_str());
  list->AddText(ImVec2(at.x + key_width, at.y + inset), color::text, right.c_str());
  const float height = std::max(ImGui::CalcTextSize(left.c_str()).y, ImGui::CalcTextSize(right.c_str()).y);
  ImGui::Dummy(ImVec2(width, height + style.px(5) - ImGui::GetStyle().ItemSpacing.y));
}

void draw_keys(const Panel& panel) {
  const Style& style = panel.style;
  // Two columns if both are wide enough for their text. Left: the mouse, scenes, images. Right: the rest.
  const float gap = style.px(28), available = ImGui::GetContentRegionAvail().x;
  const bool two = available >= style.px(660);
  const float width = two ? std::floor(0.5f * (available - gap)) : available;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const auto group = [&](const char* name) {
    heading(style, name);
    for (const CommandInfo& command : command_table())
      if (std::strcmp(command.group, name) == 0)
        draw_line(style, shown_chords(command), command.label, style.px(116), width);
  };
  ImGui::BeginGroup();
  heading(style, "Mouse");
  for (const MouseBinding& binding : mouse_bindings())
    draw_line(style, binding.gesture, binding.action, std::min(style.px(168), 0.5f * width), width);
  group("Scene");
  group("View");
  ImGui::EndGroup();
  if (two) ImGui::SetCursorScreenPos(ImVec2(start.x + width + gap, start.y));
  ImGui::BeginGroup();
  group("Time");
  group("Window");
  ImGui::EndGroup();
}

void draw_scene(const Panel& panel) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const SimulationInfo& info = *panel.run().info;
  ImGui::PushFont(style.strong);
  draw_wrapped(scene.title.empty() ? info.title : scene.title, color::text);
  ImGui::PopFont();
  if (!scene.hint.empty()) draw_wrapped(scene.hint, color::text);
  const float width = ImGui::GetContentRegionAvail().x, names = std::min(style.px(168), 0.4f * width);
  if (!scene.tries.empty()) heading(style, "Things to try");
  for (std::size_t k = 0; k < scene.tries.size(); ++k)
    draw_line(style, Message::value(std::to_string(k + 1)), scene.tries[k], style.px(24), width);
  heading(style, info.title);
  if (!info.equation.empty()) draw_equation(style, info.equation);
  draw_wrapped(info.summary);
  if (!info.tools.empty()) heading(style, "Tools");
  for (std::size_t i = 0; i < info.tools.size(); ++i) {
    const Tool& tool = info.tools[i];
    const Message name = tool.label;
    if (i >= 9)
      draw_line(style, name, tool.help, names, width);
    else if (tool.key.empty())
      draw_line(style, {"{}  ({})", name, i + 1}, tool.help, names, width);
    else
      draw_line(style, {"{}  ({}, {})", name, i + 1, shown_chord(tool.key)}, tool.help, names, width);
  }
  heading(style, "Parameters");
  for (const Parameter& p : info.parameters) {
    const std::string shown = panel.shown_unit(p.unit, p.id).text;
    const Message label = p.label, unit = shown.empty() ? Message() : Message("In {}.", Message(shown));
    draw_line(style, p.symbol.empty() ? label : Message("{}, {}", label, Message(p.symbol)), Message(p.help) + unit,
              names, width);
  }
  if (info.paper.empty()) return;
  heading(style, "Paper");
  draw_wrapped(info.paper, color::text);
  if (!info.paper_page.empty())
    draw_wrapped({"Which of its claims hold today: {}.",
                  "docs/papers/" + info.paper_page + ".md, \"perturb paper " + info.paper_page + "\""});
}

}  // namespace

void draw_help(const Panel& panel) {
  const Style& style = panel.style;
  constexpr const char* pages[] = {"Keys and mouse", "About this scene", "Lessons"};
  const int shown = panel.interface().help_page;
  Dialog dialog(panel, "help", 760, shown == 0 ? "Help" : pages[shown]);
  int page = panel.interface().help_page;
  if (segmented_control(style, "page", pages, 3, page, std::min(style.px(440), ImGui::GetContentRegionAvail().x)))
    panel.ask(ShowHelpPage{page});
  ImGui::Dummy(ImVec2(0, style.px(2)));

  // The height that the page of keys needs, for every page; longer pages scroll.
  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(160);
  ImGui::PushID(panel.interface().help_page);
  ImGui::BeginChild("##page", ImVec2(0, std::clamp(room, style.px(90), style.px(470))), false);
  if (panel.interface().help_page == 0)
    draw_keys(panel);
  else if (panel.interface().help_page == lessons_help_page)
    draw_lesson_list(panel);
  else
    draw_scene(panel);
  ImGui::EndChild();
  ImGui::PopID();
}

}  // namespace perturb
