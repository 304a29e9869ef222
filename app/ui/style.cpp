#include "app/ui/style.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
  set(ImGuiCol_PopupBg, IM_COL32(28, 33, 40, 252));
  set(ImGuiCol_Border, color::line);
  set(ImGuiCol_FrameBg, color::raised);
  set(ImGuiCol_FrameBgHovered, color::hovered);
  set(ImGuiCol_FrameBgActive, color::hovered);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, color::hovered);
  set(ImGuiCol_ScrollbarGrabHovered, IM_COL32(64, 75, 88, 255));
  set(ImGuiCol_ScrollbarGrabActive, IM_COL32(74, 86, 100, 255));
  set(ImGuiCol_CheckMark, color::accent);
  set(ImGuiCol_SliderGrab, color::accent);
  set(ImGuiCol_SliderGrabActive, color::accent_bright);
  set(ImGuiCol_Button, color::raised);
  set(ImGuiCol_ButtonHovered, color::hovered);
  set(ImGuiCol_ButtonActive, IM_COL32(52, 62, 74, 255));
  set(ImGuiCol_Header, color::accent_fill);
  set(ImGuiCol_HeaderHovered, color::hovered);
  set(ImGuiCol_HeaderActive, color::hovered);
  set(ImGuiCol_Separator, color::line);
  set(ImGuiCol_TextSelectedBg, IM_COL32(88, 178, 226, 90));
  set(ImGuiCol_NavHighlight, color::accent_bright);
  set(ImGuiCol_ModalWindowDimBg, IM_COL32(6, 8, 10, 150));
}

