#include "cuda/membrane/state/saved.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/state.h"
#include "cuda/membrane/measure/resonators.h"
#include "cuda/membrane/membrane.h"
#include "cuda/membrane/model/modes.h"

namespace perturb::membrane {

namespace {

constexpr std::size_t max_patches = std::size_t{1} << (2 * max_level);

// Converts saved patches to leaves.
std::vector<Leaf> leaves_of(const std::vector<double>& centers, const std::vector<double>& halves,
                            const std::vector<std::int64_t>& degrees, double overlap) {
  std::vector<Leaf> leaves;
  leaves.reserve(halves.size());
  for (std::size_t k = 0; k < halves.size(); ++k) {
    const double side = 2 * halves[k] / overlap, level = -std::log2(side);
    const double i = centers[2 * k] / side - 0.5, j = centers[2 * k + 1] / side - 0.5;
    const auto whole = [](double v) { return std::abs(v - std::round(v)) < 1e-6 && std::abs(v) < 1e6; };
    if (!(side > 0) || !whole(level) || !whole(i) || !whole(j) || degrees[k] < 1 || degrees[k] > membrane_max_degree)
      throw InputError(
          "Patch {} of the saved state is invalid: its cell is not a power of two smaller than the square, or its "
          "degree is out of range.",
          k);
    leaves.push_back({static_cast<int>(std::round(level)), static_cast<int>(std::round(i)),
                      static_cast<int>(std::round(j)), static_cast<int>(degrees[k])});
  }
  return leaves;
}

Parameters read_solved_for(const State& state) {
  // A state from an earlier version lacks parameters that were appended later: they have their initial values.
  const std::size_t count =
      require_rows(state, "solved_for", 0, first_parameters, parameter_table().size(), "parameters");
  const auto solved = state.get<double>("solved_for", {count});
  Setup setup;
  for (std::size_t k = 0; k < solved.size(); ++k) setup.parameters[parameter_table()[k].id] = solved[k];
  try {
    if (state.has("solved_formula")) {
      const std::size_t length = require_rows(state, "solved_formula", 0, 1, max_formula_text, "characters");
      const auto text = state.get<std::uint8_t>("solved_formula", {length});
      setup.parameters["load_formula"] = formula_number(std::string(text.begin(), text.end()));
    }
    return parameters_of(setup);
  } catch (const InputError& error) {
    throw InputError("In the saved state's \"solved_for\", {}", error.message());
  }
}

void read_clock(const State& state, Saved& saved) {
  const auto clock = state.get<double>("clock", {4});
  const char* const names[] = {"the phase", "the time since which it resonates", "the response", "the energy"};
  require_finite("clock", std::span<const double>(clock), [&](std::size_t k) { return names[k]; });
  if (clock[1] > state.time) reject_state("the start of the resonance is after the state's own time");
  saved.phase = clock[0];
  saved.resonant_since = clock[1];
  saved.response = clock[2];
  saved.energy = clock[3];
}

std::map<double, double> read_by_frequency(const State& state, const char* name) {
  std::map<double, double> numbers;
  if (!state.has(name)) return numbers;
  const std::size_t count = require_rows(state, name, 2, 0, std::numeric_limits<std::size_t>::max(), "frequencies");
  const auto table = state.get<double>(name, {count, 2});
  require_finite(name, std::span<const double>(table), list_index_formatter("row", 2));
  for (std::size_t k = 0; k < count; ++k) numbers[table[2 * k]] = table[2 * k + 1];
  return numbers;
}

void write_by_frequency(State& state, const char* name, const std::map<double, double>& numbers) {
  if (numbers.empty()) return;
  std::vector<double> table;
  for (const auto& [k, number] : numbers) table.insert(table.end(), {k, number});
  state.put<double>(name, {numbers.size(), 2}, "", table);
}

void read_modes(const State& state, Saved& saved) {
  if (!state.has("modes")) return;
  const std::size_t patches = saved.halves.size(), functions = saved.coefficients.size() / patches;
  const std::size_t vectors = require_rows(state, "mode_values", 2, 1, Modes::vectors, "modes");
  saved.modes = state.get<double>("modes", {vectors * patches, functions});
  require_finite("modes", std::span<const double>(saved.modes), list_index_formatter("patch", functions));
  const auto values = state.get<double>("mode_values", {vectors, 2});
  require_finite("mode_values", std::span<const double>(values), list_index_formatter("mode", 2));
  for (std::size_t k = 0; k < vectors; ++k) {
    saved.mode_values.push_back(values[2 * k]);
    saved.mode_residuals.push_back(values[2 * k + 1]);
  }
}

void read_motion(const State& state, Saved& saved) {
  const std::size_t patches = saved.halves.size(), functions = saved.coefficients.size() / patches;
  saved.velocities = state.get<double>("velocity", {patches, functions});
  require_finite("velocity", std::span<const double>(saved.velocities), list_index_formatter("patch", functions));
  saved.sampled_time = state.get<double>("listened", {1}).front();
  if (!(saved.sampled_time >= 0) || saved.sampled_time > state.time + 1e-9)
    reject_state("the spectrum was recorded for longer than the state's own time");
  if (!state.has("ear")) return;
  saved.resonators = state.get<double>("ear", {ResonatorBank::resonator_count, 2});
  require_finite("ear", std::span<const double>(saved.resonators), list_index_formatter("resonator", 2));
}

}  // namespace

void write_membrane_state(State& state, const Saved& saved) {
  const std::size_t patches = saved.halves.size();
  state.put<double>("u", {static_cast<std::size_t>(state.height), static_cast<std::size_t>(state.width)}, "height",
                    saved.samples);
  state.put<double>("coefficients", {patches, saved.coefficients.size() / patches}, "height", saved.coefficients);
  state.put<double>("patch_center", {patches, 2}, "length", saved.centers);
  state.put<double>("patch_half_width", {patches}, "length", saved.halves);
  state.put<std::int64_t>("degree", {patches}, "", saved.degrees);
  // The phase, the start of a growing response, and the parameters of the solution, which may differ from the current
  // ones.
  state.put<double>("clock", {4}, "",
                    std::vector<double>{saved.phase, saved.resonant_since, saved.response, saved.energy});
  std::vector<double> solved;
  for (const Parameter& p : parameter_table())
    solved.push_back(p.kind == ValueKind::formula ? 0 : p.get(&saved.solved_for));
  state.put<double>("solved_for", {solved.size()}, "", solved);
  // The number of a formula is valid in this process only.
  if (saved.solved_for.load_formula != 0) {
    const std::string& text = formula_of(saved.solved_for.load_formula).text;
    state.put<std::uint8_t>("solved_formula", {text.size()}, "", std::vector<std::uint8_t>(text.begin(), text.end()));
  }
  if (!saved.velocities.empty()) {
    state.put<double>("velocity", {patches, saved.velocities.size() / patches}, "height/time", saved.velocities);
    state.put<double>("listened", {1}, "time", std::vector<double>{saved.sampled_time});
    if (!saved.resonators.empty())
      state.put<double>("ear", {saved.resonators.size() / 2, 2}, "height*time", saved.resonators);
  }
  if (!saved.modes.empty()) {
    const std::size_t functions = saved.coefficients.size() / patches;
    state.put<double>("modes", {saved.modes.size() / functions, functions}, "height", saved.modes);
    std::vector<double> values;
    for (std::size_t k = 0; k < saved.mode_values.size(); ++k)
      values.insert(values.end(), {saved.mode_values[k], saved.mode_residuals[k]});
    state.put<double>("mode_values", {saved.mode_values.size(), 2}, "", values);
  }
  if (!saved.quadrature.empty())
    state.put<double>("lag", {patches, saved.quadrature.size() / patches}, "height", saved.quadrature);
  if (saved.factors) state.put<std::int64_t>("factored", {1}, "", std::vector<std::int64_t>{1});
  if (!saved.is_solved) state.put<std::int64_t>("unsolved", {1}, "", std::vector<std::int64_t>{1});
  write_by_frequency(state, "response", saved.responses);
  write_by_frequency(state, "phase", saved.phases);
  if (!saved.convergence.empty())
    state.put<double>("convergence", {saved.convergence.size() / 4, 4}, "", saved.convergence);
}

Saved read_membrane_state(const State& state, const Parameters& p) {
  require_state_of(state, "membrane");
  Saved saved;
  const std::size_t patches = require_rows(state, "patch_half_width", 0, 1, max_patches, "patches");
  saved.halves = state.get<double>("patch_half_width", {patches});
  saved.centers = state.get<double>("patch_center", {patches, 2});
  saved.degrees = state.get<std::int64_t>("degree", {patches});
  saved.cover = Cover(leaves_of(saved.centers, saved.halves, saved.degrees, p.overlap));
  const auto functions = static_cast<std::size_t>(membrane_functions(saved.cover.highest_degree()) +
                                                  (membrane_domain(p).enriches() ? 1 : 0));
  saved.coefficients = state.get<double>("coefficients", {patches, functions});
  require_finite("coefficients", std::span<const double>(saved.coefficients), list_index_formatter("patch", functions));
  read_clock(state, saved);
  saved.solved_for = read_solved_for(state);
  saved.solved_for.motion = p.motion;
  if (p.in_time()) read_motion(state, saved);
  if (p.modal()) read_modes(state, saved);
  if (saved.solved_for.is_complex()) {
    saved.quadrature = state.get<double>("lag", {patches, functions});
    require_finite("lag", std::span<const double>(saved.quadrature), list_index_formatter("patch", functions));
  }
  saved.factors = state.has("factored") && state.get<std::int64_t>("factored", {1}).front() != 0;
  saved.is_solved = !state.has("unsolved") || state.get<std::int64_t>("unsolved", {1}).front() == 0;
  saved.responses = read_by_frequency(state, "response");
  saved.phases = read_by_frequency(state, "phase");
  if (state.has("convergence")) {
    const std::size_t points =
        require_rows(state, "convergence", 4, 0, std::numeric_limits<std::size_t>::max(), "refinements");
    saved.convergence = state.get<double>("convergence", {points, 4});
    require_finite("convergence", std::span<const double>(saved.convergence), list_index_formatter("row", 4));
  }
  return saved;
}

}  // namespace perturb::membrane
