#include "app/ui/panels/scene_panel.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "app/browser/browser_entry.h"
#include "app/i18n/language.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_session.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/widgets/equation.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

namespace {

// All scenes, grouped by simulation.
void draw_list(const Panel& panel) {
  const Setup& setup = panel.run().scene->setup;
  std::string simulation;
  for (const SceneEntry& scene : all_scenes()) {
    if (scene.simulation != simulation) {
      simulation = scene.simulation;
      heading(panel.style, scene.simulation_title);
    }
    const bool here = scene.simulation == setup.simulation && scene.preset == full_preset_of(setup.preset);
    ImGui::PushID(scene.path().c_str());
    if (list_line(tr(scene.title).c_str(), here)) panel.ask(OpenScene{scene.path()});
    if (here) ImGui::SetItemDefaultFocus();
    ImGui::PopID();
  }
  heading(panel.style, "Lessons");
  for (const auto& lesson : all_lessons().lessons) {
    const LessonSession* open = panel.session.lesson();
    ImGui::PushID(lesson->path().c_str());
    if (list_line(tr(lesson->title).c_str(), open && open->lesson().path() == lesson->path()))
      panel.ask(OpenLesson{lesson->path()});
    ImGui::PopID();
  }
}

}  // namespace

void draw_scene_panel(const Panel& panel) {
  const Style& style = panel.style;
  const Scene& scene = *panel.run().scene;
  const SimulationInfo& info = *panel.run().info;

  // The title is the picker: a bar that opens the list, between arrows to the neighbouring scenes.
  const float button = style.row();
  const float width = ImGui::GetContentRegionAvail().x - 2 * button - style.px(8);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string& preset = scene.setup.preset;
  Message title = !scene.title.empty() ? scene.title : !preset.empty() ? preset : info.title;
  ImGui::PushFont(style.strong);
  // If no installed font can show a file's title, its file name is used.
  if (preset.ends_with(".toml") && !is_legible(title.text()))
    title = Message::value(std::filesystem::path(preset).stem().string());
  const std::string title_lines = wrap_text(title, width - style.px(36));
  const float title_height = ImGui::CalcTextSize(title_lines.c_str()).y;
  ImGui::PopFont();
  const float height = std::max(style.px(38), title_height + style.px(14));
  const ImVec2 to(at.x + width, at.y + height);
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(10), 0.5f * (height - ImGui::GetTextLineHeight())));
  const bool open = begin_list("##scene", ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLargest);
  ImGui::PopStyleVar();
  if (open) {
    draw_list(panel);
    ImGui::EndCombo();
  } else {
    tooltip(style, "Choose a scene");
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::PushFont(style.strong);
  list->AddText(ImVec2(at.x + style.px(10), std::floor(at.y + 0.5f * (height - title_height) + 0.5f)), color::text,
                title_lines.c_str());
  ImGui::PopFont();
  const ImVec2 c(to.x - style.px(14), 0.5f * (at.y + to.y));
  const float r = style.px(4);
  const ImVec2 arrow[] = {ImVec2(c.x - r, c.y - 0.5f * r), ImVec2(c.x, c.y + 0.5f * r),
                          ImVec2(c.x + r, c.y - 0.5f * r)};
  list->AddPolyline(arrow, 3, color::dim, 0, style.px(1.5f));

  const float top = at.y + 0.5f * (height - button);
  ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(6), top));
  if (icon_button(style, "previous", Icon::previous, button)) panel.ask(CommandId::previous_scene);
  tooltip(style, with_key("Previous scene", CommandId::previous_scene));
  ImGui::SetCursorScreenPos(ImVec2(to.x + style.px(6) + button, top));
  if (icon_button(style, "next", Icon::next, button)) panel.ask(CommandId::next_scene);
  tooltip(style, with_key("Next scene", CommandId::next_scene));
  ImGui::SetCursorScreenPos(ImVec2(at.x, to.y + style.px(8)));

  if (panel.interface().tab == Tab::lesson) return;  // the lesson describes the scene, and needs the space
  if (!info.equation.empty()) draw_equation(style, info.equation);
  // The hint is not repeated here while it is shown over the view. The same height is reserved in both cases, so that
  // nothing below moves when the bubble disappears.
  const float wide = ImGui::GetContentRegionAvail().x;
  const std::string hint = wrap_text(scene.hint, wide), summary = wrap_text(info.summary, wide);
  const float room = std::max(ImGui::CalcTextSize(hint.c_str()).y, ImGui::CalcTextSize(summary.c_str()).y);
  const ImVec2 text = ImGui::GetCursorScreenPos();
  draw_wrapped(!scene.hint.empty() && !panel.interface().hint ? scene.hint : info.summary);
  const float rest = text.y + room + ImGui::GetStyle().ItemSpacing.y - ImGui::GetCursorScreenPos().y;
  if (rest > 0) ImGui::Dummy(ImVec2(0, rest - ImGui::GetStyle().ItemSpacing.y));
}

