#include "app/ui/panels/file_browser.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/io/files/folders.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

using Purpose = FileBrowsing::Purpose;

// A line of the list: the parent folder, or an item of the folder whose name contains the typed text.
struct FileLine {
  std::string name;
  bool is_folder = false;
};

std::string to_lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Whether a path was typed: with a folder, or "~" for the user's home.
bool is_path(const std::string& typed) { return typed.find('/') != std::string::npos || typed == "~"; }

std::vector<FileLine> lines_of(const FileBrowsing& files) {
  std::vector<FileLine> lines;
  // A path or a new name is being typed: it does not filter the list.
  const std::string typed = to_lower_case(files.name);
  const bool filters = files.purpose == Purpose::open && !is_path(typed);
  if (!filters || typed.empty()) lines.push_back({"..", true});
  for (const FolderItem& item : files.listing.items)
    if (!filters || to_lower_case(item.name).find(typed) != std::string::npos)
      lines.push_back({item.name, item.is_folder});
  return lines;
}

std::string path_in(const FileBrowsing& files, const std::string& name) {
  if (name == "..") return folder_above(files.listing.folder);
  if (const std::string whole = with_home_folder(name); whole.starts_with("/")) return whole;
  return files.listing.folder + (files.listing.folder == "/" ? "" : "/") + name;
}

void take_line(const Panel& panel, const FileLine& line) {
  UiState& state = panel.state();
  if (line.is_folder)
    state.ask(ListFolder{path_in(state.files, line.name)});
  else if (state.files.purpose == Purpose::open)
    state.ask(OpenFile{path_in(state.files, line.name)});
  else
    fill_field(state.files.name, line.name);
}

// Executes Enter or the button: takes the typed name if it is valid, else the chosen line.
void take_chosen(const Panel& panel, const std::vector<FileLine>& lines) {
  UiState& state = panel.state();
  const FileBrowsing& files = state.files;
  const std::string typed = files.name;
  std::error_code ignored;
  if (!typed.empty() && std::filesystem::is_directory(path_in(files, typed), ignored))
    state.ask(ListFolder{path_in(files, typed)});
  else if (files.purpose == Purpose::save_state && !typed.empty())
    state.ask(SaveStateAs{path_in(files, typed)});
  else if (files.purpose == Purpose::open && !typed.empty() &&
           (is_path(typed) || lines.empty() || std::filesystem::exists(path_in(files, typed), ignored)))
    state.ask(OpenFile{path_in(files, typed)});
  else if (!lines.empty())
    take_line(panel, lines[std::min(files.chosen, lines.size() - 1)]);
}

void draw_lines(const Panel& panel, const std::vector<FileLine>& lines, bool scroll) {
  const Style& style = panel.style;
  FileBrowsing& files = panel.state().files;
  const float width = ImGui::GetContentRegionAvail().x, icon = style.px(16), pad = style.px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string words = wrap_text(
        lines[k].name == ".." ? Message("Parent folder") : Message::value(lines[k].name), width - icon - 4 * pad);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size(width, ImGui::CalcTextSize(words.c_str()).y + 2 * pad);
    ImGui::PushID(static_cast<int>(k));
    if (press_area("##line", size)) {
      files.chosen = k;
      take_line(panel, lines[k]);
    }
    ImGui::PopID();
    const bool chosen = k == files.chosen && (files.by_arrows || files.purpose != Purpose::output_folder);
    if (chosen && scroll) ImGui::SetScrollHereY(0.5f);
    if (!ImGui::IsItemVisible()) continue;
    const ImVec2 to(at.x + size.x, at.y + size.y);
    if (chosen || ImGui::IsItemHovered()) list->AddRectFilled(at, to, color::hovered, style.px(4));
    if (chosen) list->AddRect(at, to, color::accent, style.px(4), 0, style.px(1));
    if (lines[k].is_folder)
      draw_icon(list, lines[k].name == ".." ? Icon::up : Icon::folder,
                ImVec2(at.x + 2 * pad + 0.5f * icon, at.y + 0.5f * size.y), icon, color::dim);
    list->AddText(ImVec2(at.x + 3 * pad + icon, at.y + pad), color::text, words.c_str());
  }
}

}  // namespace

