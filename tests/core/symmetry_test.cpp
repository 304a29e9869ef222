// Symmetries of the equations are kept by the simulations: a shift round sides that repeat, bit for bit, and
// a mirror image, a quarter turn and a reversed stream, within rounding. Every kind of action of the table is tried.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/object.h"
#include "tests/support/backends.h"
#include "tests/support/reach.h"
#include "tests/support/scalars.h"
#include "tests/support/setup_of.h"

namespace perturb {
namespace {

using Numbers = std::map<std::string, double>;

// A motion of the plane, in fractions of the domain.
struct Motion {
  enum class Kind { shift, mirror_x, mirror_y, turn };
  Kind kind;
  double shift_x = 0, shift_y = 0;

  bool mirrors() const { return kind == Kind::mirror_x || kind == Kind::mirror_y; }
  std::pair<double, double> point(double x, double y) const {
    switch (kind) {
      case Kind::shift:
        return {x + shift_x, y + shift_y};
      case Kind::mirror_x:
        return {1 - x, y};
      case Kind::mirror_y:
        return {x, 1 - y};
      case Kind::turn:
        return {1 - y, x};
    }
    return {x, y};
  }
  std::pair<double, double> vector(double x, double y) const {
    switch (kind) {
      case Kind::shift:
        return {x, y};
      case Kind::mirror_x:
        return {-x, y};
      case Kind::mirror_y:
        return {x, -y};
      case Kind::turn:
        return {-y, x};
    }
    return {x, y};
  }
  // The cell of the moved grid where cell (i, j) is.
  std::pair<int, int> cell(int i, int j, int width, int height) const {
    switch (kind) {
      case Kind::shift:
        return {(i + static_cast<int>(std::lround(shift_x * width))) % width,
                (j + static_cast<int>(std::lround(shift_y * height))) % height};
      case Kind::mirror_x:
        return {width - 1 - i, j};
      case Kind::mirror_y:
        return {i, height - 1 - j};
      case Kind::turn:
        return {height - 1 - j, i};
    }
    return {i, j};
  }
};

// Kinds whose numbers have no moved version, each with the reason.
bool has_moved_version(const std::string& simulation, const std::string& kind, const Motion& motion) {
  const std::set<std::string> without_place = {"mode", "taylor-green", "shear-layer"};  // they belong to the domain
  const std::set<std::string> upright = {"slits", "change-slits", "screen"};            // always along y
  const std::set<std::string> random = {"wall-grains"};
  if (motion.kind == Motion::Kind::shift) return !without_place.contains(kind);
  if (random.contains(kind) || kind == "shear-layer") return false;
  // The nose of a wing is on the left.
  if (motion.kind == Motion::Kind::mirror_x && kind.find("airfoil") != std::string::npos) return false;
  if (motion.kind == Motion::Kind::turn) return !upright.contains(kind);
  // A mirrored mode may have the opposite sign.
  return kind != "mode" || simulation != "wave";
}

GreyImage picture(int width, int height) {
  GreyImage image{width, height, {}};
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      image.values.push_back(i > width / 5 && i < width / 3 && j > height / 3 && j < height / 2 ? 0.1f : 0.9f);
  return image;
}
GreyImage moved(const GreyImage& image, const Motion& motion) {
  GreyImage to = image;
  if (motion.kind == Motion::Kind::turn) std::swap(to.width, to.height);
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i) {
      const auto [a, b] = motion.cell(i, j, image.width, image.height);
      to.values[static_cast<std::size_t>(b * to.width + a)] =
          image.values[static_cast<std::size_t>(j * image.width + i)];
    }
  return to;
}

// Values that are not on the boundary of two cells, so that a mirrored shape has the mirrored cells.
Action usual_action(const ActionKind& kind, int width, int height) {
  const Numbers given = {{"x", 0.503},
                         {"y", 0.452},
                         {"x0", 0.503},
                         {"y0", 0.452},
                         {"x1", 0.641},
                         {"y1", 0.597},
                         {"vx", 0.031},
                         {"vy", -0.023},
                         {"radius_x", 0.117},
                         {"radius_y", 0.083},
                         {"angle", 17},
                         {"surface_speed", 0.04},
                         {"camber", 0},
                         {"nudge", 0},
                         {"object", 1},
                         {"half_width", 0.117},
                         {"half_height", 0.083},
                         {"distance", 13},
                         {"width", 5},
                         {"rows", 6},
                         {"m", 1},
                         {"n", 1},
                         {"number", 2},
                         {"k", 5},
                         {"z", 0.31},
                         {"tx", 0.3},
                         {"ty", -0.2},
                         {"tz", 0.9},
                         {"fx", 1.1},
                         {"fy", 0.4},
                         {"fz", -0.7},
                         {"fiber", 1}};
  Action action;
  action.kind = kind.id;
  for (const ValueInfo& field : kind.fields) {
    const auto value = given.find(field.id);
    double number = value != given.end() ? value->second : field.initial;
    if (field.unit == "length" || field.unit == "cell") number = std::min(number, 6.3);
    action.numbers[field.id] = number;
  }
  if (kind.takes_image) action.image = std::make_shared<const GreyImage>(picture(width, height));
  return action;
}

Action moved(Action action, const ActionKind& kind, const Motion& motion) {
  Numbers& n = action.numbers;
  const auto has = [&](const char* id) { return n.contains(id); };
  const bool is_box = action.kind == "stream" || action.kind.find("rectangle") != std::string::npos ||
                      action.kind.find("region") != std::string::npos || action.kind == "wall-grains";
  double whole_x = 0, whole_y = 0;
  for (const auto& [x, y] : {std::pair{"x", "y"}, {"x0", "y0"}, {"x1", "y1"}}) {
    if (!has(x)) continue;
    const auto [to_x, to_y] = motion.point(n[x], has(y) ? n[y] : 0.5);
    n[x] = to_x;
    if (has(y)) n[y] = to_y;
    if (motion.kind != Motion::Kind::shift) continue;
    if (std::string_view(x) != "x1") {
      whole_x = std::floor(to_x);
      whole_y = std::floor(to_y);
    }
    n[x] -= whole_x;
    if (has(y)) n[y] -= whole_y;
    // Some numbers must be within the domain.
    const auto field = [&](const char* id) {
      return std::find_if(kind.fields.begin(), kind.fields.end(), [&](const ValueInfo& f) { return f.id == id; });
    };
    if (n[x] > field(x)->maximum) n[x] -= 1;
    if (has(y) && n[y] > field(y)->maximum) n[y] -= 1;
  }
  if (is_box && has("x0") && motion.kind != Motion::Kind::shift) {
    if (n["x0"] > n["x1"]) std::swap(n["x0"], n["x1"]);
    if (n["y0"] > n["y1"]) std::swap(n["y0"], n["y1"]);
  }
  if (has("vx")) std::tie(n["vx"], n["vy"]) = motion.vector(n["vx"], n["vy"]);
  if (motion.mirrors())
    for (const char* id : {"angle", "surface_speed"})
      if (has(id)) n[id] = -n[id];
  if (motion.kind == Motion::Kind::turn) {
    // The corners of a rectangle are turned already.
    if (has("angle") && !is_box) n["angle"] += action.kind.find("airfoil") != std::string::npos ? -90 : 90;
    if (has("radius_x")) std::swap(n["radius_x"], n["radius_y"]);
  }
  if (action.kind == "taylor-green" && motion.mirrors()) n["speed"] = -n["speed"];
  if (action.image) action.image = std::make_shared<const GreyImage>(moved(*action.image, motion));
  return action;
}

Numbers moved_sides(const Numbers& parameters, const Motion& motion) {
  Numbers to = parameters;
  const auto move = [&](const char* from, const char* side) {
    if (const auto found = parameters.find(from); found != parameters.end()) to[side] = found->second;
  };
  const char *left = "boundary_left", *right = "boundary_right", *low = "boundary_bottom", *high = "boundary_top";
  if (motion.kind == Motion::Kind::mirror_x) {
    move(left, right);
    move(right, left);
  }
  if (motion.kind == Motion::Kind::mirror_y) {
    move(low, high);
    move(high, low);
  }
  if (motion.kind == Motion::Kind::turn) {
    move(left, low);
    move(low, right);
    move(right, high);
    move(high, left);
  }
  if (parameters.contains("force_x") || parameters.contains("force_y")) {
    const auto force = [&](const char* id) { return parameters.contains(id) ? parameters.at(id) : 0.0; };
    std::tie(to["force_x"], to["force_y"]) = motion.vector(force("force_x"), force("force_y"));
  }
  return to;
}

// A run of one kind of action among others.
struct SymmetryCase {
  std::string simulation;
  int width, height;
  Numbers parameters;
  std::vector<Action> before;  // makes the water move, and things that can be changed
  int steps;
};

const ActionKind& kind_of(const SimulationInfo& info, const std::string& id) { return *find_kind(info.actions, id); }

std::unique_ptr<Simulation> run_of(Backend& backend, const SymmetryCase& c, const std::vector<Action>& actions) {
  const SimulationInfo& info = find_simulation(c.simulation);
  perturb::Setup setup = setup_of(c.simulation, c.width, c.height, c.parameters);
  auto run = info.create(backend, setup);
  for (const Action& action : actions) run->apply(action);
  run->step(c.steps);
  return run;
}

// The actions of a case: those before, what is changed, and the one that is tried.
std::vector<Action> actions_of(const SymmetryCase& c, const ActionKind& kind) {
  const SimulationInfo& info = find_simulation(c.simulation);
  std::vector<Action> all;
  const std::string change = "change-";
  if (kind.id.starts_with(change)) {
    Action made = usual_action(kind_of(info, kind.id.substr(change.size())), c.width, c.height);
    for (auto& [id, value] : made.numbers)
      if (id[0] == 'x' || id[0] == 'y') value -= 0.117;
    all.push_back(made);
  }
  if (kind.id == "move-body" || kind.id == remove_object_kind)
    all.push_back(usual_action(kind_of(info, c.simulation == "lbm" ? "wall-disc" : "oscillator"), c.width, c.height));
  if (kind.id == "remove-source") all.push_back(usual_action(kind_of(info, "oscillator"), c.width, c.height));
  all.insert(all.end(), c.before.begin(), c.before.end());
  all.push_back(usual_action(kind, c.width, c.height));
  return all;
}

// Compares the fields on the grid of one state with those of a state of the moved run. Exactly, if `bound` is 0;
// otherwise relative to the largest value of a field.
void expect_moved(const State& a, const State& b, const Motion& motion, double bound) {
  const auto width = static_cast<std::size_t>(a.width), height = static_cast<std::size_t>(a.height);
  int compared = 0;
  for (const auto& [name, data] : a.datasets) {
    const auto& shape = data.shape;
    const bool is_field = shape.size() >= 2 && shape[0] == height && shape[1] == width;
    if (!is_field) continue;
    const auto found = b.datasets.find(name);
    ASSERT_TRUE(found != b.datasets.end()) << name;
    const std::size_t parts = shape.size() > 2 ? shape[2] : 1;
    const bool is_vector = parts == 2;
    const auto values_of = [&](const Dataset& d) {
      std::vector<double> values(d.count());
      for (std::size_t k = 0; k < values.size(); ++k)
        if (d.type == ElementType::uint8) {
          values[k] = static_cast<double>(d.bytes[k]);
        } else if (d.type == ElementType::float32) {
          float value;
          std::memcpy(&value, d.bytes.data() + k * sizeof value, sizeof value);
          values[k] = static_cast<double>(value);
        } else {
          std::memcpy(&values[k], d.bytes.data() + k * sizeof(double), sizeof(double));
        }
      return values;
    };
    const std::vector<double> from = values_of(data), to = values_of(found->second);
    double largest = 0;
    for (const double value : from) largest = std::max(largest, std::abs(value));
    ++compared;
    for (std::size_t j = 0; j < height; ++j)
      for (std::size_t i = 0; i < width; ++i) {
        const auto [p, q] = motion.cell(static_cast<int>(i), static_cast<int>(j), a.width, a.height);
        const std::size_t here = (j * width + i) * parts,
                          there = (static_cast<std::size_t>(q) * static_cast<std::size_t>(b.width) +
                                   static_cast<std::size_t>(p)) *
                                  parts;
        std::pair<double, double> expected{from[here], is_vector ? from[here + 1] : 0};
        if (is_vector) expected = motion.vector(expected.first, expected.second);
        ASSERT_NEAR(to[there], expected.first, bound * largest) << name << " of cell " << i << ", " << j;
        if (!is_vector) continue;
        ASSERT_NEAR(to[there + 1], expected.second, bound * largest) << name << " of cell " << i << ", " << j;
      }
  }
  EXPECT_GT(compared, 0);
}

class Symmetry : public OnEachBackend {
 protected:
  // Every kind of action of this case, and the moved one.
  void expect_same(const SymmetryCase& usual, const Motion& motion, double bound) {
    const SimulationInfo& info = find_simulation(usual.simulation);
    for (const ActionKind& kind : info.actions) {
      if (!has_moved_version(usual.simulation, kind.id, motion)) continue;
      SCOPED_TRACE(usual.simulation + " " + kind.id);
      SymmetryCase c = usual;
      // An image has no place from which the numbers of a disturbance are counted.
      if (kind.takes_image && c.parameters.contains("disturbance")) c.parameters["disturbance"] = 0;
      expect_same_kind(c, kind, motion, bound);
      if (HasFatalFailure()) return;
    }
  }
  int tried_ = 0;

