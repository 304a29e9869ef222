// The numbers of the bar below the view: shortened where they do not fit, never dropped.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/tested_scenes.h"

namespace perturb {
namespace {

class TransportNumbers : public testing::Test {
 protected:
  ~TransportNumbers() override { use_language("en"); }

  std::vector<DrawnText> texts_of(Session& session, Panels& panels, const Layout& layout) {
    lay_out(session, gui_, panels, layout, 2);
    std::vector<DrawnText> texts = drawn_text();
    std::erase_if(texts, [](const DrawnText& t) { return t.window != "##transport"; });
    std::sort(texts.begin(), texts.end(), [](const DrawnText& a, const DrawnText& b) { return a.box.x < b.box.x; });
    return texts;
  }
  static bool has_digits(const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Gui gui_{Gui::Renderer::none};
};

// The wanted speed, or the one reached if the machine cannot keep up, the step and the time: all of them in every scene
// and unit, none clipped, none over another.
TEST_F(TransportNumbers, AreAllShownInEveryScene) {
  for (const SceneEntry& entry : tested_scenes()) {
    Scene small = scene_of_width(entry.path(), 32, 16);
    Experiment experiment(*backend_, small);
    Session session(experiment, 16);
    Panels panels;
    experiment.advance(2);
    for (const char* language : {"en", "de"}) {
      use_language(language);
      for (const bool scene_units : {false, true}) {
        set_preference(session, &Preferences::scene_units, scene_units);
        for (const Pace::Unit unit : {Pace::Unit::per_frame, Pace::Unit::per_second, Pace::Unit::real_time})
          for (const bool throttled : {false, true}) {
            Pace& pace = session.pace();
            pace.forget();
            pace.set_unit(Pace::Unit::per_frame);
            pace.set_requested(1024);  // 61 440 steps per second
            pace.set_unit(unit);
            pace.set_time_per_step(0.05);
            if (throttled) pace.observe_steps(16, 16 * 1e-3, 1e-3);
            ASSERT_EQ(pace.is_throttled(), throttled);
            const std::string where = entry.path() + ", " + language + ", unit " +
                                      std::to_string(static_cast<int>(unit)) + (throttled ? ", throttled" : "");
            const std::vector<DrawnText> texts = texts_of(session, panels, make_layout(1280, 720, 1, 1, true));
            std::string all;
            for (std::size_t k = 0; k < texts.size(); ++k) {
              all += " [" + texts[k].text + "]";
              EXPECT_FALSE(texts[k].cut_beside || texts[k].cut_above) << where << ": " << texts[k].text;
              EXPECT_EQ(texts[k].text.find("\u2026"), std::string::npos) << where << ": " << texts[k].text;
              if (k > 0) {
                EXPECT_LE(texts[k - 1].box.x + texts[k - 1].box.width, texts[k].box.x) << where << ':' << all;
              }
            }
            const auto count = [&](auto condition) {
              return std::count_if(texts.begin(), texts.end(), [&](const DrawnText& t) { return condition(t.text); });
            };
            const std::string step = tr(Message("step {}", experiment.simulation().steps()));
            EXPECT_EQ(count([&](const std::string& t) { return t == step; }), 1) << where << ':' << all;
            EXPECT_EQ(count([](const std::string& t) { return t.rfind("t = ", 0) == 0 && has_digits(t); }), 1)
                << where << ':' << all;
            // The speed: wanted, and reached if it is another one. "Not reached" is a text without a number.
            const auto others = count([&](const std::string& t) { return t != step && t.rfind("t = ", 0) != 0; });
            EXPECT_GE(others, throttled ? 2 : 1) << where << ':' << all;
          }
      }
    }
  }
}

}  // namespace
}  // namespace perturb
