// Mouse and keyboard input beyond a click: straight lines, brush size, aiming, the crosshair, a fixed step rate.
#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/run/run_text.h"
#include "app/session/session.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

Scene small_scene(const std::string& path) {
  Scene scene = load_scene(path);
  const SimulationInfo& info = find_simulation(scene.setup.simulation);
  for (const Parameter& p : info.parameters)
    if (p.id == "count" || p.id == "fibers") scene.setup.parameters[p.id] = std::max(p.minimum, 24.0);
  if (scene.setup.simulation == "wave" || scene.setup.simulation == "lbm") scene.setup.width = scene.setup.height = 64;
  if (scene.setup.simulation == "fibers") scene.setup.width = std::min(scene.setup.width, 64);
  return scene;
}

class UiDoing : public testing::Test {
 protected:
  using Kind = InputEvent::Kind;
  using Button = InputEvent::Button;

  void open(const std::string& path) {
    session_.reset();
    experiment_ = std::make_unique<Experiment>(*backend_, small_scene(path));
    session_ = std::make_unique<Session>(*experiment_, 1);
  }
  // At a position in the domain, in fractions from its lower left corner.
  InputEvent mouse(Kind kind, double x, double y, Button button = Button::none, bool shift = false) const {
    const Viewport viewport = layout_.viewport();
    const Camera::Point p = session_->view().camera().to_pixel(
        x, y, viewport.width, viewport.height, session_->run().domain_width, session_->run().domain_height);
    InputEvent event;
    event.kind = kind;
    event.button = button;
    event.shift = shift;
    event.x = viewport.x + p.x;
    event.y = layout_.height - (viewport.y + p.y);
    return event;
  }
  void send(const InputEvent& event) { session_->handle({event}, layout_, Session::Keyboard::free); }
  void key(const std::string& name, bool shift = false) {
    InputEvent event = key_press(name);
    event.shift = shift;
    event.control = name.rfind("Ctrl+", 0) == 0;
    send(event);
  }
  std::vector<Action> done() const {
    std::vector<Action> actions;
    for (const Event& event : experiment_->log())
      if (const auto* action = std::get_if<Action>(&event.change)) actions.push_back(*action);
    return actions;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(UiDoing, DrawsStraightStrokeWithShift) {
  SKIP_UNDER_SANITIZERS("in the real window one input of each kind remains");
  open("wave/droplet");
  session_->execute(ChooseTool{"wall"});
  send(mouse(Kind::press, 0.2, 0.2, Button::left, true));
  for (const double y : {0.6, 0.9, 0.4}) send(mouse(Kind::move, 0.5, y, Button::none, true));
  EXPECT_TRUE(session_->tools().gestures().draws_line());
  EXPECT_EQ(done().size(), 1u) << "on its way there is but its beginning";
  send(mouse(Kind::release, 0.8, 0.3, Button::left, true));
  const std::vector<Action> actions = done();
  ASSERT_EQ(actions.size(), 2u);
  const double pixel = 1.0 / 600;
  EXPECT_NEAR(actions[1].get("x0"), 0.2, pixel);
  EXPECT_NEAR(actions[1].get("y0"), 0.2, pixel);
  EXPECT_NEAR(actions[1].get("x1"), 0.8, pixel);
  EXPECT_NEAR(actions[1].get("y1"), 0.3, pixel);
  EXPECT_FALSE(session_->tools().gestures().drag());
  // One undo step: a single undo removes the line.
  session_->post(CommandId::undo);
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_TRUE(done().empty());
}

// The droplets of a click are the scene's: its sliders and those of the tool are one value.
TEST_F(UiDoing, DropletsOfAClickAreThoseOfTheScene) {
  open("wave/ellipse");
  const auto strength = [&] { return session_->tools().brush_of("droplet").at("amplitude"); };
  EXPECT_EQ(strength(), session_->run().value_of("droplet_amplitude"));
  EXPECT_GT(strength(), 0.2) << "as its preset has it";
  session_->execute(ParameterChange{"droplet_amplitude", 0.5});
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(strength(), 0.5);
  session_->execute(ParameterChange{"droplet_amplitude", -3});
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(strength(), 0) << "within the bounds of the tool";
  session_->execute(ChangeBrush{"droplet", "amplitude", 0.2});
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(strength(), 0.2);
  EXPECT_EQ(session_->run().value_of("droplet_amplitude"), 0.2);
  session_->execute(ParameterChange{"droplet_amplitude", 0.4});
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(strength(), 0.4) << "the slider is not dead after the tool was changed";
}

// Ctrl and the wheel over the water change the slider of the simple view, and that changes the circle at the pointer.
TEST_F(UiDoing, WheelAndSliderChangeOneRadius) {
  open("wave/droplet");
  const auto brush = [&] { return session_->tools().brush_of("droplet").at("radius"); };
  const auto slider = [&] { return session_->run().value_of("droplet_radius"); };
  const double before = slider();
  InputEvent wheel = mouse(Kind::scroll, 0.5, 0.5);
  wheel.control = true;
  wheel.scroll = 3;
  send(wheel);
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_GT(slider(), before);
  EXPECT_EQ(brush(), slider());
  InputEvent other_key = key_press("F9");
  send(other_key);
  send(wheel);
  session_->handle({}, layout_, Session::Keyboard::free);
  experiment_->undo();
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(slider(), before) << "clicks of the wheel form one undo step, whatever key came between";
  session_->execute(ParameterChange{"droplet_radius", 50});
  session_->handle({}, layout_, Session::Keyboard::free);
  EXPECT_EQ(brush(), 50);
}

// The right button of a tool may do something else: the undo step is named after that.
TEST_F(UiDoing, UndoNamesWhatTheRightButtonDid) {
  open("lbm/sheet");
  session_->execute(ChooseTool{"push"});
  const auto label_of_drag = [&](Button button) {
    send(mouse(Kind::press, 0.3, 0.3, button));
    send(mouse(Kind::move, 0.6, 0.6));
    send(mouse(Kind::release, 0.6, 0.6, button));
    return experiment_->next_undo().english();
  };
  EXPECT_EQ(label_of_drag(Button::left), "Push");
  EXPECT_EQ(label_of_drag(Button::right), "Wall along a line");
  session_->execute(ChooseTool{"wall"});
  EXPECT_EQ(label_of_drag(Button::right), "Wall");
}

TEST_F(UiDoing, CtrlWheelChangesBrush) {
  open("wave/droplet");
  session_->execute(ChooseTool{"wall"});
  const auto radius = [&] { return session_->tools().brush_of("wall").at("radius"); };
  const double before = radius(), zoom = session_->view().camera().zoom;
  InputEvent wheel = mouse(Kind::scroll, 0.5, 0.5);
  wheel.control = true;
  wheel.scroll = 2;
  send(wheel);
  EXPECT_GT(radius(), before);
  EXPECT_EQ(session_->view().camera().zoom, zoom);
  EXPECT_NE(session_->message().text.english().find("Radius"), std::string::npos);
  wheel.scroll = -500;
  send(wheel);
  EXPECT_EQ(radius(), 0.5) << "no smaller than it may be";
  wheel.control = false;
  wheel.scroll = 1;
  send(wheel);
  EXPECT_GT(session_->view().camera().zoom, zoom) << "without Ctrl it zooms";
  // A tool that uses the wheel keeps it.
  open("membrane/" + [] {
    for (const SceneEntry& scene : all_scenes())
      if (scene.simulation == "membrane") return scene.preset;
    return std::string();
  }());
  session_->execute(ChooseTool{"frequency"});
  EXPECT_TRUE(session_->info().tools[1].wheel);
}

TEST_F(UiDoing, ShowsThrowDirection) {
  for (const SceneEntry& scene : all_scenes())
    if (scene.simulation == "particles") {
      open(scene.path());
      break;
    }
  session_->execute(ChooseTool{"throw"});
  // Not every position has something to grab; somewhere there is a disc.
  bool caught = false;
  for (int k = 0; k < 4000 && !caught; ++k) {
    const double x = 0.02 + 0.96 * std::fmod(0.618034 * k, 1.0), y = 0.02 + 0.96 * std::fmod(0.7548777 * k, 1.0);
    send(mouse(Kind::press, x, y, Button::left));
    caught = !done().empty();
    if (caught) {
      send(mouse(Kind::move, x < 0.5 ? x + 0.2 : x - 0.2, y));
      EXPECT_TRUE(session_->tools().acts_on_release());
      EXPECT_TRUE(session_->tools().gestures().drag().has_value());
    } else {
      EXPECT_FALSE(session_->tools().acts_on_release()) << "nothing is held";
      EXPECT_FALSE(session_->tools().gestures().drag().has_value());
    }
    send(mouse(Kind::release, x < 0.5 ? x + 0.2 : x - 0.2, y, Button::left));
  }
  ASSERT_TRUE(caught);
  EXPECT_FALSE(session_->tools().acts_on_release());
  EXPECT_EQ(done().back().kind, "throw");
  // Releasing a brush has no effect.
  session_->execute(ChooseTool{"kick"});
  send(mouse(Kind::press, 0.5, 0.5, Button::left));
  EXPECT_FALSE(session_->tools().acts_on_release());
  send(mouse(Kind::release, 0.5, 0.5, Button::left));
}

TEST_F(UiDoing, ArrowKeysMoveTool) {
  open("wave/droplet");
  key("Right");
  ASSERT_TRUE(session_->input().crosshair().position());
  EXPECT_TRUE(done().empty());
  for (int i = 0; i < 5; ++i) key("Up");
  const Camera::Point at = *session_->input().crosshair().position();
  EXPECT_NEAR(at.x, layout_.view_rect.width / 2 + layout_.view_rect.height / 40, 1);
  EXPECT_NEAR(at.y, layout_.view_rect.height * (0.5 - 5.0 / 40), 1);
  key("Enter");
  ASSERT_EQ(done().size(), 1u);
  EXPECT_NEAR(done()[0].get("y"), 0.5 + 5.0 / 40, 0.01);
  EXPECT_GT(done()[0].get("amplitude"), 0);
  key("Ctrl+Enter");
  ASSERT_EQ(done().size(), 2u);
  EXPECT_LT(done()[1].get("amplitude"), 0) << "the right button's action";
  key("Ctrl+Left");
  EXPECT_NEAR(session_->input().crosshair().position()->x, at.x - 1, 1e-9) << "a pixel";
  // Dragged.
  session_->execute(ChooseTool{"wall"});
  for (int i = 0; i < 3; ++i) key("Right", true);
  EXPECT_GE(done().size(), 5u);
  EXPECT_EQ(done().back().kind, "wall-line");
  key("Right");
  const std::size_t count = done().size();
  key("Right");
  EXPECT_EQ(done().size(), count) << "without Shift it only moves";
  // It stays inside the view.
  for (int i = 0; i < 200; ++i) key("Left");
  EXPECT_EQ(session_->input().crosshair().position()->x, layout_.view_rect.x);
  key("Esc");
  EXPECT_FALSE(session_->input().crosshair().position());
  key("Enter");
  EXPECT_TRUE(session_->input().crosshair().position()) << "Enter goes in, and pokes nothing yet";
  EXPECT_EQ(done().size(), count);
  send(mouse(Kind::move, 0.3, 0.3));
  EXPECT_FALSE(session_->input().crosshair().position()) << "the mouse takes over";
  key("F6");
  key("Down");
  EXPECT_FALSE(session_->input().crosshair().position()) << "the panel has the arrows";
}

TEST_F(UiDoing, MovesEveryToolByKeys) {
  for (const SimulationInfo* info : catalog()) {
    if (has_small_reach() && info->id != "wave") continue;
    for (const SceneEntry& scene : all_scenes())
      if (scene.simulation == info->id) {
        open(scene.path());
        break;
      }
    for (std::size_t k = 0; k < info->tools.size() && k < 9; ++k) {
      const Tool& tool = info->tools[k];
      const std::string before = session_->tools().tool();
      const std::size_t events = experiment_->log().size();
      key(std::to_string(k + 1));
      // One that acts at once leaves the chosen tool.
      EXPECT_EQ(session_->tools().tool(), tool.immediate ? before : tool.id);
      EXPECT_EQ(experiment_->log().size(), events + (tool.immediate ? 1 : 0)) << tool.id;
      if (tool.immediate) {
        EXPECT_EQ(session_->message().text.english(),
                  tool.label + ": done at step " + std::to_string(session_->run().steps));
      }
      key("Up");
      for (int i = 0; i < 3; ++i) key("Right", true);
      key("Left");
    }
    EXPECT_GT(experiment_->log().size(), 0u) << info->id;
  }
}

TEST_F(UiDoing, RestartKeepsWalls) {
  open("wave/droplet");
  const auto act = [&](const char* kind, std::map<std::string, double> numbers) {
    experiment_->perform(Action{kind, std::move(numbers), "", nullptr});
    experiment_->advance(3);
  };
  act("wall-line", {{"x0", 0.2}, {"y0", 0.2}, {"x1", 0.8}, {"y1", 0.3}});
  act("droplet", {{"x", 0.5}, {"y", 0.5}});
  act("oscillator", {{"x", 0.3}, {"y", 0.7}});
  const State before = experiment_->simulation().save();
  const std::int64_t steps = experiment_->simulation().steps();
  key("Ctrl+R");
  EXPECT_EQ(experiment_->simulation().steps(), 0);
  std::vector<std::string> kinds;
  for (const Action& action : done()) kinds.push_back(action.kind);
  EXPECT_EQ(kinds, (std::vector<std::string>{"wall-line", "oscillator"})) << "the droplet is gone";
  // Bit-identical to the same strokes at the beginning of a new run.
  Experiment again(*backend_, small_scene("wave/droplet"));
  for (const Action& action : done()) again.perform(action);
  experiment_->advance(5);
  again.advance(5);
  EXPECT_EQ(largest_difference(experiment_->simulation().save(), again.simulation().save()), 0);
  // One undo step: a single undo restores the previous run.
  key("Ctrl+Z");
  EXPECT_EQ(experiment_->simulation().steps(), steps);
  EXPECT_EQ(largest_difference(experiment_->simulation().save(), before), 0);
  key("Ctrl+Y");
  EXPECT_EQ(done().size(), 2u);
  key("r");
  EXPECT_TRUE(done().empty()) << "the plain one keeps nothing";
}

TEST_F(UiDoing, ReportsActionsThatCannotBeRepeated) {
  open("wave/droplet");
  // A body that moves away from where it was placed, and is removed at its current position.
  experiment_->perform(Action{"oscillator", {{"x", 0.2}, {"y", 0.5}, {"vx", 0.5}}, "", nullptr});
  experiment_->advance(400);
  experiment_->perform(Action{"remove-source",
                              {{"x", 0.2 + 400 *
                                               experiment_->simulation().parameters().get(
                                                   experiment_->simulation().parameters().find("time_step")) *
                                               0.5 / experiment_->simulation().domain_width()},
                               {"y", 0.5},
                               {"reach", 3}},
                              "",
                              nullptr});
  key("Ctrl+R");
  EXPECT_EQ(done().size(), 1u);
  EXPECT_NE(session_->message().text.english().find("could not be repeated"), std::string::npos)
      << session_->message().text.english();
}

TEST(PaceUnits, KeepSpeedAtAnyFrameRate) {
  for (const double frame : {1.0 / 144, 1.0 / 60, 1.0 / 20, 1.0 / 7}) {
    Pace pace(16);
    pace.set_unit(Pace::Unit::per_second);
    EXPECT_EQ(pace.speed(), 960);
    std::int64_t steps = 0;
    double time = 0;
    while (time < 3) {
      pace.elapse(frame);
      time += frame;
      steps += pace.take();
    }
    EXPECT_NEAR(static_cast<double>(steps), 960 * time, 1.01) << "frames of " << frame << " s";
  }
  // Slower than the frames: some frames take no step.
  Pace slow(1);
  slow.set_unit(Pace::Unit::per_second);
  for (int i = 0; i < 5; ++i) slow.slower();
  int steps = 0;
  for (int i = 0; i < 320; ++i) {
    slow.elapse(1.0 / 60);
    steps += slow.take();
  }
  EXPECT_EQ(steps, 10) << "60/32 a second for 320/60 seconds";
}

TEST(PaceUnits, KeepRealTimeWhenTimeStepChanges) {
  Pace pace(10);
  pace.set_unit(Pace::Unit::real_time);
  EXPECT_EQ(pace.speed(), 0) << "not known yet";
  pace.set_time_per_step(0.5);
  EXPECT_EQ(pace.speed(), 300);
  pace.set_time_per_step(0.25);
  EXPECT_EQ(pace.speed(), 300);
  double steps = 0;
  for (int i = 0; i < 60; ++i) {
    pace.elapse(1.0 / 60);
    steps += pace.take();
  }
  EXPECT_NEAR(steps * 0.25, 300, 0.3) << "in a second";
  pace.faster();
  EXPECT_EQ(pace.speed(), 600);
  pace.set_unit(Pace::Unit::per_frame);
  EXPECT_EQ(pace.requested(), 40);
}

TEST(PaceUnits, DoNotCatchUpAfterSleep) {
  Pace pace(16);
  pace.set_unit(Pace::Unit::per_second);
  pace.elapse(3600);
  EXPECT_LE(pace.take(), 240) << "a quarter of a second's";
  EXPECT_EQ(pace.take(), 0);
}

TEST_F(UiDoing, DescribesViewInOneLine) {
  open("wave/droplet");
  experiment_->perform(Action{"droplet", {{"x", 0.15}, {"y", 0.85}, {"amplitude", 0.1}, {"radius", 4}}, "", nullptr});
  ViewSettings view = session_->view().resolved();
  view.quantity = "height";
  view.minimum = -0.05;
  view.maximum = 0.05;
  const std::string text = describe(*experiment_, view).english();
  for (const char* const part : {"Shown: Height, from -0.1", "(at the upper left)", "step 0", "from -0.05 to 0.05"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  EXPECT_NE(text.find(experiment_->scene().title), std::string::npos) << text;
  for (const Gauge& gauge : experiment_->simulation().gauges())
    EXPECT_NE(text.find(gauge.label.english()), std::string::npos) << text;
  key("F4");
  EXPECT_NE(session_->message().text.english().find("Shown:"), std::string::npos) << session_->message().text.english();
}

// A screen reader reads "2.529e+06" as a letter between two numbers.
TEST_F(UiDoing, DescribesNumbersWithoutExponent) {
  open("wave/droplet");
  ViewSettings view = session_->view().resolved();
  for (const auto& [low, high, words] : {std::tuple(-2528700.0, 25287000.0, "from -2529000 to 25290000"),
                                         std::tuple(-3.2e-6, 0.000123456, "from -0.0000032 to 0.0001235"),
                                         std::tuple(-0.05, 1234.56, "from -0.05 to 1235")}) {
    view.minimum = low;
    view.maximum = high;
    const std::string text = describe(*experiment_, view).english();
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

TEST_F(UiDoing, DescribesEveryScene) {
  for (const SimulationInfo* info : catalog()) {
    if (has_small_reach() && info->id != "wave") continue;
    for (const SceneEntry& scene : all_scenes())
      if (scene.simulation == info->id) {
        open(scene.path());
        break;
      }
    experiment_->advance(2);
    // Some take seconds to compute: a few are enough.
    const std::size_t few = std::min<std::size_t>(info->quantities.size(), 3);
    for (const Quantity& quantity : std::span(info->quantities).first(few)) {
      ViewSettings view = session_->view().resolved();
      view.quantity = quantity.id;
      view.minimum = quantity.minimum;
      view.maximum = quantity.maximum;
      const std::string text = describe(*experiment_, view).english();
      EXPECT_NE(text.find(quantity.label), std::string::npos) << text;
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace perturb