 private:
  void expect_same_kind(const SymmetryCase& c, const ActionKind& kind, const Motion& motion, double bound) {
    const SimulationInfo& info = find_simulation(c.simulation);
    SymmetryCase moved_case = c;
    moved_case.parameters = moved_sides(c.parameters, motion);
    if (motion.kind == Motion::Kind::turn) std::swap(moved_case.width, moved_case.height);
    const std::vector<Action> actions = actions_of(c, kind);
    std::vector<Action> others;
    for (const Action& action : actions) others.push_back(moved(action, kind_of(info, action.kind), motion));
    std::unique_ptr<Simulation> a, b;
    try {
      a = run_of(backend(), c, actions);
    } catch (const InputError& error) {
      EXPECT_THROW(run_of(backend(), moved_case, others), InputError) << error.what();
      return;
    }
    ASSERT_NO_THROW(b = run_of(backend(), moved_case, others));
    ++tried_;
    expect_moved(a->save(), b->save(), motion, bound);
  }
};
PERTURB_ON_EACH_BACKEND(Symmetry);

Action droplet() { return {"droplet", {{"x", 0.303}, {"y", 0.377}, {"amplitude", 0.3}}, "", nullptr}; }
std::vector<Action> stirred(double vx) {
  return {{"stream", {{"vx", vx}, {"vy", 0}}, "", nullptr},
          {"push",
           {{"x0", 0.203}, {"y0", 0.277}, {"x1", 0.303}, {"y1", 0.357}, {"vx", 0.04}, {"vy", 0.03}, {"radius", 5}},
           "",
           nullptr},
          {"dye", {{"x0", 0.203}, {"y0", 0.377}, {"x1", 0.503}, {"y1", 0.457}, {"radius", 4}}, "", nullptr}};
}

constexpr double periodic = 3, absorbing = 2;      // sides of the tank
constexpr double wall = 1, inlet = 3, outlet = 4;  // sides of the flow
SymmetryCase tank(Numbers sides, double precision = 0) {
  for (const char* side : {"boundary_right", "boundary_top"}) sides.try_emplace(side, absorbing);
  sides["precision"] = precision;
  sides["time_step"] = 0.4;
  return {"wave", 60, 40, sides, {droplet()}, reach(60, 12)};
}
SymmetryCase flow(Numbers sides, bool disturbed = false) {
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    sides.try_emplace(side, 0);  // periodic
  sides["outlines"] = 1;
  sides["disturbance"] = disturbed ? 1 : 0;
  return {"lbm", 60, 40, sides, stirred(0.05), reach(60, 12)};
}
// Shifts by whole cells that put actions across one side, and across a corner.
std::vector<Motion> shifts(bool along_x, bool along_y) {
  std::vector<Motion> all;
  for (const auto& [i, j] : {std::pair{29, 21}, {33, 0}, {0, 19}})
    if ((along_x || i == 0) && (along_y || j == 0)) all.push_back({Motion::Kind::shift, i / 60., j / 40.});
  return all;
}

TEST_P(Symmetry, ShiftsRoundSidesThatRepeatAreEqualToTheBit) {
  const Numbers round_tank = {{"boundary_left", periodic}, {"boundary_bottom", periodic}};
  for (const Motion& shift : shifts(true, true)) {
    expect_same(tank(round_tank), shift, 0);
    // The disturbance too, which is counted from the body.
    expect_same(flow({}, true), shift, 0);
    if (has_small_reach()) break;
  }
  for (const Motion& shift : shifts(false, true)) {
    expect_same(tank({{"boundary_left", absorbing}, {"boundary_right", absorbing}, {"boundary_bottom", periodic}}, 1),
                shift, 0);
    expect_same(flow({{"boundary_left", inlet}, {"boundary_right", outlet}, {"inlet_speed", 0.05}}, true), shift, 0);
  }
  EXPECT_GT(tried_, 0);
}

// Rounding of 12 to 60 steps, of which each adds one part in 10^7. Curved walls amplify it near thin bodies.
constexpr double bound = 1e-4;

TEST_P(Symmetry, MirrorImagesAreEqual) {
  for (const auto kind : {Motion::Kind::mirror_x, Motion::Kind::mirror_y}) {
    const Motion mirror{kind};
    expect_same(tank({{"boundary_left", absorbing}, {"boundary_bottom", periodic}}), mirror, bound);
    expect_same(flow({{"boundary_bottom", wall}, {"boundary_top", wall}, {"force_x", 1e-5}}), mirror, bound);
  }
  EXPECT_GT(tried_, 0);
}

// A mode has no place. Its image has the opposite sign if it is odd about the middle: with sides of one kind, an even
// number of half waves between fixed sides and an odd one between free sides; with two kinds, never.
TEST_P(Symmetry, ImagesOfStandingModesAreEqualUpToTheirSign) {
  constexpr double fixed = 0, free_side = 1;
  const Motion mirrors[] = {{Motion::Kind::mirror_x}, {Motion::Kind::mirror_y}, {Motion::Kind::turn}};
  struct Sides {
    double left, right, bottom, top;
    int m, n;
    double sign_x, sign_y;
  };
  for (const Sides& s :
       {Sides{fixed, fixed, free_side, free_side, 2, 1, -1, -1}, Sides{fixed, fixed, free_side, free_side, 3, 2, 1, 1},
        Sides{fixed, free_side, free_side, fixed, 2, 3, 1, 1}})
    for (const Motion& motion : mirrors) {
      SCOPED_TRACE(testing::Message() << "mode " << s.m << ", " << s.n << ", motion " << static_cast<int>(motion.kind));
      SymmetryCase c = tank({{"boundary_left", s.left},
                             {"boundary_right", s.right},
                             {"boundary_bottom", s.bottom},
                             {"boundary_top", s.top}});
      SymmetryCase other = c;
      other.parameters = moved_sides(c.parameters, motion);
      double sign = motion.kind == Motion::Kind::mirror_x ? s.sign_x : s.sign_y;
      int m = s.m, n = s.n;
      if (motion.kind == Motion::Kind::turn) {
        std::swap(other.width, other.height);
        std::swap(m, n);  // what was up is across, from right to left
      }
      const auto mode = [](int across, int up, double amplitude) {
        return Action{"mode",
                      {{"m", static_cast<double>(across)}, {"n", static_cast<double>(up)}, {"amplitude", amplitude}},
                      "",
                      nullptr};
      };
      const ActionKind& kind = kind_of(find_simulation("wave"), "droplet");
      const auto a = run_of(backend(), c, {droplet(), mode(s.m, s.n, 0.5)});
      const auto b = run_of(backend(), other, {moved(droplet(), kind, motion), mode(m, n, 0.5 * sign)});
      expect_moved(a->save(), b->save(), motion, bound);
    }
}

TEST_P(Symmetry, QuarterTurnsAreEqual) {
  const Motion turn{Motion::Kind::turn};
  SymmetryCase square = tank({{"boundary_left", absorbing}, {"boundary_bottom", periodic}});
  square.width = square.height;
  expect_same(square, turn, bound);
  SymmetryCase channel = flow({{"boundary_bottom", wall}, {"boundary_top", wall}, {"force_x", 1e-5}});
  channel.width = channel.height;
  expect_same(channel, turn, bound);
  EXPECT_GT(tried_, 0);
}

TEST_P(Symmetry, AReversedStreamIsTheMirrorImage) {
  expect_same(flow({{"boundary_left", inlet}, {"boundary_right", outlet}, {"inlet_speed", 0.05}}),
              {Motion::Kind::mirror_x}, bound);
  EXPECT_GT(tried_, 0);
}

// ---- membrane: its height at points, since the cover has no cells of a grid

class SymmetryOfMembranes : public Symmetry {
 protected:
  static double height(Simulation& membrane, double x, double y) {
    ViewSettings view;
    view.quantity = "displacement";
    return membrane.number_at(x, y, view).value_or(std::nan(""));
  }
};
PERTURB_ON_EACH_BACKEND(SymmetryOfMembranes);

TEST_P(SymmetryOfMembranes, MirrorImagesAndQuarterTurnsAreEqual) {
  for (const auto motion_kind : {Motion::Kind::mirror_x, Motion::Kind::mirror_y, Motion::Kind::turn})
    for (const double in_time : {0, 1}) {
      if (has_small_reach() && (motion_kind == Motion::Kind::mirror_y) != (in_time != 0)) continue;
      const Motion motion{motion_kind};
      const Numbers parameters = {{"level", 2},         {"degree", 2},         {"tolerance", 1e-10},
                                  {"motion", in_time},  {"time_step", 0.01},   {"frequency", 4},
                                  {"boundary_left", 1}, {"boundary_right", 0}, {"boundary_bottom", 0},
                                  {"boundary_top", 0},  {"source_x", 0.31},    {"source_y", 0.42}};
      const SymmetryCase c{"membrane", 0, 0, parameters, {}, in_time != 0 ? 5 : 1};
      SymmetryCase other = c;
      other.parameters = moved_sides(parameters, motion);
      std::tie(other.parameters["source_x"], other.parameters["source_y"]) = motion.point(0.31, 0.42);
      const SimulationInfo& info = find_simulation("membrane");
      for (const ActionKind& kind : info.actions) {
        SCOPED_TRACE(kind.id);
        std::vector<Action> actions = {usual_action(kind, 0, 0)}, others;
        if (kind.id == "merge") actions.insert(actions.begin(), usual_action(kind_of(info, "split"), 0, 0));
        for (const Action& action : actions) others.push_back(moved(action, kind_of(info, action.kind), motion));
        std::unique_ptr<Simulation> a, b;
        try {
          a = run_of(backend(), c, actions);
        } catch (const InputError& error) {
          EXPECT_THROW(run_of(backend(), other, others), InputError) << error.what();
          continue;
        }
        ASSERT_NO_THROW(b = run_of(backend(), other, others));
        ++tried_;
        double largest = 0, difference = 0;
        for (double y = 0.07; y < 1; y += 0.19)
          for (double x = 0.05; x < 1; x += 0.17) {
            const auto [to_x, to_y] = motion.point(x, y);
            const double here = height(*a, x, y);
            largest = std::max(largest, std::abs(here));
            difference = std::max(difference, std::abs(here - height(*b, to_x, to_y)));
          }
        // The solver stops at a residual of 1e-10.
        EXPECT_LE(difference, 1e-6 * largest);
      }
    }
  EXPECT_GT(tried_, 0);
}

// ---- discs and fibers: lists, whose saved state is moved

// The numbers of a list of points or vectors.
std::vector<double> numbers_of(const State& state, const std::string& name) {
  const Dataset& data = state.datasets.at(name);
  if (data.type == ElementType::float64) return state.get<double>(name, data.shape);
  const std::vector<float> values = state.get<float>(name, data.shape);
  return {values.begin(), values.end()};
}
void put_numbers(State& state, const std::string& name, const std::vector<double>& numbers) {
  const Dataset data = state.datasets.at(name);
  if (data.type == ElementType::float64)
    state.put<double>(name, data.shape, data.unit, numbers);
  else
    state.put<float>(name, data.shape, data.unit, std::vector<float>(numbers.begin(), numbers.end()));
}

class SymmetryOfLists : public Symmetry {
 protected:
  using MoveState = std::function<void(State&)>;
  using MoveAction = std::function<Action(const Action&, const ActionKind&)>;

