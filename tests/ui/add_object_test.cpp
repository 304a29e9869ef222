// Objects added by a button: each kind that a simulation offers, as an ordinary action.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/session_fixture.h"
#include "tests/support/small_run.h"

namespace perturb {
namespace {

class AddObjectTest : public SmallRun {
 protected:
  void open(const std::string& name) {
    session_.reset();
    Scene scene = load_scene(name);
    scene.setup.width = std::min(scene.setup.width, 96);
    scene.setup.height = std::min(scene.setup.height, 64);
    experiment_ = std::make_unique<Experiment>(backend(), scene);
    session_ = std::make_unique<Session>(*experiment_, 1);
  }
  void ask(Command command) {
    session_->post(std::move(command));
    session_->handle({}, layout_, Session::Keyboard::free);
  }
  const std::vector<SceneObject>& objects() const { return session_->run().objects; }

  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};
PERTURB_ON_EACH_BACKEND(AddObjectTest);

TEST_P(AddObjectTest, EachKindIsAnActionThatCanBeUndoneAndReplayed) {
  for (const char* name : {"wave/droplet", "wave/double-slit", "wave/harbour", "lbm/cylinder", "lbm/cavity"}) {
    open(name);
    const std::vector<std::string> kinds = session_->run().placeable;
    EXPECT_EQ(kinds.size(), 5u) << name;
    for (const std::string& kind : kinds) {
      const std::size_t before = objects().size();
      ask(AddObject{kind});
      EXPECT_FALSE(session_->message().is_error) << name << " " << kind << ": " << session_->message().text;
      ASSERT_EQ(objects().size(), before + 1) << name << " " << kind;
      const SceneObject& added = objects().back();
      EXPECT_EQ(added.kind, kind) << name;
      ASSERT_TRUE(session_->object_controller().selected()) << name << " " << kind;
      EXPECT_EQ(session_->object_controller().selected()->id, added.id) << name << " " << kind;
      // Its handles are in the domain, about the middle of the view.
      for (const ObjectHandle& handle : added.handles) {
        EXPECT_GT(handle.x, 0.1) << name << " " << kind << " " << handle.label;
        EXPECT_LT(handle.x, 0.9) << name << " " << kind << " " << handle.label;
      }
      ask(CommandId::undo);
      EXPECT_EQ(objects().size(), before) << name << " " << kind;
      ask(CommandId::redo);
      EXPECT_EQ(objects().size(), before + 1) << name << " " << kind;
    }
    const std::vector<Event> log = experiment_->log();
    Experiment again(backend(), experiment_->start().scene);
    again.schedule(log);
    again.advance(10);
    experiment_->advance(10);
    EXPECT_TRUE(same(experiment_->simulation().save(), again.simulation().save())) << name;
  }
}

TEST_P(AddObjectTest, SourceOscillatesLikeThoseThereAreOrFitsTheTank) {
  open("wave/droplet");
  ask(AddObject{"oscillator"});
  const ParameterSet parameters = experiment_->simulation().parameters();
  const double wavelength = parameters.get("wave_speed") / objects().back().numbers.at("frequency");
  EXPECT_GE(wavelength, 9 * parameters.get("cell_size"));
  EXPECT_LE(wavelength, experiment_->simulation().domain_height());
  ask(ChangeObject{objects().back().id, "frequency", 0.04});
  ask(AddObject{"line-source"});
  EXPECT_EQ(objects().back().numbers.at("frequency"), 0.04);
}

TEST_P(AddObjectTest, SeveralDoNotCoverEachOther) {
  open("lbm/cavity");
  for (int k = 0; k < 4; ++k) ask(AddObject{"dye-source"});
  ASSERT_EQ(objects().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_GT(std::abs(objects()[i].numbers.at("y") - objects()[j].numbers.at("y")), 0.05) << i << " " << j;
}

TEST_P(AddObjectTest, LoadCanBeAddedWhereThereIsNone) {
  open("membrane/load");
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_TRUE(session_->run().placeable.empty()) << "a membrane has one load";
  ask(ParameterChange{"source_strength", 0});
  ASSERT_TRUE(objects().empty());
  ASSERT_EQ(session_->run().placeable, std::vector<std::string>{"source"});
  ask(AddObject{"source"});
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_NE(objects().front().numbers.at("strength"), 0);
}

TEST_P(AddObjectTest, KindThatIsNotOfferedIsAnError) {
  open("membrane/load");
  ask(AddObject{"slits"});
  EXPECT_TRUE(session_->message().is_error);
  EXPECT_EQ(objects().size(), 1u);
}

TEST_P(AddObjectTest, ButtonOpensTheListOfKinds) {
  Gui gui{Gui::Renderer::none};
  Panels panels;
  open("wave/droplet");
  const auto draw = [&] { lay_out(*session_, gui, panels, layout_); };
  const auto click = [&](const std::string& text) {
    draw();
    draw();
    for (const DrawnText& one : drawn_text()) {
      if (one.text != text || one.cut_beside || one.cut_above) continue;
      ImGuiIO& io = ImGui::GetIO();
      io.MousePos = ImVec2(static_cast<float>(one.box.x + 2), static_cast<float>(one.box.y + one.box.height / 2));
      for (const bool down : {false, true, false}) {
        io.MouseDown[0] = down;
        draw();
      }
      draw();
      return true;
    }
    return false;
  };
  ASSERT_TRUE(objects().empty());
  ASSERT_TRUE(click("Add an object"));
  ASSERT_TRUE(click("Lens"));
  ASSERT_EQ(objects().size(), 1u);
  EXPECT_EQ(objects().front().kind, "lens");
}

}  // namespace
}  // namespace perturb
