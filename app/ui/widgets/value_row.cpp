#include "app/ui/widgets/value_row.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/ui/widgets/fonts.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"
#include "app/ui/widgets/style.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

// The limits of a typed value.
const ValueInfo& typed_info(const ValueInfo& info, const ValueRow& row) { return row.typed ? *row.typed : info; }

Message help_text(const ValueInfo& info, const ValueRow& row) {
  Message text = info.help;
  if (!info.symbol.empty()) text = stacked(text, {"In the equation: {}", info.symbol});
  if (info.kind == ValueKind::real || info.kind == ValueKind::integer)
    text = stacked(text, Message("From {} to {}, by default {}.", number_text(typed_info(info, row).minimum),
                                 value_text(info, typed_info(info, row).maximum), number_text(row.default_value)) +
                             "Double-click to type a value.");
  if (info.kind == ValueKind::formula) text = stacked(text, "Click to type a formula.");
  if (row.restarts) text = stacked(text, "Changing this restarts the scene.");
  return text;
}

float restart_icon_width(const Style& style) { return style.px(18); }

// The label at the left of a bar, followed by a small sign if a change restarts the scene.
void draw_label(const Style& style, ImVec2 from, ImVec2 to, const ValueInfo& info, bool restarts) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text_in(list, from, to, color::text, info.label);
  if (!restarts) return;
  const float x = from.x + text_size(info.label).x + style.px(12);
  if (x + style.px(6) < to.x)
    draw_icon(list, Icon::restart, ImVec2(x, 0.5f * (from.y + to.y)), style.px(10), color::faint);
}

float text_width(const Message& text) { return text_size(text).x; }

Message unit_after_number(const ValueInfo& info) {
  return info.unit.empty() ? Message() : Message("\u00a0{}", Message(info.unit));
}

// Width reserved for the text at the right of a row, whatever its value: so the height of a row does not change.
float value_width(const Style& style, const ValueInfo& info) {
  float widest = 0;
  if (info.kind == ValueKind::choice) {
    for (const Choice& choice : info.choices) widest = std::max(widest, text_width(choice.label));
    return widest + style.px(12);  // plus the mark of a list
  }
  for (const double value : {info.minimum, info.maximum, info.initial})
    widest = std::max(widest, text_width(Message::value(number_text(value))));
  widest = std::max(widest, text_width("0.0000")) + text_width(unit_after_number(info));
  return std::max(widest, text_width(info.zero));
}

// If label and value do not fit on one line, the value has its own line; a formula always does.
bool has_two_lines(const Style& style, const ValueInfo& info, bool restarts, float width) {
  if (info.kind == ValueKind::formula) return true;
  const float label = text_width(info.label) + (restarts ? restart_icon_width(style) : 0);
  return label + value_width(style, info) + style.gap() + 2 * style.px(10) > width;
}

Message toggle_label(const ValueInfo& info, bool restarts) {
  return restarts ? Message("{} (restarts)", Message(info.label)) : Message(info.label);
}

float bar_height(const Style& style, bool tall) { return tall ? style.row() + style.px(18) : style.row(); }

// The lines of a bar: one for the label, one for the value.
struct BarLines {
  float label_from, label_to, value_from, value_to;
};
BarLines bar_lines(const Style& style, float top, bool tall) {
  if (!tall) return {top, top + style.row(), top, top + style.row()};
  const float middle = top + style.px(3) + 0.5f * (style.row() + style.px(18) - style.px(6));
  return {top + style.px(3), middle, middle, top + style.row() + style.px(15)};
}