  // Runs each of these kinds, and the moved action on the moved state; compares the lists after moving one of them.
  void expect_same_lists(const SymmetryCase& c, const std::vector<std::string>& kinds,
                         const std::vector<std::string>& lists, const MoveState& move_state,
                         const MoveAction& move_action, double tolerance) {
    const SimulationInfo& info = find_simulation(c.simulation);
    for (const std::string& id : kinds) {
      SCOPED_TRACE(c.simulation + " " + id);
      const ActionKind& kind = kind_of(info, id);
      const auto a = run_of(backend(), {c.simulation, c.width, c.height, c.parameters, {}, 0}, {});
      const auto b = run_of(backend(), {c.simulation, c.width, c.height, c.parameters, {}, 0}, {});
      State start = a->save();
      move_state(start);
      b->load(start);
      const Action action = usual_action(kind, c.width, c.height);
      a->apply(action);
      b->apply(move_action(action, kind));
      a->step(c.steps);
      b->step(c.steps);
      ++tried_;
      State expected = a->save();
      const State got = b->save();
      move_state(expected);
      for (const std::string& list : lists) {
        const std::vector<double> x = numbers_of(expected, list), y = numbers_of(got, list);
        ASSERT_EQ(x.size(), y.size()) << list;
        for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], y[k], tolerance) << list << ", number " << k;
      }
    }
  }
};
PERTURB_ON_EACH_BACKEND(SymmetryOfLists);

