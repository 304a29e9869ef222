// Objects in a session: selected, dragged, tuned and removed as by a user, with the wave tank's sources.
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/lesson_text.h"
#include "tests/support/lesson_step.h"
#include "tests/support/session_fixture.h"

namespace perturb {
namespace {

constexpr double pixel = 1.0 / 600;  // of the view's height, at most: fractions are compared within this

class ObjectSession : public SessionFixture {
 protected:
  void place_source(double x, double y) {
    experiment_.perform({"oscillator", {{"x", x}, {"y", y}, {"radius", 3}}, {}, {}});
    events({});
  }
  const std::vector<SceneObject>& objects() const { return session_.run().objects; }
  const SceneObject* selected() const { return session_.object_controller().selected(); }
  double number(std::size_t index, const std::string& id) const { return objects().at(index).numbers.at(id); }
  Camera::Point on_screen(double x, double y) const {
    const DomainSize domain = session_.domain();
    return domain_to_screen({x, y}, layout_.pointer_frame(), session_.view().camera(), domain.width, domain.height,
                            session_.view().quantity().has_depth);
  }
  Camera::Point handle(std::size_t index, std::size_t which) const {
    return on_screen(objects().at(index).handles.at(which).x, objects().at(index).handles.at(which).y);
  }
  void press(const Camera::Point& at, Button button = Button::left) {
    events({mouse(Kind::move, at.x, at.y), mouse(Kind::press, at.x, at.y, button)});
  }
  void move(const Camera::Point& at) { events({mouse(Kind::move, at.x, at.y)}); }
  void release(const Camera::Point& at, Button button = Button::left) {
    events({mouse(Kind::release, at.x, at.y, button)});
  }
  void click(const Camera::Point& at, Button button = Button::left) {
    press(at, button);
    release(at, button);
  }
  void drag(const Camera::Point& from, const Camera::Point& to) {
    press(from);
    move({0.5 * (from.x + to.x), 0.5 * (from.y + to.y)});
    move(to);
    release(to);
  }
  void ask(Command command) {
    session_.post(std::move(command));
    events({});
  }
  std::size_t logged(const std::string& kind) const {
    std::size_t count = 0;
    for (const Event& event : experiment_.log())
      if (const auto* action = std::get_if<Action>(&event.change)) count += action->kind == kind ? 1 : 0;
    return count;
  }
};

TEST_F(ObjectSession, DragOfKnobIsOneUndoStepWithAnyTool) {
  place_source(0.25, 0.5);
  ASSERT_EQ(objects().size(), 1u);
  const std::string before = session_.tools().tool();
  drag(handle(0, 0), on_screen(0.75, 0.25));
  ASSERT_TRUE(selected());
  EXPECT_NEAR(number(0, "x"), 0.75, pixel);
  EXPECT_NEAR(number(0, "y"), 0.25, pixel);
  EXPECT_EQ(session_.tools().tool(), before);
  EXPECT_EQ(logged("droplet"), 0u) << "the tool did not act";
  EXPECT_EQ(logged("change-oscillator"), 2u);
  EXPECT_EQ(session_.run().next_undo, "Oscillator");
  tap("Ctrl+Z");
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_DOUBLE_EQ(number(0, "x"), 0.25);
  EXPECT_TRUE(selected()) << "it still exists";
  tap("Ctrl+Shift+Z");
  EXPECT_NEAR(number(0, "x"), 0.75, pixel);
  // Elsewhere, the tool acts.
  click(on_screen(0.3, 0.8));
  EXPECT_EQ(logged("droplet"), 1u);
  EXPECT_TRUE(selected());
}

TEST_F(ObjectSession, DragDoesNotAccumulateRounding) {
  place_source(0.25, 0.5);
  const Camera::Point from = handle(0, 0);
  press(from);
  for (int k = 1; k <= 300; ++k) move({from.x + k, from.y - 0.5 * k});
  move(from);
  release(from);
  EXPECT_DOUBLE_EQ(number(0, "x"), 0.25);
  EXPECT_DOUBLE_EQ(number(0, "y"), 0.5);
}

TEST_F(ObjectSession, ClickSelectsAndShowsNumbers) {
  place_source(0.25, 0.5);
  place_source(0.75, 0.5);
  ask(ShowTab{Tab::view});
  click(handle(1, 0));
  ASSERT_TRUE(selected());
  EXPECT_EQ(selected()->id, objects()[1].id);
  EXPECT_EQ(session_.interface().tab, Tab::physics);
  EXPECT_EQ(logged("change-oscillator"), 0u);
  EXPECT_EQ(name_of(objects()[1], session_.run()).english(), "Oscillator 2");
  // A click close to the knob, not on it.
  const Camera::Point first = handle(0, 0);
  click({first.x + 5, first.y - 5});
  EXPECT_EQ(selected()->id, objects()[0].id);
  EXPECT_NEAR(number(0, "x"), 0.25, 1e-12);
  // Other buttons belong to the tool.
  click(handle(1, 0), Button::right);
  EXPECT_EQ(selected()->id, objects()[0].id);
  EXPECT_EQ(logged("droplet"), 1u);
  tap("Esc");
  EXPECT_FALSE(selected());
}

TEST_F(ObjectSession, OtherHandlesWorkWhileSelected) {
  place_source(0.5, 0.5);
  ASSERT_GE(objects()[0].handles.size(), 2u);
  const Camera::Point grip = handle(0, 1);
  const double unit = 64 / layout_.view_rect.height;
  const double side = grip.x > handle(0, 0).x ? 1 : -1;
  // The handle of an object that is not selected is the tool's.
  click({grip.x + 8 * side, grip.y});
  EXPECT_EQ(logged("droplet"), 1u);
  click(handle(0, 0));
  drag(handle(0, 1), {grip.x + 60 * side, grip.y});
  EXPECT_NEAR(number(0, "radius"), 3 + 60 * unit, 1e-9);
  EXPECT_EQ(logged("droplet"), 1u);
  EXPECT_EQ(session_.object_controller().selection().handle, 1u);
}

TEST_F(ObjectSession, KeysMoveAndRemove) {
  place_source(0.5, 0.5);
  ask(SelectObject{objects()[0].id});
  const double one = 1 / layout_.view_rect.height;
  events({key("Right")});
  EXPECT_NEAR(number(0, "x"), 0.5 + one, 1e-9);
  InputEvent far = key("Up");
  far.shift = true;
  events({far});
  EXPECT_NEAR(number(0, "y"), 0.5 + 10 * one, 1e-9);
  EXPECT_FALSE(session_.input().crosshair().position());
  // A held key is one undo step.
  InputEvent held = key("Left");
  events({held});
  held.repeat = true;
  events({held, held, held});
  EXPECT_NEAR(number(0, "x"), 0.5 - 3 * one, 1e-9);
  tap("Ctrl+Z");
  EXPECT_NEAR(number(0, "x"), 0.5 + one, 1e-9);

  for (const char* const name : {"Delete", "Backspace"}) {
    tap(name);
    EXPECT_TRUE(objects().empty()) << name;
    EXPECT_FALSE(selected());
    tap(name);  // nothing is selected
    tap("Ctrl+Z");
    ASSERT_EQ(objects().size(), 1u);
  }
  EXPECT_TRUE(selected()) << "the same object is back";
  EXPECT_NEAR(number(0, "y"), 0.5 + 10 * one, 1e-9);
  tap("Esc");
  tap("Right");
  EXPECT_TRUE(session_.input().crosshair().position()) << "without a selection the arrows move the crosshair";
}

TEST_F(ObjectSession, CrosshairSelectsAndDrags) {
  place_source(0.5, 0.5);
  tap("Right");  // starts in the middle of the view
  const Camera::Point at = *session_.input().crosshair().position(), knob = handle(0, 0);
  ASSERT_GT(std::hypot(at.x - knob.x, at.y - knob.y), 11) << "a step of the crosshair is longer than the reach";
  tap("Left");
  tap("Enter");
  ASSERT_TRUE(selected());
  EXPECT_EQ(logged("droplet"), 0u);
  const double before = number(0, "x");
  tap("Right");
  EXPECT_GT(number(0, "x"), before) << "the arrows move the object now";
}

TEST_F(ObjectSession, SliderDragIsOneUndoStep) {
  place_source(0.5, 0.5);
  const int id = objects()[0].id;
  for (const double frequency : {0.06, 0.07, 0.08}) ask(ChangeObject{id, "frequency", frequency});
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.08);
  ask(ChangeObject{id, "amplitude", 0.2});
  tap("Ctrl+Z");
  EXPECT_DOUBLE_EQ(number(0, "amplitude"), 0.1);
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.08);
  tap("Ctrl+Z");
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.05);
  // Another press begins another undo step, of the same slider too.
  ask(ChangeObject{id, "frequency", 0.06});
  click(on_screen(0.2, 0.2), Button::middle);
  ask(ChangeObject{id, "frequency", 0.07});
  tap("Ctrl+Z");
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.06);
  EXPECT_DOUBLE_EQ(session_.object_controller().original_of(objects()[0], "frequency"), 0.05);
}