namespace {

// How much of a word without blanks fits `width`: up to behind one of its signs, else up to any character. 0: nothing.
std::size_t longest_start(const std::string& word, float width) {
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
  if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
  const std::string dots = "\u2026";
  std::size_t end = text.size();
  while (end > 0) {
    // Back by one character, not into the middle of one.
    do --end;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
    std::string shorter = text.substr(0, end) + dots;
    if (ImGui::CalcTextSize(shorter.c_str()).x <= width) return shorter;
  }
  return width >= ImGui::CalcTextSize(dots.c_str()).x ? dots : "";
}

std::string broken(const std::string& text, float width) {
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
      // A word that is too long for a line of its own: a unit, a path.
      while (ImGui::CalcTextSize(line.c_str()).x > width) {
        const std::size_t cut = longest_start(line, width);
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

void text_in(ImDrawList* list, ImVec2 minimum, ImVec2 maximum, ImU32 text_color, const std::string& text, float align) {
  const std::string shown = elided(text, maximum.x - minimum.x);
  const ImVec2 size = ImGui::CalcTextSize(shown.c_str());
  const float x = minimum.x + align * (maximum.x - minimum.x - size.x);
  const float y = minimum.y + 0.5f * (maximum.y - minimum.y - size.y);
  list->AddText(ImVec2(std::floor(x + 0.5f), std::floor(y + 0.5f)), text_color, shown.c_str());
}

void wrapped(const std::string& text, ImU32 text_color) {
  ImGui::PushStyleColor(ImGuiCol_Text, text_color);
  ImGui::TextUnformatted(broken(text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
}

void heading(const Style& style, const char* text) {
  ImGui::Dummy(ImVec2(0, style.px(4)));
  ImGui::PushFont(style.strong);
  ImGui::PushStyleColor(ImGuiCol_Text, color::dim);
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void tooltip(const Style& style, const std::string& text) {
  constexpr float patience = 0.4f;  // seconds: not while the pointer is on its way
  if (text.empty() || style.pointer_rest < patience || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    return;
  const ImVec2 pad(style.px(12), style.px(8)), screen = ImGui::GetIO().DisplaySize;
  const ImVec2 item = ImGui::GetItemRectMin(), item_to = ImGui::GetItemRectMax(), window = ImGui::GetWindowPos();
  const float gap = style.px(8), most = style.px(320), beside = window.x - 2 * gap - 2 * pad.x;
  // Beside a column of panels, where it covers nothing of it; else above the item, below it where there is no room.
  const float least = item.y > style.px(60) ? style.px(140) : style.px(80);  // above the item, at the top, is no room
  const bool in_column = item.x - window.x < style.px(340) && beside >= least;
  const std::string lines = broken(text, std::min({most, in_column ? beside : most, screen.x - 2 * gap - 2 * pad.x}));
  const ImVec2 letters = ImGui::CalcTextSize(lines.c_str());
  const ImVec2 size(letters.x + 2 * pad.x, letters.y + 2 * pad.y);
  const auto within = [&](float at, float length, float all) {
    return std::max(gap, std::min(at, all - gap - length));
  };
  ImVec2 at;
  if (in_column) {
    // Beside a tall item, where the pointer is.
    const float top = item_to.y - item.y > style.px(80) ? ImGui::GetIO().MousePos.y - 0.5f * size.y : item.y;
    at = ImVec2(window.x - gap - size.x, within(top, size.y, screen.y));
  } else {
    const float above = item.y - gap - size.y;
    at = ImVec2(within(item.x, size.x, screen.x), above >= 0 ? above : item_to.y + gap);
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

void draw_icon(ImDrawList* list, Icon icon, ImVec2 c, float size, ImU32 col) {
  const float h = 0.5f * size, thick = std::max(1.0f, size * 0.11f);
  const auto at = [&](float x, float y) { return ImVec2(c.x + x * h, c.y + y * h); };
  // A triangle that points right (way 1) or left (-1) with its centre of mass at x.
  const auto arrow = [&](float x, float way, float r) {
    if (way > 0)
      list->AddTriangleFilled(at(x - 0.6f * r, -r), at(x + 1.1f * r, 0), at(x - 0.6f * r, r), col);
    else
      list->AddTriangleFilled(at(x + 0.6f * r, -r), at(x + 0.6f * r, r), at(x - 1.1f * r, 0), col);
  };
  switch (icon) {
    case Icon::play:
      arrow(0.02f, 1, 0.8f);
      break;
    case Icon::pause:
      list->AddRectFilled(at(-0.6f, -0.75f), at(-0.18f, 0.75f), col, thick * 0.5f);
      list->AddRectFilled(at(0.18f, -0.75f), at(0.6f, 0.75f), col, thick * 0.5f);
      break;
    case Icon::step:
      arrow(-0.28f, 1, 0.7f);
      list->AddRectFilled(at(0.48f, -0.7f), at(0.76f, 0.7f), col, thick * 0.4f);
      break;
    case Icon::restart:
      // To the start, as players have it: the mirror of a step.
      arrow(0.28f, -1, 0.7f);
      list->AddRectFilled(at(-0.76f, -0.7f), at(-0.48f, 0.7f), col, thick * 0.4f);
      break;
    case Icon::reset:
      // A dot: this value is not its default.
      list->AddCircleFilled(c, 0.42f * h, col, 16);
      break;
    case Icon::more:
      for (const float x : {-0.6f, 0.0f, 0.6f}) list->AddCircleFilled(at(x, 0), std::max(1.0f, 0.16f * h), col, 12);
      break;
    case Icon::undo:
    case Icon::redo: {
      // An arrow that turns round over the top: back to the left, on to the right.
      const float way = icon == Icon::redo ? 1.0f : -1.0f;
      constexpr float pi = 3.14159265f;
      const ImVec2 middle = at(0, 0.2f);
      list->PathArcTo(middle, 0.55f * h, way > 0 ? 0.75f * pi : 2.25f * pi, way > 0 ? 2 * pi : pi, 20);
      list->PathStroke(col, 0, thick);
      const ImVec2 left = at(0.55f * way - 0.4f, 0.15f), right = at(0.55f * way + 0.4f, 0.15f);
      list->AddTriangleFilled(left, right, at(0.55f * way, 0.7f), col);
      break;
    }
    case Icon::minus:
      list->AddRectFilled(at(-0.6f, -0.1f), at(0.6f, 0.1f), col, thick * 0.3f);
      break;
    case Icon::plus:
      list->AddRectFilled(at(-0.6f, -0.1f), at(0.6f, 0.1f), col, thick * 0.3f);
      list->AddRectFilled(at(-0.1f, -0.6f), at(0.1f, 0.6f), col, thick * 0.3f);
      break;
    case Icon::previous:
    case Icon::next: {
      const float way = icon == Icon::next ? 1.0f : -1.0f;
      const ImVec2 points[] = {at(-0.25f * way, -0.55f), at(0.3f * way, 0), at(-0.25f * way, 0.55f)};
      list->AddPolyline(points, 3, col, 0, thick * 1.2f);
      break;
    }
    case Icon::camera:
      list->AddRect(at(-0.85f, -0.45f), at(0.85f, 0.68f), col, size * 0.12f, 0, thick);
      list->AddRectFilled(at(-0.32f, -0.72f), at(0.32f, -0.42f), col, thick * 0.5f);
      list->AddCircle(at(0, 0.12f), 0.3f * h, col, 20, thick);
      break;
    case Icon::disk:
      // An arrow into a tray: save.
      list->AddLine(at(0, -0.8f), at(0, 0.2f), col, thick);
      list->AddTriangleFilled(at(-0.38f, -0.05f), at(0.38f, -0.05f), at(0, 0.42f), col);
      {
        const ImVec2 tray[] = {at(-0.75f, 0.3f), at(-0.75f, 0.75f), at(0.75f, 0.75f), at(0.75f, 0.3f)};
        list->AddPolyline(tray, 4, col, 0, thick);
      }
      break;
    case Icon::folder: {
      const ImVec2 outline[] = {at(-0.8f, 0.62f),   at(-0.8f, -0.6f), at(-0.25f, -0.6f),
                                at(-0.02f, -0.32f), at(0.8f, -0.32f), at(0.8f, 0.62f)};
      list->AddPolyline(outline, 6, col, ImDrawFlags_Closed, thick);
      break;
    }
    case Icon::command: {
      // A prompt: ">" and a line to write on.
      const ImVec2 prompt[] = {at(-0.7f, -0.55f), at(-0.15f, 0), at(-0.7f, 0.55f)};
      list->AddPolyline(prompt, 3, col, 0, thick);
      list->AddLine(at(0.05f, 0.55f), at(0.75f, 0.55f), col, thick);
      break;
    }
    case Icon::script:
      // A sheet with lines.
      list->AddRect(at(-0.6f, -0.8f), at(0.6f, 0.8f), col, size * 0.06f, 0, thick);
      for (const float y : {-0.35f, 0.0f, 0.35f})
        list->AddLine(at(-0.3f, y), at(y > 0.3f ? 0.05f : 0.3f, y), col, thick);
      break;
    case Icon::question:
      break;  // a letter: drawn by the button
    case Icon::expand:
      for (const float sx : {-1.0f, 1.0f})
        for (const float sy : {-1.0f, 1.0f}) {
          const ImVec2 corner[] = {at(0.3f * sx, 0.7f * sy), at(0.7f * sx, 0.7f * sy), at(0.7f * sx, 0.3f * sy)};
          list->AddPolyline(corner, 3, col, 0, thick);
        }
      break;
    case Icon::home: {
      const ImVec2 roof[] = {at(-0.8f, 0.02f), at(0, -0.72f), at(0.8f, 0.02f)};
      const ImVec2 house[] = {at(-0.52f, -0.05f), at(-0.52f, 0.7f), at(0.52f, 0.7f), at(0.52f, -0.05f)};
      list->AddPolyline(roof, 3, col, 0, thick);
      list->AddPolyline(house, 4, col, 0, thick);
      break;
    }
    case Icon::close:
      list->AddLine(at(-0.5f, -0.5f), at(0.5f, 0.5f), col, thick);
      list->AddLine(at(-0.5f, 0.5f), at(0.5f, -0.5f), col, thick);
      break;
    case Icon::grid:
      for (const float x : {-0.75f, 0.1f})
        for (const float y : {-0.65f, 0.1f}) list->AddRectFilled(at(x, y), at(x + 0.65f, y + 0.55f), col, size * 0.05f);
      break;
    case Icon::preset: {
      // A bookmark.
      const ImVec2 mark[] = {at(-0.5f, -0.8f), at(0.5f, -0.8f), at(0.5f, 0.8f), at(0, 0.35f), at(-0.5f, 0.8f)};
      list->AddPolyline(mark, 5, col, ImDrawFlags_Closed, thick);
      break;
    }
    case Icon::up:
      list->AddTriangleFilled(at(0, -0.7f), at(0.6f, 0), at(-0.6f, 0), col);
      list->AddRectFilled(at(-0.15f, -0.1f), at(0.15f, 0.7f), col);
      break;
    case Icon::panel:
      list->AddRect(at(-0.8f, -0.65f), at(0.8f, 0.65f), col, size * 0.1f, 0, thick);
      list->AddRectFilled(at(0.2f, -0.65f), at(0.8f, 0.65f), col, size * 0.1f, ImDrawFlags_RoundCornersRight);
      break;
  }
}

bool icon_button(const Style& style, const char* id, Icon icon, float size, bool prominent, bool enabled) {
  ImGui::PushID(id);
  if (!enabled) ImGui::BeginDisabled();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton("##button", ImVec2(size, size)) && enabled;
  const bool hovered = ImGui::IsItemHovered() && enabled, held = ImGui::IsItemActive() && enabled;
  if (!enabled) ImGui::EndDisabled();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 to(at.x + size, at.y + size);
  if (prominent)
    list->AddRectFilled(at, to, held || hovered ? color::accent_bright : color::accent, size * 0.5f);
  else if (hovered)
    list->AddRectFilled(at, to, held ? IM_COL32(52, 62, 74, 255) : color::hovered, style.px(5));
  const ImU32 ink = !enabled ? color::faint : prominent ? color::on_accent : hovered ? color::text : color::dim;
  if (icon == Icon::question)
    text_in(list, at, to, ink, "?", 0.5f);
  else
    draw_icon(list, icon, ImVec2(at.x + 0.5f * size, at.y + 0.5f * size), size * (prominent ? 0.42f : 0.46f), ink);
  ImGui::PopID();
  return pressed;
}

bool segments(const Style& style, const char* id, const char* const* labels, int count, int& chosen, float width) {
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
    if (ImGui::InvisibleButton("##segment", ImVec2(right - left, height)) && chosen != i) chosen = i, changed = true;
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    const bool on = chosen == i;
    if (on) {
      const float inset = style.px(2);
      list->AddRectFilled(ImVec2(from.x + inset, from.y + inset), ImVec2(to.x - inset, to.y - inset),
                          IM_COL32(56, 68, 82, 255), round - inset * 0.5f);
    }
    text_in(list, ImVec2(from.x + style.px(4), from.y), ImVec2(to.x - style.px(4), to.y),
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
std::string toggle_lines(const Style& style, const std::string& label, float width) {
  return broken(label, width - switch_width(style) - style.gap());
}
}  // namespace

float toggle_height(const Style& style, const std::string& label, float width) {
  const float letters = ImGui::CalcTextSize(toggle_lines(style, label, width).c_str()).y;
  return std::max(style.row(), letters + style.px(8));
}

bool toggle_row(const Style& style, const char* id, const std::string& label, bool& on, ImU32 label_color) {
  const float width = ImGui::GetContentRegionAvail().x, height = toggle_height(style, label, width);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, ImVec2(width, height));
  if (pressed) on = !on;
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = switch_width(style), h = style.px(18), r = 0.5f * h;
  const ImVec2 to(at.x + width, at.y + 0.5f * (height + h)), from(to.x - w, to.y - h);
  const std::string lines = toggle_lines(style, label, width);
  const float top = at.y + 0.5f * (height - ImGui::CalcTextSize(lines.c_str()).y);
  list->AddText(ImVec2(at.x, std::floor(top + 0.5f)), label_color, lines.c_str());
  list->AddRectFilled(from, to,
                      on        ? color::accent
                      : hovered ? IM_COL32(64, 75, 88, 255)
                                : IM_COL32(52, 62, 74, 255),
                      r);
  list->AddCircleFilled(ImVec2(on ? to.x - r : from.x + r, from.y + r), r - style.px(3),
                        on ? color::on_accent : color::dim, 20);
  return pressed;
}

bool text_button(const Style& style, const char* label, bool prominent) {
  ImGui::PushStyleColor(ImGuiCol_Button, prominent ? color::accent : color::hovered);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, prominent ? color::accent_bright : IM_COL32(56, 68, 82, 255));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, prominent ? color::accent_bright : IM_COL32(56, 68, 82, 255));
  ImGui::PushStyleColor(ImGuiCol_Text, prominent ? color::on_accent : color::text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(style.px(14), style.px(8)));
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(4);
  return pressed;
}

}  // namespace perturb