TEST_P(SymmetryOfLists, MirrorImagesAndQuarterTurnsOfDiscsAreEqual) {
  constexpr double box = 60;
  const SymmetryCase gas{"particles", 0, 0, {{"count", 40}, {"box", box}, {"radius", 1.3}, {"velocity_max", 0.5}},
                         {},          10};
  for (const auto motion_kind : {Motion::Kind::mirror_x, Motion::Kind::mirror_y, Motion::Kind::turn}) {
    const Motion motion{motion_kind};
    const auto move_state = [&](State& state) {
      for (const char* list : {"position", "origin", "velocity"}) {
        std::vector<double> numbers = numbers_of(state, list);
        for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
          double &x = numbers[k], &y = numbers[k + 1];
          std::tie(x, y) = motion.vector(x, y);
          if (std::string_view(list) == "velocity") continue;
          const auto [zero_x, zero_y] = motion.point(0, 0);
          x += zero_x * box;
          y += zero_y * box;
        }
        put_numbers(state, list, numbers);
      }
    };
    // Discs that are added are at random positions. The piston is on the right.
    std::vector<std::string> kinds = {"kick", "grab", "throw", "reverse", "heat", "remove"};
    if (motion_kind == Motion::Kind::mirror_y) kinds.push_back("piston");
    // Rounding of positions, amplified by the few collisions of ten steps.
    expect_same_lists(
        gas, kinds, {"position", "velocity"}, move_state,
        [&](const Action& action, const ActionKind& kind) { return moved(action, kind, motion); }, 1e-3);
  }
  EXPECT_GT(tried_, 0);
}

