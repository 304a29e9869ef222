#include "app/ui/widgets/gui.h"

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <cstdlib>
#include <new>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "app/ui/widgets/fonts.h"

namespace perturb {

namespace {
// Dear ImGui does not check the result of its allocator.
void* allocate(std::size_t size, void*) {
  if (void* const memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void deallocate(void* memory, void*) { std::free(memory); }

// ImGui's defaults, for frames of zero length.
constexpr float double_click_seconds = 0.3f, repeat_delay_seconds = 0.275f;
}  // namespace

Gui::Gui(Renderer renderer, GLFWwindow* window) : renderer_(renderer), window_(window) {
  IMGUI_CHECKVERSION();
  ImGui::SetAllocatorFunctions(allocate, deallocate);
  ImGuiContext* before = ImGui::GetCurrentContext();
  context_ = ImGui::CreateContext();
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // ImGui must not write a settings file
  io.LogFilename = nullptr;
  io.UserData = &order_;
  if (window_) io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
#if IMGUI_VERSION_NUM >= 18700
  io.ConfigInputTrickleEventQueue = false;  // TrickleQueue does that, for both ImGui and Session
#endif
  // Its callbacks are not installed: they would pass events to ImGui that are still in the trickle queue.
  if (window_) ImGui_ImplGlfw_InitForOpenGL(window_, false);
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_Init("#version 330 core");
  if (before) ImGui::SetCurrentContext(before);
}

Gui::~Gui() {
  ImGui::SetCurrentContext(context_);
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_Shutdown();
  for (const auto& cursor : cursors_)
    if (cursor.second) glfwDestroyCursor(cursor.second);
  if (window_) ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext(context_);
}

// The functions of the backend translate the keys, in every version; what they do not cover is added here.
void Gui::handle(const InputEvent& event) {
  using Kind = InputEvent::Kind;
  ImGuiIO& io = ImGui::GetIO();
  if (event.kind == Kind::drop) return;
  if (event.kind == Kind::enter || event.kind == Kind::leave) {
    in_window_ = event.kind == Kind::enter;
    ImGui_ImplGlfw_CursorEnterCallback(window_, in_window_ ? GLFW_TRUE : GLFW_FALSE);
    return;
  }
  if (event.kind == Kind::key_press || event.kind == Kind::key_release) {
    const int right = (event.code == GLFW_KEY_RIGHT ? 1 : 0) - (event.code == GLFW_KEY_LEFT ? 1 : 0);
    const int up = (event.code == GLFW_KEY_UP ? 1 : 0) - (event.code == GLFW_KEY_DOWN ? 1 : 0);
    if ((right != 0 || up != 0) && order_.captures_arrows()) {
      if (event.kind == Kind::key_press) order_.add_arrow_press(right, up, event.shift);
      return;
    }
    const bool is_page = event.code == GLFW_KEY_PAGE_UP || event.code == GLFW_KEY_PAGE_DOWN;
    if (page_keys_kept_ && is_page && event.kind == Kind::key_press) return;
    // Tab has its own order across windows (keyboard_focus.h).
    if (event.code != 0 && event.code != GLFW_KEY_TAB && !event.repeat) {
      const int modifiers = (event.shift ? GLFW_MOD_SHIFT : 0) | (event.control ? GLFW_MOD_CONTROL : 0);
      // Enter presses the focused item; ImGui itself would only start text input in it.
      const bool is_enter = event.code == GLFW_KEY_ENTER || event.code == GLFW_KEY_KP_ENTER;
      const bool stands_for_space =
          is_enter && (enter_presses_ || (io.NavActive && io.NavVisible && !io.WantTextInput));
      if (is_enter && event.control && !io.WantTextInput) return;  // handled by Session: starts typing a value
      if (is_enter) enter_presses_ = stands_for_space && event.kind == InputEvent::Kind::key_press;
      ImGui_ImplGlfw_KeyCallback(window_, stands_for_space ? GLFW_KEY_SPACE : event.code, event.scan_code,
                                 event.kind == Kind::key_press ? GLFW_PRESS : GLFW_RELEASE, modifiers);
#if IMGUI_VERSION_NUM >= 18900
      // From here on, the backend uses the modifiers that are down after this event.
      io.AddKeyEvent(ImGuiMod_Shift, event.shift);
      io.AddKeyEvent(ImGuiMod_Ctrl, event.control);
#endif
    }
    if (event.letter != 0) io.AddInputCharacter(event.letter);
    return;
  }
  x_ = static_cast<float>(event.x);
  y_ = static_cast<float>(event.y);
  in_window_ = true;
  if (event.kind == Kind::scroll) ImGui_ImplGlfw_ScrollCallback(window_, 0, event.scroll);
  if (event.kind != Kind::press && event.kind != Kind::release) return;
  int button = -1;
  if (event.button == InputEvent::Button::left)
    button = 0;
  else if (event.button == InputEvent::Button::right)
    button = 1;
  else if (event.button == InputEvent::Button::middle)
    button = 2;
  if (button < 0) return;
  down_[button] = event.kind == Kind::press;
}

// Only when the shape changes: each call is a request to the display server.
void Gui::show_pointer(int shape) {
  if (shape == pointer_shape_) return;
  pointer_shape_ = shape;
  const bool hidden = shape == ImGuiMouseCursor_None;
  glfwSetInputMode(window_, GLFW_CURSOR, hidden ? GLFW_CURSOR_HIDDEN : GLFW_CURSOR_NORMAL);
  if (hidden) return;
  int standard = GLFW_ARROW_CURSOR;
  if (shape == ImGuiMouseCursor_TextInput)
    standard = GLFW_IBEAM_CURSOR;
  else if (shape == ImGuiMouseCursor_ResizeNS)
    standard = GLFW_VRESIZE_CURSOR;
  else if (shape == ImGuiMouseCursor_ResizeEW)
    standard = GLFW_HRESIZE_CURSOR;
  else if (shape == ImGuiMouseCursor_Hand)
    standard = GLFW_HAND_CURSOR;
  GLFWcursor*& cursor = cursors_[standard];
  if (!cursor) cursor = glfwCreateStandardCursor(standard);
  glfwSetCursor(window_, cursor);  // null if it is not available: the default arrow
}

void Gui::begin_frame(const Layout& layout, double seconds, std::span<const InputEvent> events) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();

  use_theme(theme_);
  if (theme_ != styled_theme_) {
    apply_style(style_);
    styled_theme_ = theme_;
  }
  const auto density = static_cast<float>(layout.pixels_per_coordinate);
  const auto pixels = static_cast<float>(layout.unit * layout.pixels_per_coordinate);
  if (pixels != pixels_per_unit_ || density != pixels_per_coordinate_ || glyph_count_ != requested_glyphs().size()) {
    // Glyphs are rasterised for exactly the pixels they cover, never scaled.
    pixels_per_unit_ = pixels;
    pixels_per_coordinate_ = density;
    glyph_count_ = requested_glyphs().size();
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
    for (const InputEvent& event : events) handle(event);
    // ImGui_ImplGlfw_NewFrame() would query the display, each time a round trip to its server. The values are known
    // already: the layout has the size of the window, and the events of this pass set the pointer and its buttons.
    io.DisplaySize = ImVec2(static_cast<float>(layout.width), static_cast<float>(layout.height));
    io.DisplayFramebufferScale = ImVec2(density, density);
    // All passes of a frame have the same time: their events arrived together, however long the passes take.
    if (!is_repeated_pass_) {
      const double now = glfwGetTime();
      frame_seconds_ = frame_began_ > 0 ? static_cast<float>(now - frame_began_) : 1.0f / 60;
      frame_began_ = now;
    }
    io.DeltaTime = std::max(1e-6f, is_repeated_pass_ ? 0.0f : frame_seconds_);
    show_pointer(ImGui::GetMouseCursor());
#if IMGUI_VERSION_NUM >= 18700
    io.AddMousePosEvent(in_window_ || down_[0] ? x_ : -FLT_MAX, in_window_ || down_[0] ? y_ : -FLT_MAX);
    for (int i = 0; i < 3; ++i) io.AddMouseButtonEvent(i, down_[i]);
#else
    io.MousePos = in_window_ || down_[0] ? ImVec2(x_, y_) : ImVec2(-FLT_MAX, -FLT_MAX);
    for (int i = 0; i < 3; ++i) io.MouseDown[i] = down_[i];
#endif
    // The events of this frame happened at any time since the previous one.
    io.MouseDoubleClickTime = double_click_seconds + frame_seconds_;
    io.KeyRepeatDelay = repeat_delay_seconds + frame_seconds_;
  } else {
    io.DisplaySize = ImVec2(static_cast<float>(layout.width), static_cast<float>(layout.height));
    io.DisplayFramebufferScale = ImVec2(density, density);
    io.DeltaTime = std::max(1e-4f, static_cast<float>(seconds));
  }
  ImGui::NewFrame();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseDown[0] || io.MouseWheel != 0;
  style_.pointer_idle = moved ? 0 : style_.pointer_idle + io.DeltaTime;
  if (moved) style_.keyboard_leads = false;
  for (const InputEvent& event : events)
    if (event.kind == InputEvent::Kind::key_press) style_.keyboard_leads = true;
}

void Gui::end_frame() {
  ImGui::Render();
  if (renderer_ == Renderer::opengl) ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  is_repeated_pass_ = false;
}

int Gui::vertices() const {
  ImGui::SetCurrentContext(context_);
  const ImDrawData* drawn = ImGui::GetDrawData();
  return drawn ? drawn->TotalVtxCount : 0;
}

void Gui::end_pass() {
  ImGui::EndFrame();
  is_repeated_pass_ = true;
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
