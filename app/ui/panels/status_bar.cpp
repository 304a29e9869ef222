#include "app/ui/panels/status_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/i18n/language.h"
#include "app/instruments/instruments.h"
#include "app/run/run_text.h"
#include "app/ui/panels/dialogs.h"
#include "app/ui/panels/drawer.h"
#include "app/ui/panels/view_overlays.h"
#include "app/ui/widgets/gauges.h"
#include "app/ui/widgets/keyboard_focus.h"
#include "app/ui/widgets/slider_scale.h"

namespace perturb {

namespace {

std::string rate_text(double rate) {
  if (!(rate > 0)) return "\u2013";
  char text[40];
  if (rate < 1e5) return grouped(std::llround(rate));
  std::snprintf(text, sizeof text, rate < 1e6 ? "%.0f\u00a0k" : "%.2f\u00a0M", rate < 1e6 ? rate / 1e3 : rate / 1e6);
  return text;
}

std::string duration_text(const Rates& rates) {
  if (!(rates.seconds_per_step > 0)) return "\u2013";
  char text[40];
  const double s = rates.seconds_per_step;
  if (s < 1)
    std::snprintf(text, sizeof text, s < 1e-3 ? "%.1f\u00a0\u00b5s" : "%.2f\u00a0ms", s < 1e-3 ? s * 1e6 : s * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f\u00a0s", s);
  // Queued steps are asynchronous, so this is only an upper bound of their duration.
  return (rates.is_bound ? "< " : "") + std::string(text);
}

std::string frame_rate_text(double rate) {
  char text[24];
  std::snprintf(text, sizeof text, "%.0f", rate);
  return rate > 0 ? text : "\u2013";
}

// A part of the line.
struct Cell {
  Message text, widest;  // width of the cell: the numbers in it change, but its neighbours do not move
  float align;
  Message help;
  ImU32 ink = color::dim;
  bool warns = false;
};

// ---- texts

Cell device_cell(const Panel& panel) {
  const Backend& backend = panel.session.backend();
  const Message threads(backend.threads() == 1 ? "{} thread" : "{} threads", backend.threads());
  const std::string& name = backend.device_name();
  const Message device = backend.is_cuda() ? Message("CUDA: {}", name) : Message("CPU, {}", threads);
  const Message help = backend.is_cuda() ? Message("The physics runs on this GPU: {}", name)
                       : panel.run().runs_on_cpu
                           ? Message(
                                 "The physics runs on the CPU: {}, {}. This scene is so small that a GPU "
                                 "would be slower.",
                                 name, threads)
                           : Message("The physics runs on the CPU: {}, {}", name, threads);
  const bool is_long = text_size(device).x > panel.style.px(210);
  const Message shown = !is_long ? device : backend.is_cuda() ? "CUDA" : "CPU";
  return {shown, shown, 0, help, color::text};
}

// `format`: of a number, which is at most as wide as `widest`.
Cell number_cell(const char* format, const std::string& number, const std::string& widest, const Message& help) {
  return {{format, number}, {format, widest}, 1, help};
}

// A gauge near its limit is shown here even if its tab is closed.
void add_warnings(const Panel& panel, std::vector<Cell>& cells) {
  for (const Gauge& gauge : panel.run().gauges) {
    const ImU32 ink = gauge_color(gauge);
    if (ink == color::good || !gauge.measured) continue;
    const Message text("{} {}", Message(gauge.label), gauge_numbers(gauge));
    cells.push_back({text, text, 0, gauge_advice(gauge, panel.run().info->parameters), ink, true});
  }
}

std::vector<Cell> cells_of(const Panel& panel) {
  const Rates& rates = panel.session.playback().rates();
  std::vector<Cell> cells = {
      device_cell(panel),
      number_cell("{} fps", frame_rate_text(rates.frames_per_second), "000", "Frames drawn per second"),
      number_cell("{} steps/s reached", rate_text(rates.steps_per_second), "00\u00a0000",
                  "Steps per second that the run reaches. The bar above shows the chosen speed."),
      number_cell("{} per step", duration_text(rates), "< 000.0\u00a0\u00b5s",
                  rates.is_bound
                      ? "Upper limit for the time of a step. Steps are queued on the GPU and not timed one by one."
                      : "Time per step")};
  if (const std::string& path = panel.display.path; !path.empty())
    cells.push_back(
        {path, path, 0,
         "How the image reaches the screen. interop: CUDA writes into OpenGL's buffer. host-mapped: the CPU "
         "writes into it. staged: copied through pinned memory."});
  add_warnings(panel, cells);
  return cells;
}

// The value under the pointer and its position, and the same with the most digits.
struct PointerText {
  Message text, widest;
};
PointerText pointer_text(const Panel& panel) {
  const Session& session = panel.session;
  char at[96];
  const DisplayUnit unit = panel.shown_unit(length_unit_of(session.info()));
  std::snprintf(at, sizeof at, "(%.1f, %.1f)", unit.factor * session.pointer().position().x,
                unit.factor * session.pointer().position().y);
  const Message position = value_with_unit(at, unit.text);
  const Message value = in_display_units(session.display_units(), session.pointer().value());
  return {value.empty() ? position : Message("{}  at {}", value, position),
          {"{}  at {}", std::string("-0.00000 units"), value_with_unit("(0000.0, 0000.0)", unit.text)}};
}

// ---- layout and drawing

// Begins the window over the area of the line, with the small font.
void begin_line(const Panel& panel, ImVec2 from, ImVec2 size) {
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::background);
  begin_plain_window("##status", from, size, ImGuiWindowFlags_NoNav);
  ImGui::PushFont(panel.style.small);
  ImGui::GetWindowDrawList()->AddRectFilled(from, ImVec2(from.x + size.x, from.y + panel.style.px(1)), color::line);
}

void end_line() {
  ImGui::PopFont();
  ImGui::End();
  ImGui::PopStyleColor();
}

// Places the parts one after the other, and draws each at once.
class StatusLine {
 public:
  StatusLine(const Panel& panel, ImVec2 from, ImVec2 size);
  // The question, and buttons with the answers.
  void draw_offer(const Panel& panel, const Message& question);
  // At the right end, if there is space.
  void draw_pointer_text(const PointerText& pointer);
  // From the left. What does not fit is left for the dots. `lasting`: width of what follows and should fit too.
  void draw_cells(std::vector<Cell> cells, float lasting);
  // Returns whether there was space.
  bool draw_note(const Message& note, ImU32 ink);
  void leave_for_dots(const Message& text) { rest_ = stacked(rest_, text); }
  // Three dots for what did not fit, with a tooltip that contains it.
  void draw_dots();