TEST_F(ObjectSession, ImpossibleChangeIsReportedOnceAndLeavesObject) {
  place_source(0.5, 0.5);
  const int id = objects()[0].id;
  // The time step does not carry this frequency.
  ask(ChangeObject{id, "frequency", 9});
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.05);
  ASSERT_TRUE(session_.message().is_error);
  EXPECT_NE(session_.message().text.english().find("Cannot"), std::string::npos) << session_.message().text;
  session_.execute(CommandId::dismiss_message);
  ask(ChangeObject{id, "frequency", 9.5});
  EXPECT_TRUE(session_.message().text.empty()) << "still the same drag of the slider";
  // Where the slider comes back to a possible value, the undo step begins.
  ask(ChangeObject{id, "frequency", 0.06});
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.06);
  tap("Ctrl+Z");
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.05);
}

TEST_F(ObjectSession, SelectionSurvivesWhateverReplacesTheRun) {
  place_source(0.25, 0.5);
  click(handle(0, 0));
  press(handle(0, 0));
  move(on_screen(0.5, 0.5));
  tap("r");  // restarts the scene while the object is held
  EXPECT_TRUE(objects().empty());
  EXPECT_FALSE(selected());
  move(on_screen(0.6, 0.5));
  release(on_screen(0.6, 0.5));
  tap("Delete");
  tap("Ctrl+Z");
  ASSERT_EQ(objects().size(), 1u);
  tap("Ctrl+Z");  // the drag
  tap("Ctrl+Z");  // the placing
  EXPECT_TRUE(objects().empty());
  EXPECT_FALSE(selected());
  place_source(0.25, 0.25);
  click(handle(0, 0));
  ask(OpenScene{"fibers/lone"});
  EXPECT_TRUE(objects().empty());
  EXPECT_EQ(session_.object_controller().selection(), ObjectSelection{});
  for (const char* const name : {"Delete", "Left", "Esc"}) tap(name);
}

