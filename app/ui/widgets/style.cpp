#include "app/ui/widgets/style.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/i18n/language.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"

namespace perturb {

float Style::px(float design) const { return std::max(1.0f, std::round(design * unit)); }

void apply_style(const Style& style) {
  ImGuiStyle& s = ImGui::GetStyle();
  s = ImGuiStyle();
  s.WindowPadding = ImVec2(style.px(16), style.px(12));
  s.WindowRounding = style.px(8);
  s.WindowBorderSize = 0;
  s.ChildRounding = 0;
  s.PopupRounding = style.px(6);
  s.PopupBorderSize = style.px(1);
  s.FramePadding = ImVec2(style.px(10), style.px(6));
  s.FrameRounding = style.px(5);
  s.ItemSpacing = ImVec2(style.px(8), style.px(6));
  s.ItemInnerSpacing = ImVec2(style.px(6), style.px(4));
  s.ScrollbarSize = style.px(10);
  s.ScrollbarRounding = style.px(5);
  s.GrabMinSize = style.px(12);
  s.GrabRounding = style.px(4);
  s.DisabledAlpha = 0.4f;
  s.WindowMinSize = ImVec2(1, 1);

  const auto set = [&](ImGuiCol index, ImU32 value) { s.Colors[index] = ImGui::ColorConvertU32ToFloat4(value); };
  set(ImGuiCol_Text, color::text);
  set(ImGuiCol_TextDisabled, color::faint);
  set(ImGuiCol_WindowBg, color::panel);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_PopupBg, color::popup);
  set(ImGuiCol_TitleBg, color::raised);
  set(ImGuiCol_TitleBgActive, color::hovered);
  set(ImGuiCol_TitleBgCollapsed, color::raised);
  set(ImGuiCol_ResizeGrip, color::bar);
  set(ImGuiCol_ResizeGripHovered, color::accent);
  set(ImGuiCol_ResizeGripActive, color::accent);
  set(ImGuiCol_Border, color::line);
  set(ImGuiCol_FrameBg, color::raised);
  set(ImGuiCol_FrameBgHovered, color::hovered);
  set(ImGuiCol_FrameBgActive, color::hovered);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, color::hovered);
  set(ImGuiCol_ScrollbarGrabHovered, color::bar);
  set(ImGuiCol_ScrollbarGrabActive, color::faint);
  set(ImGuiCol_CheckMark, color::accent);
  set(ImGuiCol_SliderGrab, color::accent);
  set(ImGuiCol_SliderGrabActive, color::accent_bright);
  set(ImGuiCol_Button, color::raised);
  set(ImGuiCol_ButtonHovered, color::hovered);
  set(ImGuiCol_ButtonActive, color::pressed);
  set(ImGuiCol_Header, color::accent_fill);
  set(ImGuiCol_HeaderHovered, color::hovered);
  set(ImGuiCol_HeaderActive, color::hovered);
  set(ImGuiCol_Separator, color::line);
  set(ImGuiCol_TextSelectedBg, color::accent_fill);
  set(ImGuiCol_NavHighlight, color::accent_bright);
  set(ImGuiCol_ModalWindowDimBg, color::backdrop);
}

namespace {

// Length of the prefix of a word without blanks that fits `width`: up to a punctuation sign if possible, else up to any
// character. 0: none.
std::size_t fitting_prefix(const std::string& word, float width) {
  std::size_t any = 0, sign = 0;
  for (std::size_t end = 1; end <= word.size(); ++end) {
    if (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) continue;
    if (ImGui::CalcTextSize(word.c_str(), word.c_str() + end).x > width) break;
    any = end;
    const bool middle_dot = end >= 2 && word.compare(end - 2, 2, "\u00b7") == 0;
    if (middle_dot || word[end - 1] == '/' || word[end - 1] == '-' || word[end - 1] == '_') sign = end;
  }
  return sign > 0 ? sign : any;
}

}  // namespace