namespace {

constexpr std::size_t max_recent_shown = 6;

// A card in the browser: an entry below a heading.
struct BrowserItem {
  const BrowserEntry* entry = nullptr;
  Message heading;
  std::size_t rank = 0;  // among what a search finds
};

// Entries that match the search, in the order of their ranks; without a search, recent ones first.
std::vector<BrowserItem> filter_entries(const Browsing& browsing, const std::string& search) {
  using Kind = BrowserEntry::Kind;
  std::vector<BrowserItem> items;
  const std::string words = search;
  const std::vector<BrowserEntry>& entries = browsing.listing.entries;
  if (words.find_first_not_of(' ') == std::string::npos)
    for (const std::string& path : browsing.recent) {
      if (items.size() >= max_recent_shown) break;
      for (const BrowserEntry& entry : entries)
        if (entry.key() == path) items.push_back({&entry, "Recent", 0});
    }
  for (const BrowserEntry& entry : entries) {
    if (!matches_search(entry, words)) continue;
    const Message simulation = entry.simulation_title;
    const std::size_t rank = words.find_first_not_of(' ') == std::string::npos ? 0 : search_rank(entry, words);
    items.push_back({&entry,
                     entry.kind == Kind::lesson        ? Message("Lessons")
                     : entry.kind == Kind::race        ? Message("Races")
                     : entry.kind == Kind::user_preset ? Message("{}: your presets", simulation)
                                                       : simulation,
                     rank});
  }
  if (words.find_first_not_of(' ') != std::string::npos)
    std::stable_sort(items.begin(), items.end(),
                     [](const BrowserItem& a, const BrowserItem& b) { return a.rank < b.rank; });
  return items;
}

// Layout of an entry's card: its text wrapped to the width of the card.
struct BrowserCard {
  std::string title, line, kind;
  float height = 0;
};

BrowserCard card_of(const Style& style, const BrowserEntry& entry, float text_width, float min_height) {
  BrowserCard card;
  ImGui::PushFont(style.strong);
  card.title = wrap_text(entry.title, text_width);
  card.height = ImGui::CalcTextSize(card.title.c_str()).y + style.px(2);
  ImGui::PopFont();
  ImGui::PushFont(style.small);
  if (entry.kind == BrowserEntry::Kind::lesson || entry.kind == BrowserEntry::Kind::race) {
    card.kind = wrap_text(entry.simulation_title, text_width);
    card.height += ImGui::CalcTextSize(card.kind.c_str()).y + style.px(2);
  }
  card.line = wrap_text(Message::value(first_sentence(tr(entry.subtitle))), text_width);
  card.height += ImGui::CalcTextSize(card.line.c_str()).y;
  ImGui::PopFont();
  card.height = std::max(card.height, min_height);
  return card;
}

// The thumbnail, or an empty field until it is ready.
void draw_thumbnail(const Panel& panel, const std::string& scene, ImVec2 from, ImVec2 to) {
  const Style& style = panel.style;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::uintptr_t texture = panel.thumbnails ? panel.thumbnails->texture_for(scene) : 0;
  if (texture == 0) {
    list->AddRectFilled(from, to, color::background);
    draw_icon(list, Icon::grid, ImVec2(0.5f * (from.x + to.x), 0.5f * (from.y + to.y)), style.px(18), color::faint);
    return;
  }
  // Row 0 of the texture is at the bottom.
  list->AddImage(reinterpret_cast<ImTextureID>(texture), from, to, ImVec2(0, 1), ImVec2(1, 0));
}

void open_entry(const Panel& panel, const BrowserEntry& entry) {
  if (entry.kind == BrowserEntry::Kind::lesson)
    panel.ask(OpenLesson{entry.path});
  else
    panel.ask(OpenScene{entry.path});
}

bool is_open_now(const Panel& panel, const BrowserEntry& entry) {
  if (const LessonSession* lesson = panel.session.lesson())
    return entry.kind == BrowserEntry::Kind::lesson && lesson->lesson().path() == entry.path;
  const Scene& scene = *panel.run().scene;
  const Setup& setup = scene.setup;
  if (!scene.lanes.empty() || entry.kind == BrowserEntry::Kind::race)
    return !scene.lanes.empty() && entry.kind == BrowserEntry::Kind::race && entry.title == scene.title;
  return entry.path == setup.preset || entry.path == full_scene_path_of(setup);
}

bool key_is_pressed(ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); }