TEST_F(ObjectSession, PlacedObjectIsSelected) {
  ask(ChooseTool{"oscillator"});
  click(on_screen(0.3, 0.3));
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_TRUE(selected());
  click(on_screen(0.7, 0.3));
  ASSERT_EQ(objects().size(), 2u);
  EXPECT_EQ(selected(), &objects()[1]);
  tap("Esc");
  // The keyboard's crosshair is not interrupted.
  tap("Up");
  tap("Enter");
  ASSERT_EQ(objects().size(), 3u);
  EXPECT_FALSE(selected());
}

TEST_F(ObjectSession, InstrumentsComeFirstAndOneThingIsSelected) {
  place_source(0.5, 0.5);
  session_.instrument_controller().add(parse_instrument("probe 0.5 0.5"));
  drag(handle(0, 0), on_screen(0.2, 0.2));
  EXPECT_NEAR(session_.instruments().all().front().places[0].x, 0.2, pixel);
  EXPECT_DOUBLE_EQ(number(0, "x"), 0.5);
  EXPECT_FALSE(selected());
  click(handle(0, 0));
  EXPECT_TRUE(selected());
  EXPECT_EQ(session_.instrument_controller().selection().instrument, 0);
  tap("Delete");
  EXPECT_TRUE(objects().empty());
  EXPECT_EQ(session_.instruments().all().size(), 1u);
}