std::string elided(const std::string& text, float width) {
  request_glyphs(text);
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const std::string dots = "\u2026";
  std::size_t end = text.size();
  while (end > 0) {
    // Back to the start of a UTF-8 character.
    do --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
    std::string shorter = text.substr(0, end) + dots;
    if (ImGui::CalcTextSize(shorter.c_str()).x <= width) return shorter;
  }
  return width >= ImGui::CalcTextSize(dots.c_str()).x ? dots : "";
}

Message stacked(const Message& upper, const Message& lower) {
  if (upper.empty()) return lower;
  if (lower.empty()) return upper;
  return Message("{}\n{}", upper, lower);
}

ImVec2 text_size(const Message& text) {
  const std::string shown = tr(text);
  request_glyphs(shown);
  return ImGui::CalcTextSize(shown.c_str());
}

namespace {

// Panels draw nearly the same text in every frame, and measuring text is most of their cost.
std::unordered_map<std::string, std::string>& wrap_cache() {
  static std::unordered_map<std::string, std::string> lines;
  return lines;
}
constexpr std::size_t max_wrap_cache = 4000;

std::string break_lines(const std::string& text, float width) {
  std::string result, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    std::string longer = line;
    longer.append(line.empty() ? "" : " ").append(word);
    if (ImGui::CalcTextSize(longer.c_str()).x > width) {
      if (!line.empty()) result += line + "\n";
      line = word;
      // A word that is too long for one line: a unit, a path.
      while (ImGui::CalcTextSize(line.c_str()).x > width) {
        const std::size_t cut = fitting_prefix(line, width);
        if (cut == 0 || cut >= line.size()) break;
        result += line.substr(0, cut) + "\n";
        line.erase(0, cut);
      }
    } else {
      line = std::move(longer);
    }
    if (end < text.size() && text[end] == '\n') {
      result += line + "\n";
      line.clear();
    }
    at = end + 1;
  }
  return result + line;
}

}  // namespace

void clear_wrap_cache() { wrap_cache().clear(); }

