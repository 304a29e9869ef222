#include "app/experiment.h"

#include <algorithm>
#include <utility>

#include "cuda/core/catalog.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

// Bytes of field up to which the whole state is kept on the host every few seconds; larger grids keep theirs only before a
// change of parameter, so that no frame stands still for a copy nobody asked for.
constexpr std::size_t cheap_state_bytes = std::size_t{64} << 20;
constexpr std::chrono::seconds keep_every{10};
constexpr std::int64_t frames_of_a_long_run = 300;
constexpr int usual_steps_per_frame = 16;

std::vector<double> values_of(const ParameterSet& parameters) {
  std::vector<double> values;
  for (const Parameter& p : parameters.table()) values.push_back(parameters.get(p));
  return values;
}

}  // namespace

Experiment::Experiment(Backend& backend, Setup setup) : backend_(backend) { open(std::move(setup)); }

Experiment::Experiment(Backend& backend, Setup setup, const State& state) : backend_(backend) {
  open(std::move(setup), state);
}

std::unique_ptr<Simulation> Experiment::make(const Setup& setup) {
  const SimulationInfo& info = find_simulation(setup.simulation);
  // Refuse what cannot fit before the old run's memory is touched.
  const std::size_t needed = info.memory_needed(backend_, setup), total = backend_.total_memory();
  if (needed > total)
    throw InputError("A " + info.id + " of " + std::to_string(setup.width) + " x " + std::to_string(setup.height) +
                     " needs " + bytes_in_words(needed) + " of memory, and " + backend_.device_name() + " has " +
                     bytes_in_words(total) + ". Choose a smaller size.");
  return info.create(backend_, setup);
}

std::unique_ptr<Simulation> Experiment::make_again(const Setup& setup) {
  auto simulation = make(setup);
  try {
    simulation->select_kernel(kernel_);
  } catch (const InputError& error) {
    // It was chosen under other parameters.
    kernel_ = "auto";
    note_ = std::string(error.what()) + " The kernel is chosen automatically again.";
  }
  return simulation;
}

void Experiment::adopt(Setup setup, std::unique_ptr<Simulation> simulation) {
  setup_ = std::move(setup);
  simulation_ = std::move(simulation);
  log_.clear();
  scheduled_.clear();
  next_scheduled_ = 0;
  trouble_.clear();
  last_good_.reset(), on_the_way_.reset();
  good_for_ = 0, good_is_before_a_change_ = false;
  changed_at_ = simulation_->steps();
  last_kept_ = std::chrono::steady_clock::now();
}

void Experiment::open(Setup setup) {
  auto simulation = make(setup);
  preset_parameters_ = setup.parameters;
  kernel_ = "auto";
  adopt(std::move(setup), std::move(simulation));
}

void Experiment::open(Setup setup, const State& state) {
  auto simulation = make(setup);
  simulation->load(state);
  preset_parameters_ = setup.parameters;
  kernel_ = "auto";
  adopt(std::move(setup), std::move(simulation));
  last_good_ = state;
}

void Experiment::restart(bool defaults) {
  Setup setup = setup_;
  if (defaults) setup.parameters = preset_parameters_;
  // The same run again cannot be refused for what it says, only for memory: where two do not fit, the old one goes first.
  if (find_simulation(setup.simulation).memory_needed(backend_, setup) > backend_.free_memory()) simulation_.reset();
  auto simulation = make_again(setup);
  adopt(std::move(setup), std::move(simulation));
}

void Experiment::schedule(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.step < b.step; });
  for (const Event& event : events) {
    if (event.step < simulation_->steps())
      throw InputError("An event at step " + std::to_string(event.step) + " comes too late: the run is at step " +
                       std::to_string(simulation_->steps()) + ".");
    if (const auto* action = std::get_if<Action>(&event.deed)) {
      check_action(*action, info().actions);
    } else {
      const auto& change = std::get<ParameterChange>(event.deed);
      simulation_->parameters().find(change.id).check(change.value);
    }
  }
  scheduled_ = std::move(events);
  next_scheduled_ = 0;
}

void Experiment::happen(const Event& event) {
  if (const auto* action = std::get_if<Action>(&event.deed)) {
    simulation_->apply(*action);
  } else {
    const auto& change = std::get<ParameterChange>(event.deed);
    // A simulation may move others with it (periodic sides come in pairs): the setup names all that are no longer as the run
    // began.
    const std::vector<double> before = values_of(simulation_->parameters());
    simulation_->set_parameter(change.id, change.value);
    const std::vector<double> after = values_of(simulation_->parameters());
    for (std::size_t k = 0; k < after.size(); ++k)
      if (after[k] != before[k]) setup_.parameters[simulation_->parameters().table()[k].id] = after[k];
    setup_.parameters[change.id] = change.value;
    changed_at_ = simulation_->steps();
    on_the_way_.reset();
  }
}

