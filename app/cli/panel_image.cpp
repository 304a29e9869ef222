#include "app/cli/panel_image.h"

#include "app/render/gl/context.h"
#include "app/session/layout.h"
#include "app/ui/widgets/gui.h"

namespace perturb {

Picture panel_image(int width, int height, const std::function<void(const Style&)>& draw) {
  const auto context = make_offscreen_context(width, height);
  Gui gui(Gui::Renderer::opengl);
  const Layout layout = make_layout(width, height, 1, image_scale, false);
  for (int pass = 0; pass < 3; ++pass) {  // ImGui measures new items in one frame and places them in the next
    context->begin_frame();
    gui.begin_frame(layout, 1.0 / 60);
    const Style& style = gui.style();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(ImVec2(static_cast<float>(width), static_cast<float>(height)));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(style.px(24), style.px(18)));
    ImGui::Begin("##image", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar(2);
    draw(style);
    ImGui::End();
    gui.end_frame();
  }
  Picture picture = context->read_back();
  context->end_frame();
  return picture;
}

}  // namespace perturb