TEST_P(SymmetryOfLists, MirrorImagesOfFibersAreEqual) {
  // Gravity is along z.
  const auto mirror = [](State& state) {
    for (const char* list : {"position", "tangent", "velocity", "spin", "position_previous", "tangent_previous",
                             "velocity_previous", "spin_previous", "force_coefficients"}) {
      if (!state.has(list)) continue;
      std::vector<double> numbers = numbers_of(state, list);
      for (std::size_t k = 0; k < numbers.size(); k += 3) numbers[k] = -numbers[k];
      put_numbers(state, list, numbers);
    }
  };
  const auto mirror_action = [](Action action, const ActionKind&) {
    for (const char* id : {"x", "tx", "fx"})
      if (const auto found = action.numbers.find(id); found != action.numbers.end()) found->second = -found->second;
    return action;
  };
  for (const double box : {0., 16.}) {
    const SymmetryCase cloud{"fibers", 6, 1, {{"box", box}, {"tolerance", 1e-10}}, {}, 4};
    // The fibers of a burst or a new cloud are at random positions. The solver stops at a residual of 1e-10.
    expect_same_lists(cloud, {"pull", "fiber", "turn", "choose", "let-go"}, {"position", "tangent"}, mirror,
                      mirror_action, 1e-6);
  }
  EXPECT_GT(tried_, 0);
}

