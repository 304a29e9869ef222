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

std::vector<FileLine> lines_of(const FileBrowsing& files, const FileBrowserState& own) {
  std::vector<FileLine> lines;
  // A path or a new name is being typed: it does not filter the list.
  const std::string typed = to_lower_case(own.name);
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

void take_line(const Panel& panel, FileBrowserState& own, const FileLine& line) {
  const FileBrowsing& files = panel.session.file_chooser().files();
  if (line.is_folder)
    panel.ask(ListFolder{path_in(files, line.name)});
  else if (files.purpose == Purpose::open)
    panel.ask(OpenFile{path_in(files, line.name)});
  else
    fill_field(own.name, line.name);
}

// Executes Enter or the button: takes the typed name if it is valid, else the chosen line.
void take_chosen(const Panel& panel, FileBrowserState& own, const std::vector<FileLine>& lines) {
  const FileBrowsing& files = panel.session.file_chooser().files();
  own.name_is_new = false;
  const std::string typed = own.name;
  std::error_code ignored;
  if (!typed.empty() && std::filesystem::is_directory(path_in(files, typed), ignored))
    panel.ask(ListFolder{path_in(files, typed)});
  else if (files.purpose == Purpose::save_state && !typed.empty())
    panel.ask(SaveStateAs{path_in(files, typed)});
  else if (files.purpose == Purpose::open && !typed.empty() &&
           (is_path(typed) || lines.empty() || std::filesystem::exists(path_in(files, typed), ignored)))
    panel.ask(OpenFile{path_in(files, typed)});
  else if (!lines.empty())
    take_line(panel, own, lines[std::min(own.chosen, lines.size() - 1)]);
}

void draw_lines(const Panel& panel, FileBrowserState& own, const std::vector<FileLine>& lines, bool scroll) {
  const Style& style = panel.style;
  const Purpose purpose = panel.session.file_chooser().files().purpose;
  const float width = ImGui::GetContentRegionAvail().x, icon = style.px(16), pad = style.px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::string words = wrap_text(
        lines[k].name == ".." ? Message("Parent folder") : Message::value(lines[k].name), width - icon - 4 * pad);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size(width, ImGui::CalcTextSize(words.c_str()).y + 2 * pad);
    ImGui::PushID(static_cast<int>(k));
    if (press_area("##line", size)) {
      own.chosen = k;
      take_line(panel, own, lines[k]);
    }
    ImGui::PopID();
    const bool chosen = k == own.chosen && (own.by_arrows || purpose != Purpose::output_folder);
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

// A folder that has just been listed, or a dialog that has just been opened, begins from scratch.
void follow_folder(const FileBrowsing& files, FileBrowserState& own) {
  if (own.listed != files.listed) {
    own.chosen = files.listing.items.empty() ? 0 : 1;  // after the parent folder
    own.just_opened = true;
    own.by_arrows = own.name_is_new = false;
    if (files.purpose != Purpose::save_state) own.name[0] = '\0';
  }
  if (own.opened != files.opened) fill_field(own.name, files.suggested);
  own.listed = files.listed;
  own.opened = files.opened;
}

}  // namespace

void draw_file_browser(const Panel& panel, FileBrowserState& own) {
  const Style& style = panel.style;
  const FileBrowsing& files = panel.session.file_chooser().files();
  follow_folder(files, own);
  constexpr const char* titles[] = {"Open a file", "Save the state", "Folder for images and files"};
  Dialog dialog(panel, "open", 560, titles[static_cast<int>(files.purpose)], true, Dialog::Modality::modal);
  draw_wrapped(Message::value(files.listing.folder), color::text);

  const bool has_name = files.purpose != Purpose::output_folder;
  bool entered = false;
  if (has_name) {
    if (own.just_opened || !ImGui::IsAnyItemActive()) type_in_next_item();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    entered = text_field(
        "##path", tr(files.purpose == Purpose::open ? "Type to search, or enter a path" : "file.perturb").c_str(),
        own.name, sizeof own.name, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    if (ImGui::IsItemEdited()) {
      own.chosen = 0;
      own.name_is_new = true;
    }
  }
  const std::vector<FileLine> lines = lines_of(files, own);
  const std::size_t before = own.chosen;
  const std::size_t last = lines.empty() ? 0 : lines.size() - 1;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) ++own.chosen;
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)) && own.chosen > 0) --own.chosen;
  own.chosen = std::min(own.chosen, last);
  const bool moved = own.chosen != before;
  if (moved) own.by_arrows = true;
  // A user who moves through the list while saving means the chosen line, not the proposed name.
  if (moved && files.purpose == Purpose::save_state && !lines[own.chosen].is_folder)
    fill_field(own.name, lines[own.chosen].name);

  const float room = static_cast<float>(panel.layout.height - panel.layout.status.height) - style.px(240);
  ImGui::BeginChild("##files", ImVec2(0, std::clamp(room, style.px(70), style.px(300))), false,
                    ImGuiWindowFlags_NoNavInputs);
  draw_lines(panel, own, lines, moved || own.just_opened);
  if (lines.empty()) draw_wrapped({"No match for \u201c{}\u201d in this folder.", std::string(own.name)});
  if (files.listing.is_cut) draw_wrapped("Too many files to list. Type a part of the path.");
  ImGui::EndChild();
  own.just_opened = false;

  if (!files.error.empty() && !own.name_is_new) {
    draw_wrapped(files.error, color::bad);
  } else if (files.purpose == Purpose::save_state && own.name[0] != '\0') {
    const bool there = std::any_of(lines.begin(), lines.end(), [&](const FileLine& line) {
      return line.name == own.name || line.name == std::string(own.name) + ".perturb";
    });
    if (there) draw_wrapped("This name exists. Saving overwrites it.", color::warning);
  }
  ImGui::Dummy(ImVec2(0, style.px(2)));
  if (files.purpose == Purpose::output_folder) {
    // After the arrow keys, Enter takes the chosen line; the button applies to this folder.
    if (own.by_arrows && !lines.empty() && enter_confirms_dialog()) take_line(panel, own, lines[own.chosen]);
    if (text_button(style, "Use this folder", !own.by_arrows)) panel.ask(ChooseOutputFolder{files.listing.folder});
  } else if (text_button(style, files.purpose == Purpose::open ? "Open" : "Save", true) || entered) {
    take_chosen(panel, own, lines);
  }
  ImGui::SameLine();
  if (text_button(style, "Cancel", false)) panel.ask(CommandId::close_overlay);
}

void draw_image_use(const Panel& panel) {
  const Style& style = panel.style;
  Dialog dialog(panel, "image", 460, "Use image as", true, Dialog::Modality::modal);
  draw_wrapped(Message::value(std::filesystem::path(panel.session.file_opener().image_path()).filename().string()),
               color::text);
  bool first = true;
  for (const ActionKind& kind : panel.run().info->actions) {
    if (!kind.takes_image) continue;
    ImGui::Dummy(ImVec2(0, style.px(2)));
    if (text_button(style, kind.label, first)) panel.ask(UseImage{kind.id});
    first = false;
    if (!kind.help.empty()) draw_wrapped(kind.help);
  }
  ImGui::Dummy(ImVec2(0, style.px(4)));
  if (text_button(style, "Cancel", false)) panel.ask(CommandId::close_overlay);
}

}  // namespace perturb
