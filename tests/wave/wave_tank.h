// Helpers for the tests of the wave tank: create a tank, read its surface.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/wave/parameters.h"
#include "cuda/wave/wave.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/setup_of.h"

namespace perturb::wave {

inline double number_of(Boundary boundary) { return static_cast<double>(boundary); }

inline Setup wave_setup(int width, int height, std::map<std::string, double> parameters = {}) {
  return setup_of("wave", width, height, std::move(parameters));
}
inline std::unique_ptr<Simulation> wave_tank(Backend& backend, int width, int height,
                                             std::map<std::string, double> parameters = {}) {
  return wave_simulation().create(backend, wave_setup(width, height, std::move(parameters)));
}
inline std::map<std::string, double> all_sides(Boundary boundary) {
  const double b = number_of(boundary);
  return {{"boundary_left", b}, {"boundary_right", b}, {"boundary_bottom", b}, {"boundary_top", b}};
}
inline Action act(std::string kind, std::map<std::string, double> numbers = {}) {
  return {std::move(kind), std::move(numbers), "", nullptr};
}

// The heights of a saved surface, as at(i, j).
class SavedSurface {
 public:
  explicit SavedSurface(const Simulation& tank, const std::string& name = "u") : SavedSurface(tank.save(), name) {}
  SavedSurface(const State& state, const std::string& name)
      : width_(state.width),
        values_(
            state.get<float>(name, {static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)})) {}
  float at(int i, int j) const { return values_[static_cast<std::size_t>(j) * width_ + i]; }
  const std::vector<float>& values() const& { return values_; }

 private:
  int width_;
  std::vector<float> values_;
};

inline bool same_bits(const State& a, const State& b) {
  if (a.datasets.size() != b.datasets.size()) return false;
  for (const auto& [name, data] : a.datasets)
    if (b.datasets.count(name) == 0 || data.bytes != b.datasets.at(name).bytes) return false;
  return a.steps == b.steps && a.time == b.time;
}

inline bool says(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

}  // namespace perturb::wave