// About z, along which they fall.
TEST_P(SymmetryOfLists, QuarterTurnsOfFibersAreEqual) {
  const auto turn_state = [](State& state) {
    for (const char* list : {"position", "tangent", "velocity", "spin", "position_previous", "tangent_previous",
                             "velocity_previous", "spin_previous", "force_coefficients"}) {
      if (!state.has(list)) continue;
      std::vector<double> numbers = numbers_of(state, list);
      for (std::size_t k = 0; k + 1 < numbers.size(); k += 3) {
        const double x = numbers[k];
        numbers[k] = -numbers[k + 1];
        numbers[k + 1] = x;
      }
      put_numbers(state, list, numbers);
    }
  };
  const auto turn_action = [](Action action, const ActionKind&) {
    for (const auto& [along_x, along_y] : {std::pair{"x", "y"}, {"tx", "ty"}, {"fx", "fy"}}) {
      if (!action.numbers.contains(along_x)) continue;
      const double x = action.numbers[along_x];
      action.numbers[along_x] = -action.numbers[along_y];
      action.numbers[along_y] = x;
    }
    return action;
  };
  for (const double box : {0., 16.}) {
    const SymmetryCase cloud{"fibers", 6, 1, {{"box", box}, {"tolerance", 1e-10}}, {}, 4};
    expect_same_lists(cloud, {"pull", "fiber", "turn", "choose", "let-go"}, {"position", "tangent"}, turn_state,
                      turn_action, 1e-6);
  }
  EXPECT_GT(tried_, 0);
}

