#include "tests/support/laid_out_panels.h"

#include <algorithm>

#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"

namespace perturb {

LaidOutPanels::LaidOutPanels(const Scene& scene, const Layout& layout) : scene_(scene), layout_(layout) { open(); }

void LaidOutPanels::open() {
  session_.reset();
  experiment_ = std::make_unique<Experiment>(*backend_, scene_);
  session_ = std::make_unique<Session>(*experiment_, 1);
  panels_ = {};
}

void LaidOutPanels::frame(double x, double y, bool down, float wheel) {
  session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
  session_->pace().forget();  // however slow the machine is, a frame takes the requested steps
  session_->advance();
  session_->observe(true);
  move_pointer(x, y, down);
  ImGui::GetIO().MouseWheel = wheel;
  draw_panels(*session_, gui_, panels_, layout_);
  session_->end_frame(1.0 / 60, 0.004);
}

void LaidOutPanels::click(double x, double y) {
  for (const bool down : {false, false, true, false, false}) frame(x, y, down);
}

std::optional<LaidOutPanels::Way> LaidOutPanels::search(const std::string& row,
                                                        const std::function<bool(const Session&)>& reached) {
  constexpr int max_notches = 12;
  const Rect& column = layout_.column;
  const auto share = [&](double of_height) { return column.y + of_height * column.height; };
  const double step = 10 * layout_.unit;  // less than the height of a row or of an entry
  Way way;
  way.x = column.x + 0.45 * column.width;
  way.wheel = share(0.75);
  for (int i = 0; i < 3; ++i) frame(way.x, way.wheel);
  for (; way.notches <= max_notches; ++way.notches) {
    for (const DrawnText& text : drawn_text()) {
      way.row = text.box.y + text.box.height / 2;
      // Only in the part that scrolls, and not so low that the list that opens below the row would be out of view.
      if (text.text != row || way.row < share(0.6) || way.row > share(0.8)) continue;
      for (way.entry = share(0.4); way.entry < share(1); way.entry += step) {
        if (!list_is_open()) {
          open();
          click(way.x, way.row);
        }
        if (!list_is_open()) break;
        click(way.x, way.entry);
        if (!reached(*session_)) continue;
        for (int i = 0; i < 3; ++i) frame(0, 0);
        return way;
      }
      if (list_is_open()) click(0, 0);
    }
    open();
    frame(way.x, way.wheel);
    frame(way.x, way.wheel, false, -1);
    for (int i = 0; i < 3; ++i) frame(way.x, way.wheel);
  }
  return std::nullopt;
}

std::optional<double> LaidOutPanels::row_to_type(const std::string& parameter, double x) {
  for (double y = layout_.column.y; y < layout_.column.y + layout_.column.height; y += 10 * layout_.unit) {
    open();
    click(x, y);
    click(x, y);
    if (panels_.rows().typing() == parameter) return y;
  }
  return std::nullopt;
}

std::optional<Camera::Point> LaidOutPanels::search_click(const std::vector<Camera::Point>& before, double x,
                                                         const std::function<bool(const Session&)>& reached) {
  const Rect& column = layout_.column;
  for (double y = column.y + 5; y < column.y + column.height; y += 10 * layout_.unit) {
    open();
    for (const Camera::Point& at : before) click(at.x, at.y);
    click(x, y);
    if (reached(*session_)) return Camera::Point{x, y};
  }
  return std::nullopt;
}

std::vector<Rect> LaidOutPanels::letters(ImU32 color) const {
  std::vector<Rect> boxes;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int n = 0; n < data->CmdListsCount; ++n) {
    const ImDrawList& list = *data->CmdLists[n];
    // A letter is a rectangle of two triangles: four consecutive corners.
    for (int k = 0; k + 3 < list.VtxBuffer.Size; ++k) {
      const ImDrawVert& a = list.VtxBuffer[k];
      const ImDrawVert& c = list.VtxBuffer[k + 2];
      if (a.col != color || c.col != color) continue;
      boxes.push_back({std::min(a.pos.x, c.pos.x), std::min(a.pos.y, c.pos.y), std::abs(c.pos.x - a.pos.x),
                       std::abs(c.pos.y - a.pos.y)});
      k += 3;
    }
  }
  return boxes;
}

}  // namespace perturb
