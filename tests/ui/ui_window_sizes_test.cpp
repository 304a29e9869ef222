// Dialogs, messages and panels in a window of any size: Dear ImGui ends the program at an item without width.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

class UiSmallWindow : public ScratchFolder {
 protected:
  static Scene tank() {
    Scene scene = scene_of_width("wave/droplet", 32);
    scene.past_limit = "courant";  // changes may make it unstable
    return scene;
  }
  // From 1x1 to 400x300 pixels, with small and large text.
  static void for_all_sizes(const std::function<void(const Layout&)>& call) {
    const std::vector<int> widths =
        reach<std::vector<int>>({1, 15, 33, 39, 46, 49, 50, 64, 90, 130, 170, 250, 400}, {1, 39, 50, 170, 400});
    const std::vector<int> heights = reach<std::vector<int>>({1, 40, 90, 150, 300}, {1, 90, 300});
    // The font is rebuilt when the scale changes.
    for (const double scale : {1.0, 3.0})
      for (const int width : widths)
        for (const int height : heights) call(make_layout(width, height, 1, scale, true));
  }
  // The commands of what is pressed are not executed, because there is no Session::handle(): they would open scenes and
  // write files.
  void draw(const Layout& layout, bool pressed = false) {
    move_pointer(layout.width / 2, layout.height / 2, pressed);
    draw_panels(session_, gui_, panels_, layout);
  }
  // Lays out what `open` opens at all sizes.
  void draw_at_all_sizes(const std::string& name, const std::function<void()>& open) {
    SCOPED_TRACE(name);
    for_all_sizes([&](const Layout& layout) {
      for (const bool pressed : {false, true}) {
        open();
        draw(layout, pressed);
      }
    });
    show(Overlay::none);
    draw(make_layout(1280, 720, 1, 1, true));
  }
  void change(const std::function<void(InterfaceState&)>& by) {
    InterfaceState state = session_.interface();
    by(state);
    session_.set_interface(state);
  }
  void show(Overlay overlay) {
    change([&](InterfaceState& state) { state.overlay = overlay; });
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 1};
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
};

TEST_F(UiSmallWindow, HandlesEvents) {
  for_all_sizes([&](const Layout& layout) {
    InputEvent move = mouse_event(InputEvent::Kind::move, layout.width / 2, layout.height / 2);
    session_.handle({}, layout, Session::Keyboard::free);
    session_.handle({move}, layout, Session::Keyboard::free);
  });
  EXPECT_TRUE(experiment_.log().empty());
}

TEST_F(UiSmallWindow, LaysOutEveryDialog) {
  for (const int page : {0, scene_help_page, lessons_help_page})
    draw_at_all_sizes("help " + std::to_string(page), [&] { session_.execute(ShowHelpPage{page}); });
  session_.execute(ListFolder{"/"});
  for (const CommandId command : {CommandId::open_file, CommandId::save_state_as, CommandId::output_folder})
    draw_at_all_sizes("files", [&] { session_.execute(command); });
  EXPECT_EQ(session_.file_chooser().files().listing.folder, "/");
  save_png({2, 1, {0xFF000000u, 0xFFFFFFFFu}}, path("picture.png"));
  session_.execute(OpenFile{path("picture.png")});
  ASSERT_EQ(session_.interface().overlay, Overlay::image_use);
  draw_at_all_sizes("image", [&] { show(Overlay::image_use); });
  draw_at_all_sizes("preset", [&] { session_.execute(CommandId::save_preset); });
  draw_at_all_sizes("export", [&] { show(Overlay::export_files); });
  session_.execute(CommandId::browse);
  ASSERT_EQ(session_.interface().overlay, Overlay::browser);
  draw_at_all_sizes("browser", [&] {
    change([](InterfaceState& state) {
      state.overlay = Overlay::browser;
      ++state.browsing.opened;
    });
  });
}

TEST_F(UiSmallWindow, LaysOutWhatIsDrawnOverTheView) {
  {
    Experiment experiment(*backend_, tank());
    Session closed(experiment, 1);
    closed.autosave_controller().enable(path("sessions"));
    experiment.advance(1000);
    experiment.perform(Action{"droplet", {{"x", 0.3}, {"y", 0.6}}, "", nullptr});
    closed.observe(true);
    ASSERT_EQ(closed.autosave_controller().save_at_exit(), "");
  }
  session_.autosave_controller().enable(path("sessions"));
  ASSERT_FALSE(session_.autosave_controller().offer().description.empty());
  session_.playback().set_film(FilmProgress{1, 2, 3});
  session_.show_error("The disk is full. Free some space or choose a file on another disk.");
  session_.execute(ShowQuantity{"speed"});  // which does not show a droplet
  session_.view().update_suggestion({Action{"droplet", {}, "", nullptr}});
  ASSERT_FALSE(session_.view().suggestion().quantity.empty());
  for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels})
    draw_at_all_sizes("notes", [&] {
      change([&](InterfaceState& state) {
        state.tab = tab;
        state.drawer_open = state.hint = true;
      });
    });
}

TEST_F(UiSmallWindow, LaysOutALessonWithASketch) {
  session_.execute(OpenLesson{"wave/two-slits"});
  ASSERT_TRUE(session_.lesson());
  for (std::size_t step = 0;; ++step) {
    draw_at_all_sizes("lesson", [&] {
      change([](InterfaceState& state) {
        state.tab = Tab::lesson;
        state.drawer_open = true;
      });
    });
    session_.execute(CommandId::next_step);
    if (session_.lesson()->index() == step) break;
  }
}

TEST_F(UiSmallWindow, LaysOutTheDialogOfARunThatHasStopped) {
  const auto step = [&] {
    session_.pace().forget();
    session_.advance();
    session_.observe(true);
  };
  step();
  session_.execute(ParameterChange{"time_step", 5});
  for (int k = 0; k < 4000 && experiment_.stop_reason().empty(); ++k) step();
  ASSERT_FALSE(experiment_.stop_reason().empty());
  draw_at_all_sizes("trouble", [] {});
}

}  // namespace
}  // namespace perturb