TEST_P(SymmetryOfLists, FibersInAPeriodicBoxAreTheSameForAllItsCopies) {
  constexpr double box = 16;
  const SymmetryCase cloud{"fibers", 6, 1, {{"box", box}, {"tolerance", 1e-10}}, {}, 4};
  const auto into_the_box = [](State& state) {
    std::vector<double> numbers = numbers_of(state, "position");
    for (double& x : numbers) x -= box * std::round(x / box);
    put_numbers(state, "position", numbers);
  };
  const SimulationInfo& info = find_simulation("fibers");
  for (const char* id : {"pull", "fiber"}) {
    SCOPED_TRACE(id);
    const Action action = usual_action(kind_of(info, id), 6, 1);
    Action copy = action;
    copy.numbers["x"] += box;
    copy.numbers["z"] -= box;
    State a = run_of(backend(), cloud, {action})->save(), b = run_of(backend(), cloud, {copy})->save();
    into_the_box(a);
    into_the_box(b);
    for (const char* list : {"position", "tangent"}) {
      const std::vector<double> x = numbers_of(a, list), y = numbers_of(b, list);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], y[k], 1e-9) << list << ", number " << k;
    }
  }
}

// ---- numbers of a scene: the same in its mirror image, its quarter turn and shifted round sides that repeat, at any
// pace of reading, and after saving and loading

struct NumbersCase {
  SymmetryCase scene;
  std::vector<std::string> numbers;
  std::vector<Motion> motions;
  double tolerance;  // relative
};

class SymmetryOfNumbers : public Symmetry {
 protected:
  static std::vector<double> read(Simulation& run, const NumbersCase& c) {
    const Diagnostics d = run.diagnostics({}, true);
    std::vector<double> values;
    for (const std::string& id : c.numbers) values.push_back(scalar(d, id));
    return values;
  }
  void expect_near(Simulation& run, const NumbersCase& c, const std::vector<double>& expected, double tolerance,
                   double torque_sign = 1) {
    const std::vector<double> got = read(run, c);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(has_value(expected[k])) << c.numbers[k];
      const double value = c.numbers[k] == "torque" ? torque_sign * expected[k] : expected[k];
      EXPECT_NEAR(got[k], value, tolerance * std::abs(value)) << c.numbers[k];
    }
  }
  // The whole turns with a quarter turn: also the two orders of a mode.
  static Action moved_action(const Action& action, const SimulationInfo& info, const Motion& motion) {
    Action to = moved(action, kind_of(info, action.kind), motion);
    if (action.kind == "mode" && motion.kind == Motion::Kind::turn) std::swap(to.numbers["m"], to.numbers["n"]);
    return to;
  }

  void expect_invariant(const NumbersCase& c) {
    const SimulationInfo& info = find_simulation(c.scene.simulation);
    const int steps = c.scene.steps;
    const auto run = run_of(backend(), c.scene, c.scene.before);
    const std::vector<double> expected = read(*run, c);
    for (const Motion& motion : c.motions) {
      SCOPED_TRACE("motion " + std::to_string(static_cast<int>(motion.kind)));
      SymmetryCase other = c.scene;
      other.parameters = moved_sides(c.scene.parameters, motion);
      if (motion.kind == Motion::Kind::turn) std::swap(other.width, other.height);
      std::vector<Action> actions;
      for (const Action& action : c.scene.before) actions.push_back(moved_action(action, info, motion));
      expect_near(*run_of(backend(), other, actions), c, expected, c.tolerance, motion.mirrors() ? -1 : 1);
    }
    SymmetryCase start = c.scene;
    start.steps = 0;
    for (const int pace : {7, 100, 350}) {
      SCOPED_TRACE("read every " + std::to_string(pace) + " steps");
      const auto read_often = run_of(backend(), start, start.before);
      for (int step = 0; step < steps; step += pace) {
        read_often->step(std::min(pace, steps - step));
        read_often->diagnostics({}, true);
      }
      expect_near(*read_often, c, expected, 0);
      if (has_small_reach()) break;
    }
    SCOPED_TRACE("saved and loaded");
    start.steps = steps / 5;
    const State state = run_of(backend(), start, start.before)->save();
    const auto again = run_of(backend(), {start.simulation, start.width, start.height, start.parameters, {}, 0}, {});
    again->load(state);
    again->step(steps - steps / 5);
    expect_near(*again, c, expected, c.tolerance);
  }
};
PERTURB_ON_EACH_BACKEND(SymmetryOfNumbers);

