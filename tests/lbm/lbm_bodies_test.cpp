// Bodies among the walls of a flow: connected walls, their role in the stream, and the numbers of each body.
#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/backend/check.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/measure/report.h"
#include "cuda/lbm/model/bodies.h"
#include "cuda/lbm/model/boundary_links.h"
#include "cuda/lbm/model/scheme.h"
#include "tests/lbm/lbm_use.h"
#include "tests/support/backends.h"
#include "tests/support/sanitized.h"

namespace perturb::lbm {
namespace {

using Numbers = std::map<std::string, double>;
using Picture = std::vector<std::string>;  // rows from the top; '#': wall

Numbers numbers_of(const Diagnostics& d) {
  Numbers numbers;
  for (const Scalar& s : d.scalars) numbers[s.id] = s.value;
  return numbers;
}
std::string remarks_of(const Diagnostics& d) {
  std::string all;
  for (const Message& remark : d.remarks) all += remark.english() + "\n";
  return all;
}
// The marks of the walls of a picture.
std::vector<std::uint8_t> marks_of(const Picture& picture, const StepParams& sides) {
  const int width = static_cast<int>(picture.front().size()), height = static_cast<int>(picture.size());
  std::vector<std::uint8_t> wall, boundary_links;
  for (int j = 0; j < height; ++j)
    for (const char c : picture[static_cast<std::size_t>(height - 1 - j)]) wall.push_back(c == '#');
  const View2D<const std::uint8_t> view{wall.data(), width, height, width};
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      boundary_links.push_back(static_cast<std::uint8_t>(boundary_links_of(sides, view, i, j)));
  return boundary_links;
}
Bodies bodies_of(const Picture& picture, const Parameters& parameters) {
  const StepParams sides =
      step_params_of(parameters, static_cast<int>(picture.front().size()), static_cast<int>(picture.size()));
  return lbm_bodies_of(marks_of(picture, sides), sides, stream_of(parameters));
}
Parameters channel() {
  Parameters p;
  p.boundary_left = Boundary::inlet;
  p.boundary_right = Boundary::outlet;
  p.boundary_bottom = p.boundary_top = Boundary::wall;
  return p;
}

TEST(LbmBodies, WallsThatTouchAtACornerAreOne) {
  const Bodies found = bodies_of({"............",  //
                                  ".##.........",  //
                                  "...##....##.",  //
                                  "...##...###.",  //
                                  "............"},
                                 channel());
  ASSERT_EQ(found.reported.size(), 2u);
  EXPECT_EQ(found.all, 2);
  EXPECT_EQ(found.reported[0].cells, 6);
  EXPECT_EQ(found.reported[1].cells, 5);
  EXPECT_EQ(found.reported[0].columns, 4);
  EXPECT_EQ(found.reported[0].rows, 3);
  EXPECT_DOUBLE_EQ(found.reported[0].x, (1.5 + 2.5 + 2 * (3.5 + 4.5)) / 6);
  EXPECT_TRUE(found.reported[0].free);
}

TEST(LbmBodies, AcrossAPeriodicSideWallsAreOneAndAsLongAsTheyAre) {
  const Picture picture = {"#.........##",  //
                           "............",  //
                           "............",  //
                           "............",  //
                           "##.........#"};
  const Bodies round = bodies_of(picture, Parameters{});
  ASSERT_EQ(round.reported.size(), 1u);
  EXPECT_EQ(round.reported[0].columns, 4);
  EXPECT_EQ(round.reported[0].rows, 2);
  EXPECT_TRUE(round.reported[0].free);
  EXPECT_EQ(bodies_of(picture, channel()).reported.size(), 4u) << "a wall and an inlet keep them apart";
  EXPECT_FALSE(bodies_of(picture, channel()).reported[0].free);
}

TEST(LbmBodies, SidesOfAChannelAreNoBody) {
  const Bodies found = bodies_of({"########",  //
                                  "........",  //
                                  "...##...",  //
                                  "........",  //
                                  "########"},
                                 channel());
  ASSERT_EQ(found.reported.size(), 1u);
  EXPECT_TRUE(found.sides);
  EXPECT_EQ(found.reported[0].cells, 2);
}

// Whether a drawn shape is classified as a disc.
template <class Contains>
bool is_disc(const Contains& contains, int size = 96) {
  Picture picture(static_cast<std::size_t>(size), std::string(static_cast<std::size_t>(size), '.'));
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i)
      if (contains(i + 0.5 - 0.5 * size - 0.3, j + 0.5 - 0.5 * size + 0.2))
        picture[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = '#';
  const Bodies found = bodies_of(picture, channel());
  return found.reported.size() == 1 && found.reported[0].disc;
}

TEST(LbmBodies, OnlyARoundOutlineIsADisc) {
  for (const double r : {4.4, 5., 7.3, 10., 20., 33.7})
    EXPECT_TRUE(is_disc([r](double x, double y) { return std::hypot(x, y) <= r; })) << r;
  for (const double r : {10., 20., 33.7}) {
    SCOPED_TRACE(r);
    const auto polygon = [r](double x, double y, int corners) {
      const double sector = 2 * std::acos(-1) / corners, angle = std::remainder(std::atan2(y, x), sector);
      return std::hypot(x, y) * std::cos(angle) <= r;
    };
    EXPECT_FALSE(is_disc([&](double x, double y) { return polygon(x, y, 4); }));
    EXPECT_FALSE(is_disc([&](double x, double y) { return polygon(x, y, 6); }));
    EXPECT_FALSE(is_disc([&](double x, double y) { return std::hypot(x, y / 0.85) <= r; })) << "an ellipse";
    EXPECT_FALSE(is_disc([&](double x, double y) { return std::hypot(x, y) <= r && std::hypot(x, y) > r - 3; }))
        << "a ring";
    EXPECT_FALSE(is_disc([&](double x, double y) { return std::hypot(x, y) <= r && (x < 0 || y < 0); }))
        << "three quarters";
  }
  // The width, height and area of a regular octagon are within 6 % of those of a circle.
  EXPECT_FALSE(is_disc([](double x, double y) {
    return std::abs(x) <= 33 && std::abs(y) <= 33 && std::abs(x) + std::abs(y) <= 33 * std::sqrt(2.);
  }));
}

class LbmBodyNumbers : public OnEachBackend {
 protected:
  std::unique_ptr<Simulation> make(int width, int height, std::map<std::string, double> parameters,
                                   std::vector<Action> actions) {
    return flow_of(backend(), width, height, std::move(parameters), std::move(actions));
  }
  std::unique_ptr<Simulation> scene(const std::string& name, const std::map<std::string, double>& parameters = {}) {
    perturb::Setup setup = load_scene(name).setup;
    for (const auto& [id, value] : parameters) setup.parameters[id] = value;
    return create(backend(), setup);
  }
};
PERTURB_ON_EACH_BACKEND(LbmBodyNumbers);

Action disc(double x, double y, double radius, bool erase = false) {
  return action("wall-disc", {{"x", x}, {"y", y}, {"radius", radius}, {"erase", erase ? 1. : 0.}});
}

// The force on the walls in columns [from, to), computed directly from the populations.
Force force_on(const State& s, int from, int to) {
  const auto w = static_cast<std::size_t>(s.width), h = static_cast<std::size_t>(s.height);
  const auto g = s.get<float>("populations_shifted", {9, h, w});
  const auto wall = s.get<std::uint8_t>("wall", {h, w});
  Force force;
  for (int j = 0; j < s.height; ++j)
    for (int i = 0; i < s.width; ++i)
      for (int q = 1; q < lbm_links; ++q) {
        const int a = i + lbm_ex(q), b = (j + lbm_ey(q) + s.height) % s.height;
        const std::size_t here = static_cast<std::size_t>(j) * w + static_cast<std::size_t>(i);
        if (a < from || a >= to || wall[here] || !wall[static_cast<std::size_t>(b) * w + static_cast<std::size_t>(a)])
          continue;
        const double twice = 2. * static_cast<double>(g[static_cast<std::size_t>(q) * h * w + here]);
        force.x += lbm_ex(q) * twice;
        force.y += lbm_ey(q) * twice;
      }
  return force;
}

TEST_P(LbmBodyNumbers, ASecondBodyHasForcesOfItsOwn) {
  SKIP_UNDER_SANITIZERS("a long flow; smaller tests run the same kernels");
  const auto flow = scene("lbm/cylinder");
  flow->set_parameter("outlines", 0);
  flow->apply(disc(0.55, 0.4, 0.06));
  flow->step(900);  // until the stream has passed both
  const State now = flow->save();
  const Force first = force_on(now, 0, 280), second = force_on(now, 280, 767);
  ASSERT_GT(std::abs(second.x), 0.01 * std::abs(first.x));
  for (const int body : {1, 2}) {
    SCOPED_TRACE(body);
    flow->set_parameter("body", body);
    const Diagnostics d = flow->diagnostics({}, true);
    const Numbers n = numbers_of(d);
    const Force& expected = body == 1 ? first : second;
    const double length = body == 1 ? 41 : 31, pressure = 0.5 * 0.1 * 0.1 * length;
    EXPECT_NEAR(n.at("drag"), expected.x, 1e-9);
    EXPECT_NEAR(n.at("lift"), expected.y, 1e-9);
    EXPECT_NEAR(n.at("drag_coefficient"), expected.x / pressure, 0.03 * std::abs(expected.x) / pressure);
    EXPECT_NEAR(n.at("reynolds"), 0.1 * length / 0.016, 7);
    EXPECT_NEAR(n.at("force_x"), first.x + second.x, 1e-6) << "of all walls";
    EXPECT_EQ(n.count("strouhal_expected"), 0u);
    EXPECT_NE(remarks_of(d).find("There are 2 bodies"), std::string::npos);
    EXPECT_EQ(n.count(body == 1 ? "drag_coefficient_2" : "drag_coefficient_1"), 1u);
  }
  flow->set_parameter("body", 3);
  const Diagnostics none = flow->diagnostics({}, true);
  EXPECT_EQ(numbers_of(none).count("drag"), 0u);
  EXPECT_NE(remarks_of(none).find("There is no body 3"), std::string::npos);
}

TEST_P(LbmBodyNumbers, DragIsAlongTheStream) {
  // The same stream upwards: drag and lift are those of the stream to the right, rotated.
  const std::map<std::string, double> right = {{"boundary_left", inlet}, {"boundary_right", outlet}},
                                      up = {{"boundary_bottom", inlet}, {"boundary_top", outlet}};
  const auto a = make(96, 64, right, {disc(0.3, 0.4, 0.125)});
  const auto b = make(64, 96, up, {disc(0.6, 0.3, 0.125 * 64 / 96)});
  a->step(400);
  b->step(400);
  const Numbers m = numbers_of(a->diagnostics({}, true)), n = numbers_of(b->diagnostics({}, true));
  ASSERT_GT(m.at("drag"), 0);
  ASSERT_GT(std::abs(m.at("lift")), 1e-3 * m.at("drag"));
  for (const char* id : {"drag", "lift", "drag_coefficient", "reynolds"})
    EXPECT_NEAR(n.at(id), m.at(id), 1e-4 * std::abs(m.at("drag")) + 1e-6 * std::abs(m.at(id))) << id;
}

TEST_P(LbmBodyNumbers, StatesWhyNoExpectedValueExists) {
  const auto diagnostics_of = [&](const std::string& name, const std::map<std::string, double>& parameters = {}) {
    return scene(name, parameters)->diagnostics({}, true);
  };
  EXPECT_EQ(numbers_of(diagnostics_of("lbm/cylinder")).count("strouhal_expected"), 1u);
  // 256 rows and a diameter of 41: 1/(6.2 - 1) of the stream has to pass beside the cylinder.
  const std::string blocked = remarks_of(diagnostics_of("lbm/cylinder"));
  EXPECT_NE(blocked.find("6.2 diameters wide and up to 19 % faster"), std::string::npos) << blocked;
  const Diagnostics fast = diagnostics_of("lbm/cylinder", {{"viscosity", 0.003}}),
                    parabola = diagnostics_of("lbm/cylinder", {{"inlet_profile", 1}});
  EXPECT_EQ(numbers_of(fast).count("strouhal_expected"), 0u);
  EXPECT_NE(remarks_of(fast).find("50 to 1000"), std::string::npos) << remarks_of(fast);
  EXPECT_EQ(numbers_of(parabola).count("strouhal_expected"), 0u);
  EXPECT_NE(remarks_of(parabola).find("uniform"), std::string::npos);
  const auto narrow = make(256, 64, {{"boundary_left", inlet}, {"boundary_right", outlet}}, {disc(0.3, 0.5, 0.12)});
  EXPECT_NE(remarks_of(narrow->diagnostics({}, true)).find("diameters wide"), std::string::npos);
  for (const char* name : {"lbm/step", "lbm/airfoil"})
    for (const Scalar& s : diagnostics_of(name).scalars)
      EXPECT_EQ(s.label.english().find("cylinder"), std::string::npos) << s.label.english();
}

TEST_P(LbmBodyNumbers, TheViscosityFollowsTheReynoldsNumber) {
  const auto flow = scene("lbm/cylinder");
  const auto viscosity = [&] { return flow->parameters().get("viscosity"); };
  const auto reynolds = [&] { return numbers_of(flow->diagnostics({}, true)).at("reynolds"); };
  flow->set_parameter("reynolds", 150);
  EXPECT_NEAR(reynolds(), 150, 1e-9);
  EXPECT_NEAR(viscosity(), 0.1 * 41 / 150, 0.1 / 150);
  flow->set_parameter("inlet_speed", 0.05);
  EXPECT_NEAR(reynolds(), 150, 1e-9) << "a slower stream";
  flow->apply(disc(0.5, 0.5, 0.12));
  EXPECT_NEAR(reynolds(), 150, 1e-9) << "a larger body";
  EXPECT_NEAR(viscosity(), 0.05 * 61 / 150, 0.05 / 150);
  flow->set_parameter("body", 2);
  EXPECT_NEAR(reynolds(), 150, 1e-9);
  EXPECT_NEAR(viscosity(), 0.05 * 41 / 150, 0.05 / 150);
  // A run loaded from a saved state has exactly the same viscosity, regardless of its initial walls.
  std::map<std::string, double> values;
  for (const Parameter& p : flow->info().parameters) values[p.id] = flow->parameters().get(p.id);
  const auto other = scene("lbm/cylinder", values);
  other->load(flow->save());
  EXPECT_EQ(other->parameters().get("viscosity"), viscosity());

  const double before = viscosity();
  EXPECT_THROW(flow->set_parameter("reynolds", 0.01), InputError);
  EXPECT_EQ(viscosity(), before);
  EXPECT_EQ(flow->parameters().get("reynolds"), 150);
  flow->set_parameter("viscosity", 0.02);
  EXPECT_EQ(flow->parameters().get("reynolds"), 0);
  flow->set_parameter("inlet_speed", 0.1);
  EXPECT_EQ(viscosity(), 0.02);

  // A cavity's Reynolds number is that of its lid; without a prescribed speed there is none.
  EXPECT_NEAR(scene("lbm/cavity", {{"reynolds", 400}})->parameters().get("viscosity"), 0.1 * 256 / 400, 1e-12);
  EXPECT_THROW(scene("lbm/channel")->set_parameter("reynolds", 100), InputError);
}

// Bottom and top repeat: the same flow, shifted by half the height.
TEST_P(LbmBodyNumbers, AreThoseOfTheSameBodyRoundASide) {
  const auto flow_with = [&](double y) {
    auto flow = flow_of(backend(), 128, 64,
                        {{"viscosity", 0.015}, {"boundary_left", inlet}, {"boundary_right", outlet}, {"outlines", 1}},
                        {action("stream", {{"vx", 0.1}}), disc(0.3, y, 0.1)});
    flow->step(300);
    return flow;
  };
  const auto in_the_middle = flow_with(0.52), round_the_side = flow_with(0.02);
  const auto expect_same_numbers = [&] {
    const Numbers a = numbers_of(in_the_middle->diagnostics({}, true)),
                  b = numbers_of(round_the_side->diagnostics({}, true));
    for (const char* name : {"reynolds", "drag", "lift", "drag_coefficient"}) {
      ASSERT_TRUE(has_value(a.at(name))) << name;
      EXPECT_NEAR(a.at(name), b.at(name), 1e-9 * std::abs(a.at(name))) << name;
    }
  };
  expect_same_numbers();
  EXPECT_NEAR(numbers_of(round_the_side->diagnostics({}, true)).at("reynolds"), 0.1 * 13 / 0.015, 1e-6);
  // Dragged by the tool, and as an object.
  for (const auto& [flow, y] : {std::pair{in_the_middle.get(), 0.52}, {round_the_side.get(), 0.02}}) {
    flow->apply(action("move-body", {{"x0", 0.3}, {"y0", y}, {"x1", 0.3}, {"y1", y - 3. / 64}}));
    flow->step(20);
    flow->apply(action("change-wall-disc", {{"object", 1}, {"x", 0.31}}));
    flow->step(20);
  }
  expect_same_numbers();
}

TEST_P(LbmBodyNumbers, SearchesBodiesOnlyForDiagnostics) {
  const auto flow = scene("lbm/cylinder");
  flow->step(1);  // finds the cells next to curved outlines
  const std::size_t before = backend().memory_in_use();
  flow->step(10);
  EXPECT_EQ(backend().memory_in_use(), before);
}

}  // namespace
}  // namespace perturb::lbm