// Layout of the cards in rows of `columns`; each heading starts a new row.
struct BrowserGrid {
  int columns = 1;
  float width = 0, gap = 0;  // of a card; between two cards
};

// Index that an arrow key moves to: the next or previous card, or the row above or below.
std::size_t next_item(const std::vector<BrowserItem>& items, std::size_t chosen, int columns, int across, int down) {
  if (items.empty()) return 0;
  const auto last = static_cast<int>(items.size()) - 1;
  int at = std::min(static_cast<int>(chosen), last);
  if (across != 0) return static_cast<std::size_t>(std::clamp(at + across, 0, last));
  // Index of the first card of each row.
  std::vector<int> rows;
  for (int k = 0; k <= last; ++k) {
    const bool begins =
        k == 0 || items[static_cast<std::size_t>(k)].heading != items[static_cast<std::size_t>(k) - 1].heading;
    if (begins || k - rows.back() >= columns) rows.push_back(k);
  }
  const auto row = static_cast<int>(std::upper_bound(rows.begin(), rows.end(), at) - rows.begin()) - 1;
  const int other = std::clamp(row + down, 0, static_cast<int>(rows.size()) - 1);
  const int end = other + 1 < static_cast<int>(rows.size()) ? rows[static_cast<std::size_t>(other) + 1] - 1 : last;
  at = std::min(rows[static_cast<std::size_t>(other)] + at - rows[static_cast<std::size_t>(row)], end);
  return static_cast<std::size_t>(at);
}

void draw_items(const Panel& panel, SceneBrowserState& browser, const std::vector<BrowserItem>& items,
                const BrowserGrid& grid) {
  const Style& style = panel.style;
  const float pad = style.px(6), picture_width = std::min(style.px(128), 0.4f * grid.width),
              picture_height = std::round(picture_width * 9 / 16);
  const float text_width = grid.width - picture_width - 3 * pad;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool scroll = browser.just_opened;
  // Thumbnails first, then all text and lines: each change of texture would be another OpenGL draw call.
  constexpr int pictures = 0, words = 1;
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(words);
  for (std::size_t first = 0; first < items.size();) {
    const Message& title = items[first].heading;
    if (first == 0 || items[first - 1].heading != title) heading(style, title);
    std::size_t end = first;
    std::vector<BrowserCard> cards;
    float height = 0;
    while (end < items.size() && end - first < static_cast<std::size_t>(grid.columns) && items[end].heading == title) {
      cards.push_back(card_of(style, *items[end].entry, text_width, picture_height));
      height = std::max(height, cards.back().height + 2 * pad);
      ++end;
    }
    const ImVec2 row = ImGui::GetCursorScreenPos();
    for (std::size_t k = first; k < end; ++k) {
      const BrowserEntry& entry = *items[k].entry;
      const BrowserCard& card = cards[k - first];
      const ImVec2 from(row.x + static_cast<float>(k - first) * (grid.width + grid.gap), row.y),
          to(from.x + grid.width, from.y + height);
      ImGui::SetCursorScreenPos(from);
      ImGui::PushID(static_cast<int>(k));
      if (press_area("##card", ImVec2(grid.width, height))) open_entry(panel, entry);
      ImGui::PopID();
      const bool chosen = k == browser.chosen;
      if (chosen && scroll) {
        ImGui::SetScrollHereY(0.5f);
        browser.just_opened = false;
      }
      // Only visible cards are drawn and have their thumbnails rendered.
      if (!ImGui::IsItemVisible()) continue;
      list->ChannelsSetCurrent(pictures);
      if (chosen || ImGui::IsItemHovered()) list->AddRectFilled(from, to, color::raised, style.px(6));
      draw_thumbnail(panel, entry.thumbnail, ImVec2(from.x + pad, from.y + pad),
                     ImVec2(from.x + pad + picture_width, from.y + pad + picture_height));
      list->ChannelsSetCurrent(words);
      if (chosen) list->AddRect(from, to, color::accent, style.px(6), 0, style.px(2));
      float y = from.y + pad;
      const float x = from.x + picture_width + 2 * pad;
      const auto lines = [&](ImFont* font, ImU32 ink, const std::string& text) {
        if (text.empty()) return;
        ImGui::PushFont(font);
        list->AddText(ImVec2(x, y), ink, text.c_str());
        y += ImGui::CalcTextSize(text.c_str()).y + style.px(2);
        ImGui::PopFont();
      };
      lines(style.strong, is_open_now(panel, entry) ? color::accent_bright : color::text, card.title);
      lines(style.small, color::faint, card.kind);
      lines(style.small, color::dim, card.line);
    }
    ImGui::SetCursorScreenPos(row);
    ImGui::Dummy(ImVec2(grid.width, height));
    first = end;
  }
  list->ChannelsMerge();
}

}  // namespace