void draw_file_browser(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  FileBrowsing& files = state.files;
  constexpr const char* titles[] = {"Open a file", "Save the state", "Folder for images and files"};
  Dialog dialog(panel, "open", 560, titles[static_cast<int>(files.purpose)], true, Dialog::Modality::modal);
  draw_wrapped(Message::value(files.listing.folder), color::text);

  const bool has_name = files.purpose != Purpose::output_folder;
  bool entered = false;
  if (has_name) {
    if (files.just_opened || !ImGui::IsAnyItemActive()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    entered = text_field(
        "##path", tr(files.purpose == Purpose::open ? "Type to search, or enter a path" : "file.h5").c_str(),
        files.name, sizeof files.name, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemEdited()) files.chosen = 0, files.error = {};
  }
  const std::vector<FileLine> lines = lines_of(files);
  const std::size_t before = files.chosen;
  const std::size_t last = lines.empty() ? 0 : lines.size() - 1;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) ++files.chosen;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)) && files.chosen > 0) --files.chosen;
  files.chosen = std::min(files.chosen, last);
  const bool moved = files.chosen != before;
  if (moved) files.by_arrows = true;
  // A user who moves through the list while saving means the chosen line, not the proposed name.
  if (moved && files.purpose == Purpose::save_state && !lines[files.chosen].is_folder)
    fill_field(files.name, lines[files.chosen].name);

  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(240);
  ImGui::BeginChild("##files", ImVec2(0, std::clamp(room, style.px(70), style.px(300))), false,
                    ImGuiWindowFlags_NoNavInputs);
  draw_lines(panel, lines, moved || files.just_opened);
  if (lines.empty()) draw_wrapped({"No match for \u201c{}\u201d in this folder.", std::string(files.name)});
  if (files.listing.is_cut) draw_wrapped("Too many files to list. Type a part of the path.");
  ImGui::EndChild();
  files.just_opened = false;

  if (!files.error.empty()) {
    draw_wrapped(files.error, color::bad);
  } else if (files.purpose == Purpose::save_state && files.name[0] != '\0') {
    const bool there = std::any_of(lines.begin(), lines.end(), [&](const FileLine& line) {
      return line.name == files.name || line.name == std::string(files.name) + ".h5";
    });
    if (there) draw_wrapped("This name exists. Saving overwrites it.", color::warning);
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
  if (files.purpose == Purpose::output_folder) {
    // After the arrow keys, Enter takes the chosen line; the button applies to this folder.
    if (files.by_arrows && !lines.empty() && enter_confirms_dialog()) take_line(panel, lines[files.chosen]);
    if (text_button(style, "Use this folder", !files.by_arrows)) state.ask(ChooseOutputFolder{files.listing.folder});
  } else if (text_button(style, files.purpose == Purpose::open ? "Open" : "Save", true) || entered) {
    take_chosen(panel, lines);
  }
  ImGui::SameLine();
  if (text_button(style, "Cancel", false)) state.ask(UiCommand::close_overlay);
}

void draw_image_use(const Panel& panel) {
  const Style& style = panel.style;
  UiState& state = panel.state();
  Dialog dialog(panel, "image", 460, "Use image as", true, Dialog::Modality::modal);
  draw_wrapped(Message::value(std::filesystem::path(state.image_path).filename().string()), color::text);
  bool first = true;
  for (const ActionKind& kind : panel.run().info->actions) {
    if (!kind.takes_image) continue;
    ImGui::Dummy(ImVec2(0, style.px(2)));
    if (text_button(style, kind.label, first)) state.ask(UseImage{kind.id});
    first = false;
    if (!kind.help.empty()) draw_wrapped(kind.help);
  }
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, "Cancel", false)) state.ask(UiCommand::close_overlay);
}

}  // namespace perturb
