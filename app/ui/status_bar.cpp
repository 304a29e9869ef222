#include "app/ui/status_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/ui/gauges.h"
#include "app/ui/slider_scale.h"

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
  std::snprintf(text, sizeof text, s < 1e-3 ? "%.1f\u00a0\u00b5s" : "%.2f\u00a0ms", s < 1e-3 ? s * 1e6 : s * 1e3);
  // Queued steps: nobody waits for them, so what is known is that they take no longer than this.
  return (rates.is_bound ? "< " : "") + std::string(text);
}

}  // namespace

void draw_status_bar(const Panel& panel) {
  const Style& style = panel.style;
  const Session& session = panel.session;
  const Backend& backend = panel.experiment().backend();
  const Rect& rect = panel.layout.status;
  const ImVec2 from(static_cast<float>(rect.x), static_cast<float>(rect.y));
  const ImVec2 size(static_cast<float>(rect.width), static_cast<float>(rect.height));
  ImGui::SetNextWindowPos(from);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color::background);
  ImGui::Begin("##status", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar(2);
  ImGui::PushFont(style.small);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, ImVec2(from.x + size.x, from.y + style.px(1)), color::line);

  float x = from.x + style.px(14);
  const float end = from.x + size.x - style.px(14);
  int cells = 0;
  // A cell of fixed width: numbers in it change, its neighbours stand still.
  const auto cell = [&](const std::string& text, const char* widest, float align, const std::string& help,
                        ImU32 ink = color::dim) {
    const float width = std::max(ImGui::CalcTextSize(widest).x, style.px(10)) + style.px(2);
    if (x + width > end) return;
    ImGui::SetCursorScreenPos(ImVec2(x, from.y));
    ImGui::PushID(cells++);
    ImGui::InvisibleButton("##cell", ImVec2(width, size.y));
    ImGui::PopID();
    ImGui::PushFont(style.body);
    tooltip(style, help);
    ImGui::PopFont();
    text_in(list, ImVec2(x, from.y), ImVec2(x + width, from.y + size.y), ink, text, align);
    x += width + style.px(18);
  };

  const std::string where = backend.is_cuda() ? "CUDA" : "CPU";
  const std::string threads = std::to_string(backend.threads()) + (backend.threads() == 1 ? " thread" : " threads");
  const std::string device = backend.is_cuda() ? "CUDA: " + backend.device_name() : "CPU, " + threads;
  const std::string device_help = backend.is_cuda()
                                      ? "The physics runs on this GPU: " + backend.device_name()
                                      : "The physics runs on the CPU: " + backend.device_name() + ", " + threads;
  const std::string shown_device = elided(device, style.px(210));
  cell(shown_device, shown_device.c_str(), 0, device_help, color::text);
  const Rates& rates = session.rates();
  char fps[24];
  std::snprintf(fps, sizeof fps, "%.0f fps", rates.frames_per_second);
  cell(rates.frames_per_second > 0 ? fps : "\u2013 fps", "000 fps", 1, "Frames drawn per second");
  cell(rate_text(rates.steps_per_second) + " steps/s", "00\u00a0000 steps/s", 1, "Steps of the simulation per second");
  cell(duration_text(rates) + " a step", "< 000.0\u00a0\u00b5s a step", 1,
       rates.is_bound ? "A step takes no longer than this. Steps are queued on the GPU, and nothing waits to time them."
                      : "Time that one step takes");
  if (!panel.display.path.empty())
    cell(panel.display.path, panel.display.path.c_str(), 0,
         "How the picture reaches the screen. interop: CUDA writes into OpenGL's buffer. host-mapped: the CPU writes "
         "into it. "
         "staged: copied by way of pinned memory.");

  // A gauge that nears its limit shows here even when its tab is closed.
  for (const Gauge& gauge : panel.experiment().simulation().gauges()) {
    const ImU32 ink = gauge_color(gauge);
    if (ink == color::good) continue;
    const std::string text = gauge.label + " " + number_text(gauge.value, 3);
    cell(text, text.c_str(), 0, gauge_advice(panel.experiment(), gauge), ink);
  }

  // The value under the pointer has its place at the right, notes take what is left between.
  float right = end;
  if (session.pointer_in_domain()) {
    char at[96];
    std::snprintf(at, sizeof at, "(%.1f, %.1f)", session.pointer().x, session.pointer().y);
    const std::string value = session.value_under_pointer();
    const std::string text = value.empty() ? at : value + "  at " + at;
    const float width =
        std::max(ImGui::CalcTextSize("-0.00000 units  at (0000.0, 0000.0)").x, ImGui::CalcTextSize(text.c_str()).x);
    if (right - width > x) {
      text_in(list, ImVec2(right - width, from.y), ImVec2(right, from.y + size.y), color::text, text, 1);
      right -= width + style.px(18);
    }
  }
  const UiState& state = panel.session.state();
  const std::string note = !state.note.empty() ? state.note : panel.display.notes;
  if (!note.empty() && right - x > style.px(60)) {
    ImGui::SetCursorScreenPos(ImVec2(x, from.y));
    ImGui::InvisibleButton("##note", ImVec2(right - x, size.y));
    if (ImGui::CalcTextSize(note.c_str()).x > right - x) {
      ImGui::PushFont(style.body);
      tooltip(style, note);
      ImGui::PopFont();
    }
    text_in(list, ImVec2(x, from.y), ImVec2(right, from.y + size.y),
            state.note.empty() ? color::faint : color::accent_bright, note);
  }
  ImGui::PopFont();
  ImGui::End();
  ImGui::PopStyleColor();
}

}  // namespace perturb