void Experiment::advance(std::int64_t count) {
  if (!trouble_.empty()) return;
  const std::int64_t end = simulation_->steps() + count;
  while (true) {
    while (next_scheduled_ < scheduled_.size() && scheduled_[next_scheduled_].step <= simulation_->steps()) {
      const Event& event = scheduled_[next_scheduled_++];
      happen(event);
      log_.push_back(event);
    }
    const std::int64_t now = simulation_->steps();
    if (now >= end) return;
    const std::int64_t next =
        next_scheduled_ < scheduled_.size() ? std::min(end, scheduled_[next_scheduled_].step) : end;
    simulation_->step(next - now);
  }
}

void Experiment::perform(const Action& action) {
  check_action(action, info().actions);
  const Event event{simulation_->steps(), action};
  happen(event);
  log_.push_back(event);
}

void Experiment::perform(const Gesture& gesture) {
  for (const Action& action : simulation_->interpret(gesture)) perform(action);
}

void Experiment::set_parameter(const std::string& id, double value) {
  const Parameter& parameter = simulation_->parameters().find(id);
  parameter.check(value);
  if (parameter.apply == Apply::restart) {
    Setup setup = setup_;
    setup.parameters[id] = value;
    auto simulation = make_again(setup);
    adopt(std::move(setup), std::move(simulation));
    return;
  }
  // Most runs that blow up do so after a slider was moved: keep the state from before.
  keep_before_change();
  const Event event{simulation_->steps(), ParameterChange{id, value}};
  happen(event);
  log_.push_back(event);
}

void Experiment::choose_kernel(const std::string& id) {
  simulation_->select_kernel(id);
  kernel_ = id;
}

std::string Experiment::take_note() {
  std::string note = std::exchange(note_, {});
  const std::string own = simulation_->take_note();
  return note.empty() || own.empty() ? note + own : note + " " + own;
}

std::int64_t Experiment::long_run() const {
  return frames_of_a_long_run * (setup_.steps_per_frame > 0 ? setup_.steps_per_frame : usual_steps_per_frame);
}

void Experiment::keep_before_change() {
  if (!trouble_.empty()) return;
  // A slider on its way sets values that nobody has seen the run endure: the state from before it moved stays the good one.
  const std::int64_t lasted = simulation_->steps() - changed_at_;
  if (last_good_ && good_is_before_a_change_ && lasted < std::min(long_run(), std::max<std::int64_t>(1, good_for_)))
    return;
  if (!simulation_->diagnostics(setup_.view, true).finite) return;
  last_good_ = simulation_->save();
  good_for_ = lasted, good_is_before_a_change_ = true;
}

// While nothing is changed: a state from which the run has gone on well for long.
void Experiment::keep_on_the_way(const Diagnostics& diagnostics) {
  if (on_the_way_ && diagnostics.step - on_the_way_->steps >= long_run()) {
    last_good_ = std::move(on_the_way_);
    on_the_way_.reset();
  }
  const auto now = std::chrono::steady_clock::now();
  if (on_the_way_ || good_is_before_a_change_ || now - last_kept_ <= keep_every ||
      backend_.memory_in_use() > cheap_state_bytes)
    return;
  on_the_way_ = simulation_->save();
  last_kept_ = now;
}

void Experiment::inspect(const Diagnostics& diagnostics) {
  if (!trouble_.empty()) return;
  if (diagnostics.finite)
    keep_on_the_way(diagnostics);
  else
    trouble_ = diagnostics.trouble.empty() ? "The numbers are no longer finite." : diagnostics.trouble;
}

void Experiment::go_back() {
  if (!last_good_) return;
  const State good = *last_good_;
  const std::int64_t good_for = good_for_;
  Setup setup = setup_;
  // The state brings its own parameters: the ones that led here are what has to be left behind.
  for (const auto& [id, text] : good.parameters) setup.parameters[id] = simulation_->parameters().find(id).parse(text);
  auto simulation = make_again(setup);
  simulation->load(good);
  adopt(std::move(setup), std::move(simulation));
  last_good_ = good;
  good_for_ = good_for, good_is_before_a_change_ = true;
}

}  // namespace perturb