std::optional<double> draw_choice(const Style& style, const ValueInfo& info, const ValueRow& row, float width) {
  const bool tall = has_two_lines(style, info, row.restarts, width);
  const float height = bar_height(style, tall), pad = style.px(10);
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  std::optional<double> result;
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(pad, 0.5f * (height - ImGui::GetTextLineHeight())));
  const bool open = begin_list("##choice", ImGuiComboFlags_NoArrowButton | ImGuiComboFlags_HeightLarge);
  ImGui::PopStyleVar();
  if (open) {
    for (std::size_t i = 0; i < info.choices.size(); ++i) {
      const bool chosen = static_cast<std::size_t>(row.value) == i;
      if (list_line((tr(info.choices[i].label) + "###" + info.choices[i].id).c_str(), chosen) && !chosen)
        result = static_cast<double>(i);
      if (chosen) ImGui::SetItemDefaultFocus();
    }
    ImGui::EndCombo();
  } else {
    tooltip(style, help_text(info, row));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Message text = value_text(info, row.value);
  const float caret = style.px(12);
  const BarLines lines = bar_lines(style, at.y, tall);
  const float shown_width = std::min(text_width(text), width - 2 * pad - caret);
  const float right = to.x - pad - caret;
  draw_text_in(list, ImVec2(right - shown_width - 1, lines.value_from), ImVec2(right, lines.value_to), color::text,
               text, 1);
  const float label_end = tall ? to.x - pad + 1 : right - shown_width - style.gap();
  draw_label(style, ImVec2(at.x + pad, lines.label_from), ImVec2(label_end, lines.label_to), info, row.restarts);
  const ImVec2 c(to.x - pad - style.px(3), 0.5f * (lines.value_from + lines.value_to));
  const float r = style.px(3.5f);
  const ImVec2 arrow[] = {ImVec2(c.x - r, c.y - 0.5f * r), ImVec2(c.x, c.y + 0.5f * r),
                          ImVec2(c.x + r, c.y - 0.5f * r)};
  list->AddPolyline(arrow, 3, color::dim, 0, style.px(1.5f));
  return result;
}

}  // namespace

float value_row_height(const Style& style, const ValueInfo& info, bool restarts, float width) {
  if (info.kind == ValueKind::boolean) return toggle_height(style, toggle_label(info, restarts), width - style.px(10));
  return bar_height(style, has_two_lines(style, info, restarts, width));
}

// A field for typing the value. Enter or Tab applies it, Esc or a click elsewhere cancels.
std::optional<double> ValueRows::draw_typing(const ValueInfo& info, const ValueRow& row, float width, float height) {
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(ImGui::GetStyle().FramePadding.x, 0.5f * (height - ImGui::GetTextLineHeight())));
  if (typing_just_started_) type_in_next_item();
  request_glyphs(typed_);
  const bool entered = ImGui::InputText("##typed", typed_, sizeof typed_,
                                        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopStyleVar();
  add_tab_stop();
  const bool left = !typing_just_started_ && ImGui::IsItemDeactivated();
  typing_just_started_ = false;
  if (!entered && !left) return std::nullopt;
  typing_.clear();
  // Tab applies the value and moves to the next row; Enter keeps the focus.
  if (!entered && !tab_leaves_) return std::nullopt;
  if (!tab_leaves_ && typed_by_keys_) refocus_ = row.key;
  try {
    const double value = typed_info(info, row).parse(with_decimal_point(typed_));
    typed_info(info, row).check(value);
    return value;
  } catch (const Error& error) {
    errors_.insert_or_assign(row.key, Rejection{error.message(), row.value});
    return std::nullopt;
  }
}

// The text of a formula; a click, or Enter, begins typing.
std::optional<double> ValueRows::draw_formula(const Style& style, const ValueInfo& info, const ValueRow& row,
                                              float width) {
  const float height = bar_height(style, true), pad = style.px(10);
  if (typing_ == row.key) return draw_typing(info, row, width, height);
  const ImVec2 at = ImGui::GetCursorScreenPos(), to(at.x + width, at.y + height);
  const bool pressed = press_area("##formula", ImVec2(width, height));
  if (refocus_ == row.key) {
    focus_last_item();
    refocus_.clear();
  }
  const bool by_keys = focus_is_shown() && ImGui::IsItemFocused() && (type_value_ || pressed);
  if (by_keys) type_value_ = false;
  tooltip(style, help_text(info, row));
  if (pressed || by_keys) {
    typing_ = row.key;
    typing_just_started_ = true;
    typed_by_keys_ = by_keys;
    fill_field(typed_, info.format(row.value));
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, to, ImGui::GetColorU32(ImGui::IsItemHovered() ? ImGuiCol_FrameBgHovered : ImGuiCol_FrameBg),
                      style.px(5));
  const BarLines lines = bar_lines(style, at.y, true);
  draw_label(style, ImVec2(at.x + pad, lines.label_from), ImVec2(to.x - pad, lines.label_to), info, row.restarts);
  draw_text_in(list, ImVec2(at.x + pad, lines.value_from), ImVec2(to.x - pad, lines.value_to), color::text,
               value_text(info, row.value));
  return std::nullopt;
}

