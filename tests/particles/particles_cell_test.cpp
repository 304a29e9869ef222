// Cases that can be worked by hand.
#include <gtest/gtest.h>

#include "cuda/particles/kernels/all_pairs.h"
#include "cuda/particles/model/cell.h"
#include "tests/particles/particles_reference.h"

namespace perturb::particles {
namespace {

const Box<double> box{100, 50, 0};
const Kind<double> unit{1, 1};

TEST(ParticlesCell, HeadOn) {
  const Disc<double> p{10, 20, 1, 0}, q{14, 20, -3, 0};
  // The gap of 2 closes at 4 a step.
  EXPECT_EQ(pair_time<false>(p, q, 2.0), 0.5);
  EXPECT_EQ(pair_time<false>(q, p, 2.0), 0.5);
  const Disc<double> a = settle_pair<false>(p, q, unit, unit, box), b = settle_pair<false>(q, p, unit, unit, box);
  EXPECT_EQ(a.x, 10.5 - 1.5);
  EXPECT_EQ(a.vx, -3);
  EXPECT_EQ(b.x, 12.5 + 0.5);
  EXPECT_EQ(b.vx, 1);
  EXPECT_EQ(a.vy, 0);
}

TEST(ParticlesCell, ObliqueHitTurnsOnlyTheLineOfCentres) {
  // They touch at t = 1/2 with centres at (0, 0) and (1.2, 1.6): n = (0.6, 0.8).
  const Disc<double> p{49.5, 20, 1, 0}, q{51.2, 21.6, 0, 0};
  const double t = pair_time<false>(p, q, 2.0);
  EXPECT_NEAR(t, 0.5, 1e-14);
  const Disc<double> a = settle_pair<false>(p, q, unit, unit, box), b = settle_pair<false>(q, p, unit, unit, box);
  EXPECT_NEAR(b.vx, 0.36, 1e-14);
  EXPECT_NEAR(b.vy, 0.48, 1e-14);
  EXPECT_NEAR(a.vx, 0.64, 1e-14);
  EXPECT_NEAR(a.vy, -0.48, 1e-14);
}

TEST(ParticlesCell, UnequalMassesKeepMomentumAndEnergy) {
  const Kind<double> heavy{2, 10};
  const Disc<double> p{10, 20, 3, 0.5}, q{14, 20.7, -1, 0.25};
  ASSERT_LE(pair_time<false>(p, q, 3.0), 1);
  const Disc<double> a = settle_pair<false>(p, q, unit, heavy, box), b = settle_pair<false>(q, p, heavy, unit, box);
  EXPECT_NEAR(a.vx + 10 * b.vx, 3 - 10, 1e-12);
  EXPECT_NEAR(a.vy + 10 * b.vy, 0.5 + 2.5, 1e-12);
  const auto energy = [](const Disc<double>& d, double m) { return m * (d.vx * d.vx + d.vy * d.vy); };
  EXPECT_NEAR(energy(a, 1) + energy(b, 10), energy(p, 1) + energy(q, 10), 1e-12);
}

TEST(ParticlesCell, HasNoCandidateWithoutCollision) {
  const Disc<double> p{10, 20, 1, 0};
  EXPECT_GT(pair_time<false>(p, {14, 20, 1, 0}, 2.0), 1) << "the same velocity: A = 0";
  EXPECT_GT(pair_time<false>(p, {14, 20, 2, 0}, 2.0), 1) << "they move apart";
  EXPECT_GT(pair_time<false>(p, {14, 20, 0.5, 0}, 2.0), 1) << "too slow for this step";
  EXPECT_GT(pair_time<false>(p, {14, 23, -3, 0}, 2.0), 1) << "they pass each other";
  EXPECT_GT(pair_time<false>(p, {11, 20, -3, 0}, 2.0), 1) << "they overlap: they met in the past";
  EXPECT_EQ(pair_time<false>(p, {13, 20, 0, 0}, 2.0), 1) << "just at the end";
  EXPECT_EQ(pair_time<false>(p, {12, 20, 0, 0}, 2.0), 0) << "just at the start";
}

TEST(ParticlesCell, Walls) {
  const Disc<double> left{3, 20, -4, 0};
  WallHit<double> hit = wall_hit(left, 1.0, box);
  EXPECT_EQ(hit.time, 0.5);
  EXPECT_TRUE(hit.across);
  EXPECT_FALSE(hit.along);
  double momentum = 0;
  Disc<double> after = settle_wall<false>(left, 1.0, box, hit, momentum);
  EXPECT_EQ(after.x, 3);
  EXPECT_EQ(after.vx, 4);
  EXPECT_EQ(momentum, 8);

  EXPECT_GT(wall_hit(Disc<double>{3, 20, -1.9, 0}, 1.0, box).time, 1) << "it ends 0.1 off the wall";
  EXPECT_EQ(wall_hit(Disc<double>{3, 20, -2 + 0.5e-8, 0}, 1.0, box).time, 1) << "within the tolerance of the wall";
  EXPECT_GT(wall_hit(Disc<double>{1, 20, 0, 0}, 1.0, box).time, 1) << "it rests on the wall";
  EXPECT_GT(wall_hit(Disc<double>{1, 20, 2, 0}, 1.0, box).time, 1) << "it leaves the wall";

  const Disc<double> corner{97, 47, 4, 4};
  hit = wall_hit(corner, 1.0, box);
  EXPECT_EQ(hit.time, 0.5);
  EXPECT_TRUE(hit.across && hit.along);
  after = settle_wall<false>(corner, 1.0, box, hit, momentum);
  EXPECT_EQ(after.vx, -4);
  EXPECT_EQ(after.vy, -4);
  EXPECT_EQ(after.x, 97);

  // The second wall of a step is not hit but not passed either.
  const Disc<double> fast{97, 20, 300, 0};
  after = settle_wall<false>(fast, 1.0, box, wall_hit(fast, 1.0, box), momentum);
  EXPECT_EQ(after.x, 1);
}

TEST(ParticlesCell, PistonGivesTwiceItsSpeed) {
  const Box<double> pushed{100, 50, -0.5};
  const Disc<double> resting{98.75, 20, 0, 0};
  const WallHit<double> hit = wall_hit(resting, 1.0, pushed);
  EXPECT_EQ(hit.time, 0.5);
  EXPECT_TRUE(hit.piston);
  double momentum = 0;
  const Disc<double> after = settle_wall<false>(resting, 1.0, pushed, hit, momentum);
  EXPECT_EQ(after.vx, -1);
  EXPECT_EQ(after.x, 98.25);
}

TEST(ParticlesCell, TiesGoByTimeThenPThenWallThenQ) {
  const std::vector<int> ids = {5, 2, 9, 7};  // slot -> id
  std::vector<PairCandidate<double>> candidates = {{0.5, 2, 3}, {0.5, 0, 2}, {0.5, 1, 0}, {0.25, 3, -1}, {0.5, 1, -1}};
  std::vector<int> best(4);
  std::vector<unsigned char> taken(4);
  filter_candidates(candidates, ids, best, taken);
  // First disc 7 at its wall; then of those at 0.5: P = 2 with its wall before P = 2 with 5; then
  // P = 5 with 9; 7 is gone.
  EXPECT_EQ(best[3], wall_partner);
  EXPECT_EQ(best[1], wall_partner);
  EXPECT_EQ(best[0], 2);
  EXPECT_EQ(best[2], 0);
}

}  // namespace
}  // namespace perturb::particles
