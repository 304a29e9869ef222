// The past of a run in a session: keys and the bar go back, and measured curves remain up to the step from which the
// run continues.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/session/session.h"
#include "tests/contract/small_scene.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

class Past : public testing::Test {
 protected:
  void frames(int count) { advance_frames(session_, count, 1.0 / 60); }
  const std::vector<CurvePoint>& curve() const {
    return session_.diagnostics_poller().history().series().front().points;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, small_scene("wave", "double-slit", 24)};
  Session session_{experiment_, 16};
};

TEST_F(Past, IsShownPausedAndContinuedWithItsCurves) {
  session_.instrument_controller().add(parse_instrument("probe 0.5 0.5"));
  const int probe = session_.instruments().all().front().id;
  frames(20);
  ASSERT_EQ(session_.run().steps, 320);
  const std::vector<CurvePoint> whole = curve();
  const std::size_t readings = session_.instruments().series(probe)->size();
  session_.execute(ReturnToStep{160});
  EXPECT_FALSE(session_.playback().playing());
  frames(50);
  EXPECT_EQ(session_.run().steps, 160);
  EXPECT_EQ(session_.run().last_step, 320);
  EXPECT_FALSE(session_.playback().is_returning());
  EXPECT_EQ(curve().size(), whole.size()) << "the later part is in sight until the run continues";

  session_.execute(CommandId::step_back);
  frames(50);
  EXPECT_EQ(session_.run().steps, 159);
  session_.execute(CommandId::past_forward);
  frames(50);
  EXPECT_EQ(session_.run().steps, 175) << "a twentieth of 320";
  session_.execute(ReturnToStep{160});
  frames(50);

  // Continued to the same step: the same curve, without gaps or doubles.
  session_.playback().set_playing(true);
  frames(10);
  ASSERT_EQ(session_.run().steps, 320);
  ASSERT_EQ(curve().size(), whole.size());
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(curve()[k].x, whole[k].x);
    EXPECT_EQ(curve()[k].y, whole[k].y);
  }
  EXPECT_EQ(session_.instruments().series(probe)->size(), readings);
  EXPECT_EQ(session_.run().next_undo.english(), "Return to an earlier step");
}

// Curves that a return has dropped, in one scene of each simulation.
class PastCurves : public testing::TestWithParam<std::string> {
 protected:
  using Curves = std::vector<std::pair<std::string, std::vector<CurvePoint>>>;

  static Scene scene() {
    const std::size_t slash = GetParam().find('/');
    Scene small = small_scene(GetParam().substr(0, slash), GetParam().substr(slash + 1), 24, 60);
    if (const auto level = small.setup.parameters.find("level"); level != small.setup.parameters.end())
      level->second = 1;
    small.steps_per_frame = 1;  // numbers are sampled every 16 steps
    return small;
  }
  void frames(int count) { advance_frames(session_, count, 1.0 / 60); }
  // All curves over time: of the numbers, of the simulation itself, and of the probe.
  Curves curves() const {
    Curves all;
    for (const History::Series& one : session_.diagnostics_poller().history().series())
      all.emplace_back(one.id, one.points);
    for (const Curve& one : session_.diagnostics_poller().latest().curves)
      if (one.x_label == Message("time")) all.emplace_back(one.id, one.points);
    if (const Series* probe = session_.instruments().series(probe_)) all.emplace_back("probe", probe->kept());
    return all;
  }
  static std::size_t points_of(const Curves& all) {
    std::size_t sum = 0;
    for (const auto& [id, points] : all) sum += points.size();
    return sum;
  }
  // A probe may have no number at its place.
  static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
  static void expect_same(const Curves& now, const Curves& then) {
    ASSERT_EQ(now.size(), then.size());
    for (std::size_t k = 0; k < now.size(); ++k) {
      EXPECT_EQ(now[k].first, then[k].first);
      ASSERT_EQ(now[k].second.size(), then[k].second.size()) << now[k].first;
      for (std::size_t i = 0; i < now[k].second.size(); ++i) {
        EXPECT_EQ(now[k].second[i].x, then[k].second[i].x) << now[k].first;
        EXPECT_TRUE(same(now[k].second[i].y, then[k].second[i].y)) << now[k].first;
      }
    }
  }
  void return_to(std::int64_t step) {
    session_.execute(ReturnToStep{step});
    frames(50);
    ASSERT_EQ(session_.run().steps, step);
  }
  void begin() {
    session_.instrument_controller().add(parse_instrument("probe 0.5 0.5"));
    probe_ = session_.instruments().all().front().id;
    frames(10);
    ASSERT_EQ(session_.run().steps, 100);
    ASSERT_FALSE(session_.diagnostics_poller().history().series().empty());
    ASSERT_NE(session_.instruments().series(probe_), nullptr);
  }
  void continue_for(int count) {
    session_.playback().set_playing(true);
    frames(count);
    session_.playback().set_playing(false);
  }
  void undo() {
    session_.execute(CommandId::undo);
    frames(2);
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, scene()};
  Session session_{experiment_, 10};
  int probe_ = 0;
};
INSTANTIATE_TEST_SUITE_P(All, PastCurves,
                         testing::Values("wave/double-slit", "lbm/cylinder", "particles/gas", "fibers/lone",
                                         "membrane/chladni"),
                         [](const auto& one) { return one.param.substr(0, one.param.find('/')); });

TEST_P(PastCurves, ComeBackWhenTheReturnIsUndone) {
  begin();
  const Curves whole = curves();
  return_to(50);
  continue_for(2);
  ASSERT_EQ(session_.run().steps, 70);
  EXPECT_LT(points_of(curves()), points_of(whole));
  undo();
  ASSERT_EQ(session_.run().steps, 100);
  expect_same(curves(), whole);
  // They continue where they end.
  continue_for(2);
  EXPECT_GT(points_of(curves()), points_of(whole));
  for (const History::Series& one : session_.diagnostics_poller().history().series())
    for (std::size_t k = 1; k < one.points.size(); ++k) EXPECT_LT(one.points[k - 1].x, one.points[k].x) << one.id;
}

TEST_P(PastCurves, ComeBackAfterTwoReturns) {
  begin();
  const Curves first = curves();
  return_to(60);
  return_to(50);
  continue_for(2);
  const Curves second = curves();
  return_to(20);
  continue_for(1);
  undo();
  ASSERT_EQ(session_.run().steps, 70);
  expect_same(curves(), second);
  undo();
  ASSERT_EQ(session_.run().steps, 100);
  expect_same(curves(), first);
}

TEST_P(PastCurves, AreThoseOfTheirOwnCourseOnly) {
  begin();
  return_to(50);
  continue_for(2);
  session_.execute(CommandId::restart);
  frames(2);
  for (const auto& [id, points] : curves()) EXPECT_TRUE(points.empty() || points.back().x <= session_.run().time) << id;
}

TEST_F(Past, EndsAtItsEnds) {
  frames(4);
  session_.execute(ReturnToStep{-5});
  frames(20);
  EXPECT_EQ(session_.run().steps, 0);
  session_.execute(CommandId::step_back);
  frames(20);
  EXPECT_EQ(session_.run().steps, 0);
  session_.execute(ReturnToStep{1000});
  frames(20);
  EXPECT_EQ(session_.run().steps, 64);
  EXPECT_TRUE(session_.run().next_undo.empty()) << "nothing was dropped";
}

}  // namespace
}  // namespace perturb