std::string wrap_text(const Message& message, float width) {
  const std::string text = tr(message);
  request_glyphs(text);
  if (text.find_first_of(" \n") == std::string::npos && ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const ImFont* font = ImGui::GetFont();
  const float measures[] = {ImGui::GetFontSize(), width};
  std::string key = text;
  key.append(reinterpret_cast<const char*>(&font), sizeof font)
      .append(reinterpret_cast<const char*>(measures), sizeof measures);
  auto& kept = wrap_cache();
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  if (kept.size() >= max_wrap_cache) kept.clear();
  return kept.emplace(std::move(key), break_lines(text, width)).first->second;
}

void draw_text_in(ImDrawList* list, ImVec2 minimum, ImVec2 maximum, ImU32 text_color, const Message& text,
                  float align) {
  const std::string shown = elided(tr(text), maximum.x - minimum.x);
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
  const float x = minimum.x + align * (maximum.x - minimum.x - size.x);
  const float y = minimum.y + 0.5f * (maximum.y - minimum.y - size.y);
  list->AddText(ImVec2(std::floor(x + 0.5f), std::floor(y + 0.5f)), text_color, shown.c_str());
}

void draw_wrapped(const Message& text, ImU32 text_color) {
  ImGui::PushStyleColor(ImGuiCol_Text, text_color);
  ImGui::TextUnformatted(wrap_text(text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
}

void begin_plain_window(const char* id, ImVec2 from, ImVec2 size, ImGuiWindowFlags more_flags) {
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse | more_flags);
  ImGui::PopStyleVar(2);
}

void heading(const Style& style, const Message& text) {
  ImGui::Dummy(ImVec2(0, style.px(4)));
  ImGui::PushFont(style.strong);
  ImGui::PushStyleColor(ImGuiCol_Text, color::dim);
  ImGui::TextUnformatted(tr(text).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void tooltip(const Style& style, const Message& text) {
  constexpr float rest_seconds = 0.4f;  // of the pointer
  // No tooltips behind a dialog.
  if (text.empty() || is_behind_dialog()) return;
  // The keyboard focus shows a tooltip like the pointer does. Whichever was used last decides.
  const bool by_keys =
      focus_is_shown() && ImGui::IsItemFocused() && (style.keyboard_leads || !ImGui::IsAnyItemHovered());
  const bool by_pointer = !style.keyboard_leads && style.pointer_idle >= rest_seconds &&
                          ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
  if (!by_keys && !by_pointer) return;
  const ImVec2 pad(style.px(12), style.px(8)), screen = ImGui::GetIO().DisplaySize;
  const ImVec2 item = ImGui::GetItemRectMin(), item_to = ImGui::GetItemRectMax(), window = ImGui::GetWindowPos();
  const float gap = style.px(8), max_width = style.px(320), beside = window.x - 2 * gap - 2 * pad.x;
  // Next to a column of panels, where it covers nothing of it; else above the item, or below it if there is no space.
  const float min_width =
      item.y > style.px(60) ? style.px(140) : style.px(80);  // there is no space above an item at the top
  const bool in_column = item.x - window.x < style.px(340) && beside >= min_width;
  const std::string lines =
      wrap_text(text, std::min({max_width, in_column ? beside : max_width, screen.x - 2 * gap - 2 * pad.x}));
  const ImVec2 letters = ImGui::CalcTextSize(lines.c_str());
  const ImVec2 size(letters.x + 2 * pad.x, letters.y + 2 * pad.y);
  const auto within = [&](float at, float length, float all) {
    return std::max(gap, std::min(at, all - gap - length));
  };
  ImVec2 at;
  if (in_column) {
    // Next to a tall item, at the height of the pointer.
    const float top =
        by_pointer && item_to.y - item.y > style.px(80) ? ImGui::GetIO().MousePos.y - 0.5f * size.y : item.y;
    at = ImVec2(window.x - gap - size.x, within(top, size.y, screen.y));
  } else {
    const float above = item.y - gap - size.y;
    // A wide item: at the pointer or its middle, as messages stand at the left end of the view.
    const bool wide = item_to.x - item.x > style.px(400);
    const float middle = by_pointer ? ImGui::GetIO().MousePos.x : 0.5f * (item.x + item_to.x);
    const float left = wide ? middle - 0.5f * size.x : item.x;
    at = ImVec2(within(left, size.x, screen.x), above >= 0 ? above : item_to.y + gap);
  }
  ImGui::SetNextWindowPos(ImVec2(std::floor(at.x), std::floor(at.y)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, pad);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, style.px(6));
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(lines.c_str());
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

void separator(const Style& style) {
  ImGui::Dummy(ImVec2(0, style.px(3)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + ImGui::GetContentRegionAvail().x, at.y + style.px(1)),
                                            color::line);
  ImGui::Dummy(ImVec2(0, style.px(4)));
}

bool icon_button(const Style& style, const char* id, Icon icon, float size, bool prominent, bool enabled) {
  ImGui::PushID(id);
  if (!enabled) ImGui::BeginDisabled();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = press_area("##button", ImVec2(size, size)) && enabled;
  const bool hovered = ImGui::IsItemHovered() && enabled, held = ImGui::IsItemActive() && enabled;
  if (!enabled) ImGui::EndDisabled();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 to(at.x + size, at.y + size);
  if (prominent)
    list->AddRectFilled(at, to, held || hovered ? color::accent_bright : color::accent, size * 0.5f);
  else if (hovered)
    list->AddRectFilled(at, to, held ? color::pressed : color::hovered, style.px(5));
  ImU32 ink = color::dim;
  if (!enabled)
    ink = color::faint;
  else if (prominent)
    ink = color::on_accent;
  else if (hovered)
    ink = color::text;
  if (icon == Icon::question)
    draw_text_in(list, at, to, ink, "?", 0.5f);
  else
    draw_icon(list, icon, ImVec2(at.x + 0.5f * size, at.y + 0.5f * size), size * (prominent ? 0.42f : 0.46f), ink);
  ImGui::PopID();
  return pressed;
}

bool segmented_control(const Style& style, const char* id, const char* const* labels, int count, int& chosen,
                       float width) {
  ImGui::PushID(id);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = style.row(), round = style.px(5);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), color::raised, round);
  bool changed = false;
  for (int i = 0; i < count; ++i) {
    const float left = std::floor(width * static_cast<float>(i) / static_cast<float>(count));
    const float right = std::floor(width * static_cast<float>(i + 1) / static_cast<float>(count));
    const ImVec2 from(at.x + left, at.y), to(at.x + right, at.y + height);
    ImGui::SetCursorScreenPos(from);
    ImGui::PushID(i);
    if (press_area("##segment", ImVec2(right - left, height)) && chosen != i) {
      chosen = i;
      changed = true;
    }
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    const bool on = chosen == i;
    if (on) {
      const float inset = style.px(2);
      list->AddRectFilled(ImVec2(from.x + inset, from.y + inset), ImVec2(to.x - inset, to.y - inset), color::chosen,
                          round - inset * 0.5f);
    }
    draw_text_in(list, ImVec2(from.x + style.px(4), from.y), ImVec2(to.x - style.px(4), to.y),
                 on        ? color::text
                 : hovered ? color::text
                           : color::dim,
                 labels[i], 0.5f);
  }
  ImGui::PopID();
  return changed;
}

namespace {
float switch_width(const Style& style) { return style.px(32); }
std::string toggle_lines(const Style& style, const Message& label, float width) {
  return wrap_text(label, width - switch_width(style) - style.gap());
}
}  // namespace

float toggle_height(const Style& style, const Message& label, float width) {
  const float letters = ImGui::CalcTextSize(toggle_lines(style, label, width).c_str()).y;
  return std::max(style.row(), letters + style.px(8));
}

bool toggle_row(const Style& style, const char* id, const Message& label, bool& on, ImU32 label_color) {
  const float width = ImGui::GetContentRegionAvail().x, height = toggle_height(style, label, width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = press_area(id, ImVec2(width, height));
  if (pressed) on = !on;
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = switch_width(style), h = style.px(18), r = 0.5f * h;
  const ImVec2 to(at.x + width, at.y + 0.5f * (height + h)), from(to.x - w, to.y - h);
  const std::string lines = toggle_lines(style, label, width);
  const float top = at.y + 0.5f * (height - ImGui::CalcTextSize(lines.c_str()).y);
  list->AddText(ImVec2(at.x, std::floor(top + 0.5f)), label_color, lines.c_str());
  list->AddRectFilled(from, to, on ? color::accent : hovered ? color::bar : color::pressed, r);
  list->AddCircleFilled(ImVec2(on ? to.x - r : from.x + r, from.y + r), r - style.px(3),
                        on ? color::on_accent : color::dim, 20);
  return pressed;
}

bool text_button(const Style& style, const Message& label, bool prominent, const char* id) {
  ImGui::PushStyleColor(ImGuiCol_Button, prominent ? color::accent : color::hovered);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, prominent ? color::accent_bright : color::chosen);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, prominent ? color::accent_bright : color::chosen);
  ImGui::PushStyleColor(ImGuiCol_Text, prominent ? color::on_accent : color::text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(14), style.px(8)));
  bool pressed = ImGui::Button((tr(label) + "###" + (id ? id : label.text())).c_str());
  add_tab_stop();
  if (prominent) {
    pressed = enter_confirms_dialog() || pressed;
    set_default_focus();  // not on the close button
  }
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  return pressed;
}

}  // namespace perturb
