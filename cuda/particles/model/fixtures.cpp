#include "cuda/particles/model/fixtures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cuda/core/backend/check.h"

namespace perturb::particles {

namespace {

constexpr std::array<const char*, 3> kind_names = {"flame", "ice", "thermometer"};
const char* name_of(Fixture::Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

SceneObject object_of(const Fixture& fixture, double aspect) {
  SceneObject object;
  object.id = fixture.id;
  object.kind = name_of(fixture.kind);
  if (fixture.is_plate()) {
    constexpr double low = 0.01, high = 0.035;  // of the height: where it can be grasped
    const double left = fixture.x - 0.5 * fixture.size, right = fixture.x + 0.5 * fixture.size;
    object.numbers = {{"x", fixture.x}, {"width", fixture.size}, {"temperature", fixture.temperature}};
    object.handles = {{"Position", fixture.x, high, {{"x", 1, 0}}}, {"Width", right, high, {{"width", 2, 0}}}};
    object.outline = {{left, low}, {right, low}, {right, high}, {left, high}, {left, low}};
    return object;
  }
  object.numbers = {{"x", fixture.x}, {"y", fixture.y}, {"size", fixture.size}};
  object.handles = {{"Position", fixture.x, fixture.y, {{"x", 1, 0}, {"y", 0, 1}}},
                    {"Radius", fixture.x + fixture.size, fixture.y, {{"size", 1, 0}}}};
  constexpr int points = 48;
  for (int k = 0; k <= points; ++k) {
    const double turn = 2 * std::numbers::pi * (k % points) / points;
    object.outline.push_back(
        {fixture.x + fixture.size * std::cos(turn), fixture.y + fixture.size / aspect * std::sin(turn)});
  }
  return object;
}

void set_numbers(Fixture& fixture, const Action& action) {
  const auto set = [&](const char* id, double& value) {
    if (const auto found = action.numbers.find(id); found != action.numbers.end()) value = found->second;
  };
  set("x", fixture.x);
  set("y", fixture.y);
  set(fixture.is_plate() ? "width" : "size", fixture.size);
  set("temperature", fixture.temperature);
}

}  // namespace

bool Fixtures::is_fixture(const std::string& kind) {
  return std::any_of(kind_names.begin(), kind_names.end(),
                     [&](const char* name) { return kind == name || kind == change_kind_of(name); });
}

bool Fixtures::has_plates() const { return count_of(true) > 0; }

std::vector<Circle> Fixtures::thermometers(double width, double height) const {
  std::vector<Circle> circles;
  for (const Fixture& fixture : all_)
    if (!fixture.is_plate()) circles.push_back({fixture.x * width, fixture.y * height, fixture.size * width});
  return circles;
}

int Fixtures::count_of(bool plates) const {
  return static_cast<int>(
      std::count_if(all_.begin(), all_.end(), [&](const Fixture& one) { return one.is_plate() == plates; }));
}

void Fixtures::apply(const Action& action) {
  for (std::size_t k = 0; k < kind_names.size(); ++k) {
    const auto kind = static_cast<Fixture::Kind>(k);
    if (action.kind == change_kind_of(kind_names[k])) {
      const int id = static_cast<int>(action.get(object_field));
      const auto found =
          std::find_if(all_.begin(), all_.end(), [&](const Fixture& one) { return one.id == id && one.kind == kind; });
      if (found == all_.end()) throw InputError("There is no object {} of this kind. Select one in the list.", id);
      return set_numbers(*found, action);
    }
    if (action.kind != kind_names[k]) continue;
    Fixture placed;
    placed.kind = kind;
    set_numbers(placed, action);
    const int most = placed.is_plate() ? max_plates : max_thermometers;
    if (count_of(placed.is_plate()) >= most)
      throw InputError(placed.is_plate() ? Message("There are {} flames and ices, the most possible. Remove one.", most)
                                         : Message("There are {} thermometers, the most possible. Remove one.", most));
    placed.id = ++last_id_;
    all_.push_back(placed);
  }
}

bool Fixtures::remove(int id) {
  return std::erase_if(all_, [&](const Fixture& fixture) { return fixture.id == id; }) > 0;
}

std::vector<SceneObject> Fixtures::objects(double aspect) const {
  std::vector<SceneObject> list;
  for (const Fixture& fixture : all_) list.push_back(object_of(fixture, aspect));
  return list;
}

std::vector<std::string> Fixtures::placeable() const {
  std::vector<std::string> kinds;
  if (count_of(true) < max_plates) kinds = {"flame", "ice"};
  if (count_of(false) < max_thermometers) kinds.emplace_back("thermometer");
  return kinds;
}

void Fixtures::save(State& state) const {
  if (all_.empty()) return;
  std::vector<double> numbers;
  for (const Fixture& f : all_)
    numbers.insert(numbers.end(),
                   {static_cast<double>(f.id), static_cast<double>(f.kind), f.x, f.y, f.size, f.temperature});
  state.put<double>("fixtures", {all_.size(), saved_fixture_numbers}, "", numbers);
}

Fixtures Fixtures::saved_in(const State& state) {
  Fixtures fixtures;
  if (!state.has("fixtures")) return fixtures;
  const std::size_t n =
      require_rows(state, "fixtures", saved_fixture_numbers, 1, max_count, "flames, ices and thermometers");
  const auto numbers = state.get<double>("fixtures", {n, saved_fixture_numbers});
  const auto number = [&](std::size_t row, std::size_t column, double low, double high) {
    const double value = numbers[row * saved_fixture_numbers + column];
    if (!(value >= low && value <= high)) reject_state("a number of its flames, ices and thermometers is out of range");
    return value;
  };
  for (std::size_t k = 0; k < n; ++k) {
    Fixture fixture;
    fixture.id = static_cast<int>(number(k, 0, fixtures.last_id_ + 1, 1e9));  // in the order of creation
    fixture.kind = static_cast<Fixture::Kind>(static_cast<int>(number(k, 1, 0, kind_names.size() - 1)));
    fixture.x = number(k, 2, 0, 1);
    fixture.y = number(k, 3, 0, 1);
    fixture.size = number(k, 4, 0, 1);
    fixture.temperature = number(k, 5, 0, 100);
    fixtures.last_id_ = fixture.id;
    fixtures.all_.push_back(fixture);
  }
  if (fixtures.count_of(true) > max_plates || fixtures.count_of(false) > max_thermometers)
    reject_state("it has too many flames, ices or thermometers");
  return fixtures;
}

}  // namespace perturb::particles
