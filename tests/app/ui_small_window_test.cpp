// Dialogs, messages and panels in a window of any size: Dear ImGui ends the program at an item without width.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/files/folders.h"
#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/app/screen_size.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class UiSmallWindow : public testing::Test {
 protected:
  static Scene tank() {
    auto scene = load_scene("wave/droplet");
    scene.setup.width = scene.setup.height = 32;
    return scene;
  }
  void draw(const Layout& layout, bool pressed = false) {
    session_.handle({}, layout, Session::Keyboard::free);
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = ImVec2(static_cast<float>(layout.width / 2), static_cast<float>(layout.height / 2));
    io.MouseDown[0] = pressed;
    gui_.begin_frame(layout, 1.0 / 60);
    draw_panels({session_, gui_.style(), layout, {"host-mapped", ""}});
    gui_.end_frame();
    session_.state().requests.clear();
  }
  void ask(Request request) {
    session_.state().ask(std::move(request));
    session_.handle({}, make_layout(1280, 720, 1, 1, true), Session::Keyboard::free);
  }
  // Lays out what `open` opens in windows from 1x1 to 400x300 pixels, with small and large text.
  void draw_at_all_sizes(const std::string& name, const std::function<void(UiState&)>& open) {
    SCOPED_TRACE(name);
    const std::vector<int> widths = is_sanitized ? std::vector{1, 39, 50, 170, 400}
                                                 : std::vector{1, 15, 33, 39, 46, 49, 50, 64, 90, 130, 170, 250, 400};
    for (const int width : widths)
      for (const int height : {1, 40, 90, 150, 300})
        for (const double scale : {1.0, 3.0}) {
          const Layout layout = make_layout(width, height, 1, scale, true);
          for (const bool pressed : {false, true}) {
            open(session_.state());
            draw(layout, pressed);
          }
        }
    session_.state().overlay = Overlay::none;
    draw(make_layout(1280, 720, 1, 1, true));
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 1};
  Gui gui_{Gui::Renderer::none};
};

TEST_F(UiSmallWindow, LaysOutEveryDialog) {
  for (const int page : {0, scene_help_page, lessons_help_page})
    draw_at_all_sizes("help " + std::to_string(page),
                      [&](UiState& state) { state.overlay = Overlay::help, state.help_page = page; });
  using Purpose = FileBrowsing::Purpose;
  for (const Purpose purpose : {Purpose::open, Purpose::save_state, Purpose::output_folder}) {
    session_.state().files.listing = list_folder("/", {});
    draw_at_all_sizes("files", [&](UiState& state) {
      state.overlay = Overlay::files, state.files.purpose = purpose, state.files.just_opened = true;
    });
  }
  draw_at_all_sizes("image",
                    [](UiState& state) { state.overlay = Overlay::image_use, state.image_path = "/picture.png"; });
  draw_at_all_sizes("preset",
                    [](UiState& state) { state.overlay = Overlay::save_preset, state.preset.just_opened = true; });
  draw_at_all_sizes("export", [](UiState& state) { state.overlay = Overlay::export_files; });
  ask(UiCommand::browse);
  ASSERT_EQ(session_.state().overlay, Overlay::browser);
  draw_at_all_sizes("browser",
                    [](UiState& state) { state.overlay = Overlay::browser, state.browsing.just_opened = true; });
}

TEST_F(UiSmallWindow, LaysOutWhatIsDrawnOverTheView) {
  session_.state().recovery.description = "wave/rain at step 1000";
  session_.state().film = FilmProgress{1, 2, 3};
  session_.show_error("The disk is full. Free some space or choose a file on another disk.");
  for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels})
    draw_at_all_sizes("notes", [&](UiState& state) {
      state.tab = tab, state.drawer_open = true, state.hint = true, state.hint_age = 0;
      state.suggestion = {"Droplet", "velocity", 0};
    });
}

TEST_F(UiSmallWindow, LaysOutALessonWithASketch) {
  ask(OpenLesson{"wave/two-slits"});
  ASSERT_TRUE(session_.lesson());
  for (std::size_t step = 0;; ++step) {
    draw_at_all_sizes("lesson", [](UiState& state) { state.tab = Tab::lesson, state.drawer_open = true; });
    ask(UiCommand::next_step);
    if (session_.lesson()->index() == step) break;
  }
}

TEST_F(UiSmallWindow, LaysOutTheDialogOfARunThatHasStopped) {
  const auto step = [&] { session_.pace().forget(), session_.advance(), session_.observe(true); };
  step();
  ask(ParameterChange{"time_step", 5});
  for (int k = 0; k < 4000 && experiment_.stop_reason().empty(); ++k) step();
  ASSERT_FALSE(experiment_.stop_reason().empty());
  draw_at_all_sizes("trouble", [](UiState&) {});
}

}  // namespace
}  // namespace perturb