  float note_width(const Message& note) const { return text_size(note).x + style_.px(2); }
  float gap() const { return gap_; }

 private:
  float width_of(const Cell& cell) const {
    return std::max({text_size(cell.widest).x, text_size(cell.text).x, style_.px(10)}) + style_.px(2);
  }
  // Width of the cells from this one on.
  float width_from(const std::vector<Cell>& cells, std::size_t first) const;
  void draw_cell(const Cell& cell, int id);
  void tooltip_in_body_font(const Message& text) const;

  const Style& style_;
  ImVec2 from_, size_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
  float gap_, dots_, end_;  // end of the line
  float x_, right_;         // the space that is left
  Message rest_;
};

StatusLine::StatusLine(const Panel& panel, ImVec2 from, ImVec2 size)
    : style_(panel.style),
      from_(from),
      size_(size),
      gap_(style_.px(18)),
      dots_(style_.px(16)),
      end_(from.x + size.x - style_.px(14)),
      x_(from.x + style_.px(14)),
      right_(end_) {}

// Widths of the offer's parts.
struct OfferWidths {
  float question, go_on, discard, close, gap;
  float all() const { return question + go_on + discard + close + 3 * gap; }
};
OfferWidths offer_widths(const Style& style, const Message& question) {
  const float pad = style.px(20);
  return {text_size(question).x, text_size("Continue").x + pad, text_size("Discard").x + pad, style.px(22),
          style.px(8)};
}

void StatusLine::draw_offer(const Panel& panel, const Message& question) {
  const OfferWidths widths = offer_widths(style_, question);
  const float top = from_.y + style_.px(4), bottom = from_.y + size_.y - style_.px(3);
  draw_text_in(list_, ImVec2(x_, from_.y), ImVec2(x_ + widths.question, from_.y + size_.y), color::text, question);
  x_ += widths.question + widths.gap;
  const auto button = [&](const char* label, float width, ImU32 fill, ImU32 hovered, ImU32 ink, const Command& answer) {
    ImGui::SetCursorScreenPos(ImVec2(x_, top));
    if (press_area(label, ImVec2(width, bottom - top))) panel.ask(answer);
    list_->AddRectFilled(ImVec2(x_, top), ImVec2(x_ + width, bottom), ImGui::IsItemHovered() ? hovered : fill,
                         style_.px(4));
    draw_text_in(list_, ImVec2(x_, top), ImVec2(x_ + width, bottom), ink, label, 0.5f);
    x_ += width + widths.gap;
  };
  button("Continue", widths.go_on, color::accent, color::accent_bright, color::on_accent, AnswerRecovery{true});
  button("Discard", widths.discard, color::raised, color::hovered, color::text, AnswerRecovery{false});
  ImGui::SetCursorScreenPos(ImVec2(x_, top));
  if (icon_button(style_, "later", Icon::close, bottom - top)) panel.ask(CommandId::close_overlay);
  tooltip_in_body_font("Not now (Esc): the scene browser keeps it");
  x_ += widths.close + gap_;
}

void StatusLine::draw_pointer_text(const PointerText& pointer) {
  const float actual = text_size(pointer.text).x;
  float width = std::max(text_size(pointer.widest).x, actual);
  if (width > 0.5f * size_.x) width = actual;
  if (right_ - width <= x_) return;
  draw_text_in(list_, ImVec2(right_ - width, from_.y), ImVec2(right_, from_.y + size_.y), color::text, pointer.text, 1);
  right_ -= width + gap_;
}

float StatusLine::width_from(const std::vector<Cell>& cells, std::size_t first) const {
  float sum = 0;
  for (std::size_t k = first; k < cells.size(); ++k) sum += width_of(cells[k]) + (k > first ? gap_ : 0);
  return sum;
}

void StatusLine::draw_cells(std::vector<Cell> cells, float lasting) {
  float all = -gap_;
  for (const Cell& cell : cells) all += width_of(cell) + gap_;
  // A warning is always shown.
  if (x_ + all > right_) std::stable_partition(cells.begin(), cells.end(), [](const Cell& cell) { return cell.warns; });
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const bool all_fit = x_ + width_from(cells, k) + lasting <= right_;
    if (rest_.empty() && (all_fit || x_ + width_of(cells[k]) + gap_ + dots_ <= right_))
      draw_cell(cells[k], static_cast<int>(k));
    else
      leave_for_dots(cells[k].text);
  }
}

void StatusLine::draw_cell(const Cell& cell, int id) {
  const float width = width_of(cell);
  ImGui::SetCursorScreenPos(ImVec2(x_, from_.y));
  ImGui::PushID(id);
  press_area("##cell", ImVec2(width, size_.y));
  ImGui::PopID();
  tooltip_in_body_font(cell.help);
  draw_text_in(list_, ImVec2(x_, from_.y), ImVec2(x_ + width, from_.y + size_.y), cell.ink, cell.text, cell.align);
  x_ += width + gap_;
}

bool StatusLine::draw_note(const Message& note, ImU32 ink) {
  const float width = note_width(note);
  if (!rest_.empty() || x_ + width > right_) return false;
  draw_text_in(list_, ImVec2(x_, from_.y), ImVec2(x_ + width, from_.y + size_.y), ink, note);
  return true;
}

void StatusLine::draw_dots() {
  if (rest_.empty() || x_ + dots_ > end_) return;
  ImGui::SetCursorScreenPos(ImVec2(x_, from_.y));
  press_area("##rest", ImVec2(dots_, size_.y));
  tooltip_in_body_font(rest_);
  draw_icon(list_, Icon::more, ImVec2(x_ + 0.5f * dots_, from_.y + 0.5f * size_.y), dots_, color::dim);
}

void StatusLine::tooltip_in_body_font(const Message& text) const {
  ImGui::PushFont(style_.body);
  tooltip(style_, text);
  ImGui::PopFont();
}

}  // namespace