// Position on the bar that the pointer has dragged the value to; none while it has only been pressed.
std::optional<double> ValueRows::dragged_fraction(const Style& style, double fraction, float width) {
  const float x = ImGui::GetIO().MousePos.x, threshold = style.px(4);
  if (ImGui::IsItemActivated()) {
    drag_began_ = false;
    drag_fraction_ = fraction;
    drag_x_ = x;
  }
  const float moved = x - drag_x_;
  if (!drag_began_ && std::abs(moved) < threshold) return std::nullopt;
  if (!drag_began_) {
    drag_began_ = true;
    drag_x_ += moved > 0 ? threshold : -threshold;
  }
  return std::clamp(drag_fraction_ + static_cast<double>((x - drag_x_) / std::max(1.f, width)), 0.0, 1.0);
}

std::optional<double> ValueRows::draw_slider(const Style& style, const ValueInfo& info, const ValueRow& row,
                                             float width) {
  const bool tall = has_two_lines(style, info, row.restarts, width);
  const float height = bar_height(style, tall);
  if (typing_ == row.key) return draw_typing(info, row, width, height);

  const bool pending = pending_ == row.key;
  const double value = pending ? pending_value_ : row.value;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 to(at.x + width, at.y + height);

  // ImGui's slider handles the focus and the arrow keys; the visible part is drawn below. It would also jump to a
  // clicked position, so the pointer is handled here.
  const double before = slider_fraction(info, value);
  auto fraction = static_cast<float>(before);
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, 0.5f * (height - ImGui::GetTextLineHeight())));
  ImGui::PushStyleVar(ImGuiStyleVar_GrabMinSize, style.px(2));
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, 0);
  ImGui::PushStyleColor(ImGuiCol_SliderGrabActive, 0);
  ImGui::PushStyleColor(ImGuiCol_Text, 0);
  bool moved = ImGui::SliderFloat("##slider", &fraction, 0, 1, "%.4f", ImGuiSliderFlags_NoInput);
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(2);
  add_tab_stop();
  if (refocus_ == row.key) {
    focus_last_item();
    refocus_.clear();
  }
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive(), let_go = ImGui::IsItemDeactivated();
  const bool by_pointer = ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0);
  double chosen_fraction = static_cast<double>(fraction);
  if (by_pointer) {
    const std::optional<double> dragged = active ? dragged_fraction(style, before, width) : std::optional<double>();
    moved = dragged && *dragged != before;
    if (dragged) chosen_fraction = *dragged;
  }
  const bool by_keys = type_value_ && focus_is_shown() && ImGui::IsItemFocused();
  if (by_keys) type_value_ = false;
  const bool asks_to_type =
      by_keys || (hovered && (double_clicked() || (ImGui::IsMouseClicked(0) && ImGui::GetIO().KeyCtrl)));
  if (!active || !moved) tooltip(style, active ? Message() : help_text(info, row));

  std::optional<double> result;
  if (asks_to_type) {
    typing_ = row.key;
    typing_just_started_ = true;
    typed_by_keys_ = by_keys;
    fill_field(typed_, info.format(value));
    pending_.clear();
  } else if (moved) {
    const double chosen = slider_value(info, chosen_fraction);
    if (row.restarts || row.on_release) {
      pending_ = row.key;
      pending_value_ = chosen;
    } else if (chosen != row.value) {
      result = chosen;
    }
  }
  if (let_go && pending && !asks_to_type) {
    pending_.clear();
    if (value != row.value) result = value;
  }

  ImDrawList* list = ImGui::GetWindowDrawList();
  // The edge of the filled part is the slider's grab; it is drawn below the text, which it may touch.
  const float filled = std::round(static_cast<float>(slider_fraction(info, result.value_or(value))) * width);
  const float round = style.px(5);
  if (filled > 0) {
    list->PushClipRect(at, ImVec2(at.x + filled, to.y), true);
    list->AddRectFilled(at, to, color::accent_fill, round);
    list->PopClipRect();
  }
  const float edge = std::clamp(filled - style.px(1), style.px(2), std::max(style.px(2), width - style.px(4)));
  list->AddRectFilled(ImVec2(at.x + edge, at.y + style.px(5)), ImVec2(at.x + edge + style.px(2), to.y - style.px(5)),
                      active    ? color::accent_bright
                      : hovered ? color::accent
                                : color::accent_dim,
                      style.px(1));
  const float pad = style.px(10);
  const BarLines lines = bar_lines(style, at.y, tall);
  // The unit is less prominent than the number.
  const double now = result.value_or(value);
  const bool is_named = now == 0 && !info.zero.empty();
  const Message number = is_named ? Message(info.zero) : Message::value(number_text(now));
  const Message unit = is_named ? Message() : unit_after_number(info);
  const float unit_width = text_width(unit), all_width = text_width(number) + unit_width;
  draw_text_in(list, ImVec2(to.x - pad - unit_width, lines.value_from), ImVec2(to.x - pad + 1, lines.value_to),
               color::dim, unit);
  draw_text_in(list, ImVec2(to.x - pad - all_width, lines.value_from),
               ImVec2(to.x - pad - unit_width + 1, lines.value_to), color::text, number);
  const float label_end = tall ? to.x - pad + 1 : to.x - pad - all_width - style.gap();
  draw_label(style, ImVec2(at.x + pad, lines.label_from), ImVec2(label_end, lines.label_to), info, row.restarts);
  return result;
}