TEST_F(ObjectSession, PointerMeansGroundInViewsWithDepth) {
  place_source(0.25, 0.5);
  for (const Quantity& quantity : session_.info().quantities)
    if (quantity.has_depth) ask(ShowQuantity{quantity.id});
  ASSERT_TRUE(session_.view().quantity().has_depth);
  drag(handle(0, 0), on_screen(0.5, 0.625));
  EXPECT_NEAR(number(0, "x"), 0.5, 4 * pixel);
  EXPECT_NEAR(number(0, "y"), 0.625, 4 * pixel);
}

TEST_F(ObjectSession, LogReplaysToSameObjects) {
  place_source(0.25, 0.5);
  drag(handle(0, 0), on_screen(0.5, 0.25));
  for (int k = 0; k < 5; ++k) frame();
  ask(ChangeObject{objects()[0].id, "frequency", 0.07});
  for (int k = 0; k < 5; ++k) frame();
  Experiment again(*backend_, small_tank());
  again.schedule(experiment_.log());
  again.advance(session_.run().steps);
  EXPECT_EQ(again.simulation().objects(), objects());
  EXPECT_EQ(again.simulation().save().get<float>("u", {64, 64}),
            experiment_.simulation().save().get<float>("u", {64, 64}));
}

TEST_F(ObjectSession, LessonStepWithoutObjectsFixesThem) {
  place_source(0.25, 0.5);
  const auto show = [&](const std::string& tools) {
    session_.lessons().show(LessonSession(
        std::make_shared<const Lesson>(parse_lesson(first_step + "tools = " + tools + "\n", "l.toml", "wave", "l"))));
  };
  show("['wall']");
  drag(handle(0, 0), on_screen(0.5, 0.5));
  ask(RemoveObject{objects()[0].id});
  ask(ChangeObject{objects()[0].id, "frequency", 0.06});
  EXPECT_EQ(session_.message().text.english(), "Objects cannot be changed in this step of the lesson.");
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_DOUBLE_EQ(number(0, "x"), 0.25);
  EXPECT_DOUBLE_EQ(number(0, "frequency"), 0.05);
  show("['objects']");
  drag(handle(0, 0), on_screen(0.5, 0.5));
  EXPECT_NEAR(number(0, "x"), 0.5, pixel);
}

// On a thread of its own, moves that come faster than the run takes them are skipped, and the last one counts.
TEST_F(ObjectSession, DragOverRunOnAnotherThreadEndsAtPointer) {
  Experiment experiment(*backend_, small_tank());
  experiment.perform({"oscillator", {{"x", 0.25}, {"y", 0.5}, {"radius", 3}}, {}, {}});
  Session session(experiment, 4, Runner::Where::own_thread);
  const auto send = [&](const std::vector<InputEvent>& list) {
    session.handle(list, layout_, Session::Keyboard::free);
    session.advance();
  };
  const auto wait = [&] {
    while (!session.is_idle()) std::this_thread::yield();
  };
  wait();
  const Camera::Point from = on_screen(0.25, 0.5), to = on_screen(0.75, 0.5);
  send({mouse(Kind::move, from.x, from.y), mouse(Kind::press, from.x, from.y, Button::left)});
  for (int k = 1; k <= 40; ++k) send({mouse(Kind::move, from.x + k * (to.x - from.x) / 40, from.y)});
  send({mouse(Kind::release, to.x, to.y, Button::left)});
  wait();
  ASSERT_EQ(session.run().objects.size(), 1u);
  EXPECT_NEAR(session.run().objects[0].numbers.at("x"), 0.75, pixel);
  session.execute(CommandId::undo);
  wait();
  ASSERT_EQ(session.run().objects.size(), 1u);
  EXPECT_DOUBLE_EQ(session.run().objects[0].numbers.at("x"), 0.25) << "one undo step";
}

}  // namespace
}  // namespace perturb