bool is_offer_in_status_line(const Panel& panel) {
  if (!is_recovery_offered(panel) || !panel.layout.has_bars) return false;
  const RecoveryOffer& offer = panel.session.autosave_controller().offer();
  ImGui::PushFont(panel.style.small);
  const float width = offer_widths(panel.style, recovery_text(offer)).all();
  ImGui::PopFont();
  return offer.was_closed && width < 0.6f * static_cast<float>(panel.layout.status.width);
}

void draw_status_bar(const Panel& panel) {
  const Rect& rect = panel.layout.status;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  begin_line(panel, from, size);
  StatusLine line(panel, from, size);
  if (is_offer_in_status_line(panel))
    line.draw_offer(panel, recovery_text(panel.session.autosave_controller().offer()));
  // The value under the pointer is at the right; messages use the space between, or their own box.
  if (panel.session.pointer().in_domain()) line.draw_pointer_text(pointer_text(panel));

  // Errors, and messages that offer a folder, have their own box with buttons.
  const auto& message = panel.session.message();
  const bool has_message_box = !message.text.empty() && (message.is_error || !message.folder.empty());
  const bool passing = !message.text.empty() && !has_message_box;
  const Message note = passing ? message.text : panel.display.notes;
  line.draw_cells(cells_of(panel), !note.empty() && !passing ? line.gap() + line.note_width(note) : 0);
  const bool note_is_drawn = !note.empty() && line.draw_note(note, passing ? color::accent_bright : color::faint);
  if (!note.empty() && !note_is_drawn && !passing) line.leave_for_dots(note);
  line.draw_dots();
  end_line();
  if (has_message_box || (passing && !note_is_drawn)) draw_message(panel);
}

}  // namespace perturb