void ValueRows::begin_pass(bool type_value, bool tab_leaves, int run) {
  type_value_ = type_value;
  tab_leaves_ = tab_leaves;
  if (std::exchange(run_, run) == run) return;
  errors_.clear();
  typing_.clear();
  pending_.clear();
}

std::optional<double> ValueRows::draw(const Style& style, const ValueInfo& info, const ValueRow& row) {
  ImGui::PushID(row.key.c_str());
  if (!row.enabled) ImGui::BeginDisabled();
  // The reset button is in the gutter next to the rows, so that no bar changes its width.
  const float button = style.px(22), width = ImGui::GetContentRegionAvail().x;
  const float height = value_row_height(style, info, row.restarts, width);
  std::optional<double> result;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  switch (info.kind) {
    case ValueKind::boolean: {
      bool on = row.value != 0;
      ImGui::BeginGroup();
      // The label lines up with those inside the bars.
      ImGui::SetCursorScreenPos(ImVec2(at.x + style.px(10), at.y));
      ImGui::BeginChild("##row", ImVec2(width - style.px(10), height), false, ImGuiWindowFlags_NoScrollbar);
      if (toggle_row(style, "##switch", toggle_label(info, row.restarts), on)) result = on ? 1 : 0;
      tooltip(style, help_text(info, row));
      ImGui::EndChild();
      ImGui::EndGroup();
      break;
    }
    case ValueKind::choice:
      result = draw_choice(style, info, row, width);
      break;
    case ValueKind::formula:
      result = draw_formula(style, info, row, width);
      break;
    default:
      result = draw_slider(style, info, row, width);
      break;
  }
  if (row.value != row.default_value) {
    ImGui::SetCursorScreenPos(ImVec2(at.x + width + style.px(1), at.y + 0.5f * (height - button)));
    if (icon_button(style, "reset", Icon::reset, button)) result = row.default_value;
    tooltip(style, {"Back to {}", value_text(info, row.default_value)});
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + height + ImGui::GetStyle().ItemSpacing.y));
  }
  if (!row.enabled) ImGui::EndDisabled();
  const auto rejected = errors_.find(row.key);
  if (rejected != errors_.end() && (result || rejected->second.value != row.value)) errors_.erase(row.key);
  const Message error_text = errors_.contains(row.key) ? errors_.at(row.key).why : row.error_text;
  std::string& shown = shown_errors_[row.key];
  if (!error_text.empty()) {
    draw_wrapped(error_text, color::bad);
    // The row may be the lowest one in sight: a new message comes into sight once.
    const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    if (shown != error_text.english() && ImGui::GetItemRectMax().y > bottom) ImGui::SetScrollHereY(1);
  }
  shown = error_text.english();
  ImGui::PopID();
  return result;
}

}  // namespace perturb
