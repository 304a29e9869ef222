// Theory drawn into the box: the front of a shock and the mean free path.
#include <string>

#include <gtest/gtest.h>

#include "cuda/particles/measure/marks.h"

namespace perturb::particles {
namespace {

const TheoryMark* disc_mark(const Diagnostics& d, const std::string& begin) {
  for (const TheoryMark& mark : d.marks)
    if (mark.label.english().starts_with(begin)) return &mark;
  return nullptr;
}

TEST(ParticlesMarks, FrontIsWhereItsSpeedHasBroughtIt) {
  Measured measured;
  measured.step = 400;
  ReportContext context;
  context.slow = 4;
  context.width = 600;
  context.height = 180;
  Diagnostics d;
  d.scalars = {{"shock_speed", "", "", 1.4, Meaning::motion}, {"shock_speed_theory", "", "", 1.5, Meaning::motion}};
  add_disc_marks(measured, context, d);
  const TheoryMark* front = disc_mark(d, "Front");
  ASSERT_TRUE(front);
  // It starts at the right wall; 400 steps are 100 time units.
  EXPECT_DOUBLE_EQ(front->points[0].x, (600 - 150) / 600.0);
  EXPECT_DOUBLE_EQ(front->points[1].y, 1);
  EXPECT_FALSE(front->measured);
  ASSERT_EQ(d.marks.size(), 2u);
  EXPECT_TRUE(d.marks[1].measured);
  EXPECT_DOUBLE_EQ(d.marks[1].points[0].x, (600 - 140) / 600.0);
}

TEST(ParticlesMarks, FreePathIsABarOfItsLength) {
  ReportContext context;
  context.width = 200;
  context.height = 150;
  Diagnostics d;
  d.scalars = {{"free_path", "", "", 9.5, Meaning::collisions}, {"free_path_enskog", "", "", 10, Meaning::collisions}};
  add_disc_marks({}, context, d);
  ASSERT_EQ(d.marks.size(), 2u);
  const TheoryMark* theory = disc_mark(d, "Mean free path, theory: 10 length");
  ASSERT_TRUE(theory);
  EXPECT_NEAR((theory->points[3].x - theory->points[2].x) * 200, 10, 1e-9);
  EXPECT_TRUE(disc_mark(d, "Mean free path: 9.5 length")->measured);
}

TEST(ParticlesMarks, AreMissingWithoutTheory) {
  Diagnostics d;
  d.scalars = {{"free_path", "", "", 9.5, Meaning::collisions},
               {"free_path_enskog", "", "", no_value, Meaning::collisions}};
  add_disc_marks({}, {}, d);
  EXPECT_TRUE(d.marks.empty());
}

}  // namespace
}  // namespace perturb::particles
