// Theory in the view: its command, where it is stored, and its labels.
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "app/session/session.h"
#include "app/ui/panels/theory_marks.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

TEST(TheoryView, CommandTogglesItWhereThereIsSome) {
  const auto backend = Backend::make_cpu(1);
  Scene scene = scene_of_width("wave/droplet", 32);
  scene.setup.actions.clear();
  scene.setup.actions.push_back({"mode", {{"m", 2}, {"n", 1}, {"amplitude", 0.5}}, "", nullptr});
  Experiment experiment(*backend, scene);
  Session session(experiment, 1);
  session.observe(true);
  ASSERT_FALSE(session.diagnostics_poller().latest().marks.empty());
  ASSERT_EQ(find_command("t")->id, CommandId::toggle_theory);
  session.execute(CommandId::toggle_theory);
  EXPECT_TRUE(session.view().settings().theory);
  session.handle({}, {}, Session::Keyboard::free);
  EXPECT_TRUE(experiment.shown().view.theory) << "it is in the run's log";
  session.execute(CommandId::toggle_theory);
  EXPECT_FALSE(session.view().settings().theory);
}

TEST(TheoryView, GivesTheReasonWithoutTheory) {
  const auto backend = Backend::make_cpu(1);
  Scene scene = scene_of_width("wave/droplet", 32);
  scene.setup.actions.clear();
  Experiment experiment(*backend, scene);
  Session session(experiment, 1);
  session.observe(true);
  session.execute(CommandId::toggle_theory);
  EXPECT_FALSE(session.view().settings().theory);
  EXPECT_EQ(session.message().text, no_theory_text);
}

TEST(TheoryView, IsStoredInPresets) {
  Scene scene = load_scene("wave/droplet");
  scene.view.theory = true;
  EXPECT_TRUE(parse_scene(text_of_preset(scene), "a.toml", "wave", "a").view.theory);
  scene.view.theory = false;
  EXPECT_FALSE(parse_scene(text_of_preset(scene), "a.toml", "wave", "a").view.theory);
}

TEST(TheoryLabels, DoNotOverlapAndStayInTheView) {
  const Rect view{100, 50, 400, 300};
  std::vector<Rect> taken;
  int placed = 0;
  for (int k = 0; k < 40; ++k) {
    const auto box = label_position(105 + 10 * k, 60 + 7 * k, 60, 16, 5, view, taken);
    if (!box) continue;
    ++placed;
    EXPECT_GE(box->x, view.x);
    EXPECT_LE(box->x + box->width, view.x + view.width);
    EXPECT_GE(box->y, view.y);
    EXPECT_LE(box->y + box->height, view.y + view.height);
    for (const Rect& one : taken)
      EXPECT_FALSE(box->x < one.x + one.width && one.x < box->x + box->width && box->y < one.y + one.height &&
                   one.y < box->y + box->height);
    taken.push_back(*box);
  }
  EXPECT_GT(placed, 20);
  EXPECT_FALSE(label_position(200, 100, 500, 16, 5, view, {})) << "wider than the view";
}

}  // namespace
}  // namespace perturb
