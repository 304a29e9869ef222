#include "app/ui/gui.h"

#include <algorithm>
#include <cmath>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "app/ui/fonts.h"

namespace perturb {

Gui::Gui(Renderer renderer, GLFWwindow* window) : renderer_(renderer), window_(window) {
  IMGUI_CHECKVERSION();
  ImGuiContext* before = ImGui::GetCurrentContext();
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the program leaves no files behind that nobody asked for
  io.LogFilename = nullptr;
  if (window_) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, true);
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_Init("#version 330 core");
  if (before) ImGui::SetCurrentContext(before);
}

Gui::~Gui() {
  ImGui::SetCurrentContext(context_);
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_Shutdown();
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
}

void Gui::begin_frame(const Layout& layout, double seconds) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();

  const auto density = static_cast<float>(layout.pixels_per_coordinate);
  const auto pixels = static_cast<float>(layout.unit * layout.pixels_per_coordinate);
  if (pixels != pixels_per_unit_ || density != pixels_per_coordinate_) {
    // Letters are made for exactly the pixels they will have, never stretched.
    pixels_per_unit_ = pixels, pixels_per_coordinate_ = density;
    style_.unit = static_cast<float>(layout.unit);
    load_fonts(style_, pixels);
    apply_style(style_);
    io.FontGlobalScale = 1 / density;
    if (renderer_ == Renderer::opengl) {
      ImGui_ImplOpenGL3_DestroyFontsTexture();
      ImGui_ImplOpenGL3_CreateFontsTexture();
    } else {
      io.Fonts->SetTexID(nullptr);
    }
  }

  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_NewFrame();
  if (window_) {
    ImGui_ImplGlfw_NewFrame();
  } else {
    io.DisplaySize = ImVec2(static_cast<float>(layout.width), static_cast<float>(layout.height));
    io.DisplayFramebufferScale = ImVec2(density, density);
    io.DeltaTime = std::max(1e-4f, static_cast<float>(seconds));
  }
  ImGui::NewFrame();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseDown[0] || io.MouseWheel != 0;
  style_.pointer_rest = moved ? 0 : style_.pointer_rest + io.DeltaTime;
}

void Gui::end_frame() {
  ImGui::Render();
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

bool Gui::is_typing() const {
  ImGui::SetCurrentContext(context_);
  return ImGui::GetIO().WantTextInput;
}

bool Gui::is_navigating() const {
  ImGui::SetCurrentContext(context_);
  const ImGuiIO& io = ImGui::GetIO();
  return io.NavActive && io.NavVisible;
}

}  // namespace perturb
