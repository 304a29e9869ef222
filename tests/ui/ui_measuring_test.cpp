// Instruments, the export dialog, a video's progress and crash recovery, checked text by text at common window sizes:
// nothing is clipped.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/drawn_panels.h"
#include "tests/support/files_scratch.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/panel_frames.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"

namespace perturb {
namespace {

const ScreenSize measuring_sizes[] = {{1280, 720, 1},  {1024, 768, 2},   {1920, 1080, 1.5 * std::pow(1.1, 10)},
                                      {2560, 1440, 1}, {1280, 720, 1.8}, {3840, 2160, 2}};

class UiMeasuring : public ScratchFolder, protected DrawnPanels {
 protected:
  UiMeasuring() : DrawnPanels(Layout{}) {
    open(scene_of_width("wave/double-slit", 48), 2);
    for (const char* words : {"probe 0.2 0.5", "cut 0.5 0.1 0.5 0.9 average", "ruler 0.1 0.2 0.9 0.2 7",
                              "protractor 0.2 0.5 0.5 0.5 0.7 0.8", "stopwatch"})
      session_->instrument_controller().add(parse_instrument(words));
    advance_frames(*session_, 60, 0.1);
    session_->playback().set_playing(false);
  }
  void draw(const Layout& layout) { lay_out(*session_, gui_, panels_, layout, 3); }
};

TEST_F(UiMeasuring, ClipsNothingAtAnySize) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  for (const ScreenSize& size : measuring_sizes) {
    SCOPED_TRACE(words(size));
    session_->execute(ShowTab{Tab::plots});
    for (const int height : {size.height, static_cast<int>(9000 * size.scale)}) {
      const Layout layout = make_layout(size.width, height, 1, size.scale, true);
      session_->execute(ChangeInterface{&InterfaceState::drawer_open, layout.is_drawer});
      for (const Instrument& one : session_->instruments().all()) {
        session_->execute(SelectInstrument{one.id});
        draw(layout);
        EXPECT_EQ(cut_texts(), "") << one.name();
      }
      if (height > size.height) {
        EXPECT_TRUE(shows("spectrum"));
      }
    }
    const Layout layout = make_layout(size.width, size.height, 1, size.scale, true);
    session_->execute(ChangeInterface{&InterfaceState::drawer_open, false});
    session_->playback().set_film(FilmProgress{7, 600, 123});
    leave_interrupted_run(path("sessions"), {"{} at step {}", std::string("wave/double-slit"), 123456});
    session_->autosave_controller().enable(path("sessions"));
    draw(layout);
    EXPECT_EQ(cut_texts(), "");
    EXPECT_TRUE(shows("Recording: frame 7"));
    EXPECT_TRUE(shows("Continue"));
    session_->playback().set_film(std::nullopt);
    session_->execute(AnswerRecovery{false});
    session_->execute(CommandId::export_files);
    draw(layout);
    EXPECT_EQ(cut_texts(), "");
    EXPECT_TRUE(shows("Curves as CSV"));
    session_->execute(CommandId::export_files);
  }
}

TEST_F(UiMeasuring, LabelsDoNotOverlap) {
  for (int k = 0; k < 6; ++k) session_->instrument_controller().add(parse_instrument("probe 0.3 0.5"));
  const Layout layout = make_layout(1280, 720, 1, 1, true);
  draw(layout);
  std::vector<Rect> boxes;
  for (const DrawnText& t : drawn_text())
    if (t.window == "##Background" && t.text.find("Probe ") != std::string::npos) boxes.push_back(t.box);
  ASSERT_GE(boxes.size(), 7U);
  for (std::size_t a = 0; a < boxes.size(); ++a)
    for (std::size_t b = a + 1; b < boxes.size(); ++b) {
      const Rect &p = boxes[a], &q = boxes[b];
      const bool apart = p.x + p.width <= q.x || q.x + q.width <= p.x || p.y + p.height <= q.y || q.y + q.height <= p.y;
      EXPECT_TRUE(apart) << a << " and " << b;
    }
}

}  // namespace
}  // namespace perturb
