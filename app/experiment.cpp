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
  const MayStop here(backend_);  // nobody has it yet
  return info.create(backend_, setup);
}

void Experiment::adopt(Setup setup, std::unique_ptr<Simulation> simulation) {
  setup_ = std::move(setup);
  simulation_ = std::move(simulation);
  log_.clear();
  scheduled_.clear();
  next_scheduled_ = 0;
  trouble_.clear();
  last_good_.reset();
  last_kept_ = std::chrono::steady_clock::now();
}

void Experiment::open(Setup setup) {
  auto simulation = make(setup);
  preset_parameters_ = setup.parameters;
  adopt(std::move(setup), std::move(simulation));
}

void Experiment::open(Setup setup, const State& state) {
  auto simulation = make(setup);
  simulation->load(state);
  preset_parameters_ = setup.parameters;
  adopt(std::move(setup), std::move(simulation));
  last_good_ = state;
}

void Experiment::restart(bool defaults) {
  Setup setup = setup_;
  if (defaults) setup.parameters = preset_parameters_;
  // The same run again cannot be refused for what it says, only for memory: where two do not fit, the old one goes first.
  if (find_simulation(setup.simulation).memory_needed(backend_, setup) > backend_.free_memory()) simulation_.reset();
  auto simulation = make(setup);
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
    simulation_->set_parameter(change.id, change.value);
    setup_.parameters[change.id] = change.value;
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
    try {
      simulation_->step(next - now);
    } catch (const NonFiniteError& error) {
      trouble_ = error.what();
      return;
    }
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
    auto simulation = make(setup);
    adopt(std::move(setup), std::move(simulation));
    return;
  }
  // Most runs that blow up do so after a slider was moved: keep the state from before.
  keep_good_state();
  const Event event{simulation_->steps(), ParameterChange{id, value}};
  happen(event);
  // A simulation may move others with it (periodic sides come in pairs): the setup follows what is now so.
  for (const Parameter& p : simulation_->parameters().table())
    if (p.get && setup_.parameters.count(p.id)) setup_.parameters[p.id] = simulation_->parameters().get(p);
  log_.push_back(event);
}

void Experiment::keep_good_state() {
  const auto now = std::chrono::steady_clock::now();
  if (!trouble_.empty()) return;
  // A slider that is being dragged changes its parameter every frame: once a second is enough.
  if (last_good_ && now - last_kept_ < std::chrono::seconds(1)) return;
  if (!simulation_->diagnostics(setup_.view, true).finite) return;
  last_good_ = simulation_->save();
  last_kept_ = now;
}

void Experiment::inspect(const Diagnostics& diagnostics) {
  if (!diagnostics.finite && trouble_.empty()) {
    trouble_ = diagnostics.trouble.empty() ? "The numbers are no longer finite." : diagnostics.trouble;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (diagnostics.finite && now - last_kept_ > keep_every && backend_.memory_in_use() <= cheap_state_bytes)
    keep_good_state();
}

void Experiment::go_back() {
  if (!last_good_) return;
  const State good = *last_good_;
  Setup setup = setup_;
  // The state brings its own parameters: the ones that led here are what has to be left behind.
  for (const auto& [id, text] : good.parameters) setup.parameters[id] = simulation_->parameters().find(id).parse(text);
  auto simulation = make(setup);
  simulation->load(good);
  adopt(std::move(setup), std::move(simulation));
  last_good_ = good;
}

}  // namespace perturb