constexpr Motion mirror_x{Motion::Kind::mirror_x}, mirror_y{Motion::Kind::mirror_y}, turn{Motion::Kind::turn};

// The fronts are whole cells.
TEST_P(SymmetryOfNumbers, OfTheWedgeBehindAFastSource) {
  Numbers sides = {{"time_step", 0.5}, {"damping", 0}, {"sponge_width", 16}, {"wave_speed", 0.3}};
  for (const char* side : {"boundary_left", "boundary_right", "boundary_bottom", "boundary_top"})
    sides[side] = absorbing;
  const Action source{
      "oscillator",
      {{"x", 0.12}, {"y", 0.48}, {"frequency", 0.01}, {"amplitude", 0.2}, {"radius", 4}, {"vx", 0.6}, {"vy", 0}},
      "",
      nullptr};
  expect_invariant(
      {{"wave", 240, 181, sides, {source}, 560}, {"wedge_angle", "wedge_angle_theory"}, {mirror_x, mirror_y}, 3e-3});
}

TEST_P(SymmetryOfNumbers, OfAStringInItsSecondMode) {
  const Numbers ends = {{"time_step", 0.5},    {"damping", 0},         {"boundary_left", 0},
                        {"boundary_right", 1}, {"boundary_bottom", 1}, {"boundary_top", 1}};
  const Action mode{"mode", {{"m", 2}, {"n", 0}, {"amplitude", 0.8}}, "", nullptr};
  expect_invariant({{"wave", 128, 8, ends, {mode}, 3000},
                    {"mode_frequency", "mode_frequency_theory", "max_height"},
                    {mirror_x, mirror_y, turn},
                    1e-3});
}

TEST_P(SymmetryOfNumbers, OfAStepWhoseFlowReattaches) {
  const Action step{"wall-rectangle", {{"x0", -0.1}, {"y0", -0.1}, {"x1", 0.2}, {"y1", 0.5}}, "", nullptr};
  const Action stream{"stream", {{"vx", 0.08}, {"vy", 0}}, "", nullptr};
  expect_invariant({{"lbm",
                     96,
                     24,
                     {{"viscosity", 0.03},
                      {"inlet_speed", 0.15},
                      {"boundary_left", inlet},
                      {"boundary_right", outlet},
                      {"boundary_bottom", wall},
                      {"boundary_top", wall}},
                     {step, stream},
                     1800},
                    {"reattachment", "reattachment_expected"},
                    {mirror_y},
                    3e-3});
}

TEST_P(SymmetryOfNumbers, OfACylinderThatTurns) {
  const Action cylinder{"wall-disc", {{"x", 0.5}, {"y", 0.5}, {"radius", 0.2}, {"surface_speed", 0.03}}, "", nullptr};
  expect_invariant({{"lbm", 48, 48, {{"viscosity", 0.05}, {"outlines", 1}}, {cylinder}, 300},
                    {"torque", "reynolds"},
                    {mirror_x, mirror_y, turn, {Motion::Kind::shift, 29 / 48., 13 / 48.}},
                    1e-3});
}

TEST_P(SymmetryOfNumbers, ByTheMeanSpeedOfAParabolicInlet) {
  const Action cylinder{"wall-disc", {{"x", 0.4}, {"y", 0.48}, {"radius", 0.1}}, "", nullptr};
  expect_invariant({{"lbm",
                     60,
                     60,
                     {{"viscosity", 0.05},
                      {"inlet_speed", 0.06},
                      {"inlet_profile", 1},
                      {"outlines", 1},
                      {"boundary_left", inlet},
                      {"boundary_right", outlet},
                      {"boundary_bottom", wall},
                      {"boundary_top", wall}},
                     {cylinder},
                     900},
                    {"reynolds_mean", "drag_coefficient_mean"},
                    {mirror_x, mirror_y, turn},
                    5e-3});
}

}  // namespace
}  // namespace perturb