void draw_browser(const Panel& panel, SceneBrowserState& browser) {
  const Style& style = panel.style;
  const Browsing& browsing = panel.interface().browsing;
  if (browser.opened != browsing.opened) browser = {browsing.opened, "", 0, true};
  panel.areas.add_everything();

  // Covers nearly the whole window, above the status bar.
  const auto width = static_cast<float>(panel.layout.width),
             height = static_cast<float>(panel.layout.height - panel.layout.status.height);
  ImGui::GetBackgroundDrawList()->AddRectFilled(ImVec2(0, 0), ImVec2(width, height), IM_COL32(6, 8, 10, 120));
  const float margin = style.px(16), pad = style.px(16);
  const ImVec2 size(std::min(width - 2 * margin, style.px(1320)), height - 2 * margin);
  ImGui::SetNextWindowPos(ImVec2(std::floor(0.5f * (width - size.x)), margin));
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, style.px(1));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::popup);
  // Arrow keys choose a card even while the search field has the focus: ImGui does not get them.
  ImGui::Begin("browser", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNavInputs);
  tab_mark_dialog();

  const float button = style.px(28);
  ImGui::PushFont(style.title);
  ImGui::TextUnformatted(tr("Scenes").c_str());
  ImGui::PopFont();
  ImGui::SameLine(0, style.px(16));
  const float field = std::min(style.px(360), ImGui::GetContentRegionAvail().x - button - style.gap());
  ImGui::SetNextItemWidth(field);
  if (!ImGui::IsAnyItemActive()) type_in_next_item();
  const bool entered = text_field("##search", tr("Type to search").c_str(), browser.search, sizeof browser.search,
                                  ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) {
    browser.chosen = 0;
    browser.just_opened = true;
  }
  ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - button);
  if (icon_button(style, "close", Icon::close, button)) panel.ask(CommandId::close_overlay);
  tooltip(style, "Close  (Esc)");
  ImGui::Dummy(ImVec2(0, style.px(2)));

  if (const RecoveryOffer& offer = panel.session.autosave_controller().offer(); !offer.description.empty())
    if (text_button(style, recovery_text(offer), false)) panel.ask(AnswerRecovery{true});
  const std::vector<BrowserItem> items = filter_entries(browsing, browser.search);
  BrowserGrid grid;
  grid.gap = style.px(8);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize - style.px(4);
  grid.columns = std::max(1, static_cast<int>((room + grid.gap) / (style.px(340) + grid.gap)));
  grid.width = std::floor((room + grid.gap) / static_cast<float>(grid.columns) - grid.gap);

  const std::size_t chosen = browser.chosen;
  const auto step = [&](ImGuiKey key, int across, int down) {
    if (key_is_pressed(key)) browser.chosen = next_item(items, browser.chosen, grid.columns, across, down);
  };
  step(ImGuiKey_LeftArrow, -1, 0);
  step(ImGuiKey_RightArrow, 1, 0);
  step(ImGuiKey_UpArrow, 0, -1);
  step(ImGuiKey_DownArrow, 0, 1);
  browser.chosen = items.empty() ? 0 : std::min(browser.chosen, items.size() - 1);
  browser.just_opened = browser.just_opened || browser.chosen != chosen;
  if (entered && !items.empty()) open_entry(panel, *items[browser.chosen].entry);

  ImGui::BeginChild("##cards", ImVec2(0, 0), false, ImGuiWindowFlags_NoNavInputs);
  draw_items(panel, browser, items, grid);
  if (items.empty()) {
    draw_wrapped("No matches. Try fewer or shorter words.", color::text);
    browser.just_opened = false;
  }
  for (const Message& problem : browsing.listing.problems) draw_wrapped(problem, color::warning);
  ImGui::EndChild();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace perturb
