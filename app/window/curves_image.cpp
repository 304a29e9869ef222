#include "app/window/curves_image.h"

#include <algorithm>

#include <glad/gl.h>

#include "app/render/gl/gl_objects.h"
#include "app/session/layout.h"
#include "app/ui/plots/plots.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

constexpr int plot_width = 900, curve_plot_height = 520, max_plots = 24;
constexpr float print_scale = 1.5f, print_axes_height = 200;  // pixels per design pixel; design pixels

// A second ImGui context; the window's own and its theme are restored at the end.
class TemporaryGui {
 public:
  TemporaryGui() : before_(ImGui::GetCurrentContext()), gui_(Gui::Renderer::opengl) {}
  ~TemporaryGui() {
    ImGui::SetCurrentContext(before_);
    use_theme(theme_);
  }
  TemporaryGui(const TemporaryGui&) = delete;
  TemporaryGui& operator=(const TemporaryGui&) = delete;
  Gui& gui() { return gui_; }

 private:
  ImGuiContext* before_;
  Theme theme_ = used_theme();
  Gui gui_;
};

void draw_all(const Style& style, const std::vector<Curve>& curves, int columns, float height) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(ImVec2(static_cast<float>(columns * plot_width), height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32_WHITE);  // for paper
  ImGui::Begin("##curves", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  const float margin = style.px(16);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const auto column = static_cast<float>(static_cast<int>(k) % columns);
    const auto row = static_cast<float>(static_cast<int>(k) / columns);
    ImGui::SetCursorPos(ImVec2(column * plot_width + margin, row * curve_plot_height + margin));
    ImGui::PushID(static_cast<int>(k));
    ImGui::BeginChild("##plot", ImVec2(plot_width - 2 * margin, curve_plot_height - margin), false,
                      ImGuiWindowFlags_NoScrollbar);
    draw_curve(style, curves[k], style.px(print_axes_height));
    ImGui::EndChild();
    ImGui::PopID();
  }
  ImGui::End();
}

}  // namespace

Picture curves_image(const std::vector<Curve>& all) {
  const std::vector<Curve> curves(all.begin(), all.begin() + std::min<std::ptrdiff_t>(max_plots, std::ssize(all)));
  const int count = std::max(1, static_cast<int>(curves.size())), columns = count > 1 ? 2 : 1;
  const int width = columns * plot_width, height = (count + columns - 1) / columns * curve_plot_height;
  gl_forget_errors();
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  const auto color = GlRenderbuffer::make();
  const auto target = GlFramebuffer::make();
  glBindRenderbuffer(GL_RENDERBUFFER, color.name());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, target.name());
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color.name());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
    throw Error("Cannot draw the curves: the graphics card has too little memory. Export them as CSV instead.");
  }
  Picture picture{width, height, {}};
  picture.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  {
    TemporaryGui own;
    own.gui().set_theme(Theme::light);
    const Layout layout = make_layout(width, height, 1, print_scale, false);
    for (int pass = 0; pass < 3; ++pass) {  // ImGui measures new items in one pass and positions them in the next
      glViewport(0, 0, width, height);
      glClearColor(0, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      own.gui().begin_frame(layout, 1.0 / 60);
      draw_all(own.gui().style(), curves, columns, static_cast<float>(height));
      own.gui().end_frame();
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  }
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
  gl_check("drawing the curves");
  return picture;
}

void draw_caption(const GlContext& context, const Viewport& part, double scale, const Message& words) {
  TemporaryGui own;
  const Layout layout = make_layout(context.width(), context.height(), 1, scale, false);
  own.gui().begin_frame(layout, 1.0 / 60);
  const Style& style = own.gui().style();
  const float pad = style.px(8), room = static_cast<float>(part.width) - 2 * pad;
  const std::string lines = wrap_text(words, room);
  const ImVec2 size = ImGui::CalcTextSize(lines.c_str());
  const auto left = static_cast<float>(part.x), bottom = static_cast<float>(context.height() - part.y);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->AddRectFilled(ImVec2(left, bottom - size.y - 2 * pad), ImVec2(left + static_cast<float>(part.width), bottom),
                      color::overlay_fill);
  list->AddText(ImVec2(left + pad, bottom - size.y - pad), color::text, lines.c_str());
  own.gui().end_frame();
}

}  // namespace perturb
