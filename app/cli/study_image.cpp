#include "app/cli/study_image.h"

#include <cmath>

#include "app/render/gl/context.h"
#include "app/session/layout.h"
#include "app/ui/plots/plots.h"
#include "app/ui/widgets/gui.h"

namespace perturb {

namespace {

constexpr int width = 1200, plot_height = 560;
constexpr float scale = 1.6f;       // pixels per design pixel
constexpr float axes_height = 210;  // design pixels, without title, legend and tick labels

// The points that a logarithmic axis can show.
std::vector<CurvePoint> on_axes(const StudyPlot& plot, const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> shown;
  for (CurvePoint p : points) {
    if ((plot.logarithmic_x && !(p.x > 0)) || (plot.logarithmic_y && !(p.y > 0))) continue;
    if (plot.logarithmic_x) p.x = std::log10(p.x);
    if (plot.logarithmic_y) p.y = std::log10(p.y);
    shown.push_back(p);
  }
  return shown;
}

void draw(const Style& style, const StudyPlot& plot) {
  std::vector<std::vector<CurvePoint>> points;
  for (const StudyLine& line : plot.lines) points.push_back(on_axes(plot, line.points));
  std::vector<PlotLine> lines;
  for (std::size_t i = 0; i < points.size(); ++i)
    lines.push_back({plot.lines[i].label, &points[i], plot_ink(i), plot.lines[i].dashed});
  PlotFrame frame;
  frame.title = plot.title;
  frame.x_label = plot.x_unit.empty() ? plot.x_label : plot.x_label + ", " + plot.x_unit;
  frame.y_label = plot.y_unit.empty() ? plot.y_label : plot.y_label + ", " + plot.y_unit;
  frame.logarithmic_x = plot.logarithmic_x, frame.logarithmic_y = plot.logarithmic_y;
  frame.marks = true;
  draw_plot(style, frame, lines, style.px(axes_height));
}

}  // namespace

Picture study_image(const std::vector<StudyPlot>& plots) {
  const int height = plot_height * static_cast<int>(plots.size());
  const auto context = make_offscreen_context(width, height);
  Gui gui(Gui::Renderer::opengl);
  const Layout layout = make_layout(width, height, 1, scale, false);
  for (int pass = 0; pass < 3; ++pass) {  // ImGui measures new items in one frame and places them in the next
    context->begin_frame();
    gui.begin_frame(layout, 1.0 / 60);
    const Style& style = gui.style();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(width, static_cast<float>(height)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(24), style.px(18)));
    ImGui::Begin("##study", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar(2);
    for (std::size_t i = 0; i < plots.size(); ++i) {
      ImGui::SetCursorPosY(style.px(18) + static_cast<float>(i) * plot_height);
      draw(style, plots[i]);
    }
    ImGui::End();
    gui.end_frame();
  }
  Picture picture = context->read_back();
  context->end_frame();
  return picture;
}

}  // namespace perturb
