#include "app/session/session.h"

#include <algorithm>
#include <utility>

#include "app/files/failure_log.h"
#include "app/scenes/scenes.h"
#include "app/session/labels.h"
#include "app/session/listening.h"
#include "app/states/autosave.h"

namespace perturb {

namespace {

constexpr int default_steps_per_frame = 16;
// How long a sentence or an offer stays. A frame counts for no more than a tenth of a second: where frames are slow, it
// stays for as many as anybody needs to see it, and to act on it.
constexpr double note_seconds = 8, failure_seconds = 60, longest_counted_frame = 0.1;

int first_positive(std::initializer_list<int> numbers) {
  return *std::find_if(numbers.begin(), numbers.end(), [](int n) { return n > 0; });
}

}  // namespace

void UiState::ask(Request request) { requests.push_back(std::move(request)); }

Session::Session(Experiment& experiment, int steps_per_frame, Runner::Where where)
    : backend_(experiment.backend()),
      steps_per_frame_(steps_per_frame),
      pace_(default_steps_per_frame),
      answer_by_(Runner::Clock::now()),
      runner_(experiment, where) {
  meet(true);
}

// ---- asking the run

void Session::post(Order order, Then then) {
  runner_.post(std::move(order), [this, then = std::move(then)](Answer& answer) {
    then(answer);
    if (!answer.note.empty()) tell(answer.note);
  });
  runner_.wait_until(answer_by_);
  runner_.collect();
}

void Session::ask(Order order, Then then) {
  post(std::move(order), [this, then = std::move(then)](Answer& answer) {
    try {
      answer.check();
      then(answer);
    } catch (const Error& error) {
      tell_failure(error.what());
    }
  });
}

void Session::ask_of_frame(Order order, Then then) {
  post(std::move(order), [then = std::move(then)](Answer& answer) {
    answer.check();
    then(answer);
  });
}

bool Session::rests() {
  runner_.collect();
  return runner_.rests();
}

Session::~Session() = default;

void Session::meet(bool scene) {
  hand_.cancel();
  meet_instruments(scene);
  history_.clear();
  pace_.forget();
  diagnostics_ = {};
  observed_ = {};
  range_.forget();
  value_.clear();
  state_.refusals.clear();
  state_.typing.clear();
  state_.pending.clear();
  state_.offer = {};
  if (lesson_) lesson_->go_back(run().steps);
  if (!scene) return;
  state_.close_lists = true;  // they speak of the old one
  if (!lesson_) note_recent(scene_path_of(run().scene->setup));
  safe_age_ = std::max(safe_age_, 0.0);

  const Scene& begun = *run().scene;
  shown_ = run().shown;
  state_.view = shown_.view, state_.camera = shown_.camera;
  pace_.set_wanted(first_positive({steps_per_frame_, begun.steps_per_frame, default_steps_per_frame}));
  state_.hint = !begun.hint.empty();
  state_.hint_age = 0, state_.hint_drag = false;
  defaults_ = preset_parameters(begun.setup);
  const std::vector<Tool>& tools = info().tools;
  const bool has_tool =
      std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.id == state_.tool; });
  if (!has_tool) state_.tool = tools.empty() ? "" : tools.front().id;
  for (const Tool& tool : tools)
    for (const ValueInfo& field : tool.brush) state_.brushes[tool.id].emplace(field.id, field.initial);
}

double Session::default_of(const Parameter& parameter) const {
  const auto found = defaults_.find(parameter.id);
  return found == defaults_.end() ? parameter.initial : found->second;
}

void Session::tell(const std::string& note) {
  state_.note = in_labels(note, info().parameters), state_.note_age = 0;
  state_.note_failed = false;
  state_.note_folder.clear();
}

void Session::tell_failure(const std::string& note) {
  tell(note);
  state_.note_failed = true;
  log_failure(state_.note);
}

Wishes Session::take_wishes() { return std::exchange(wishes_, {}); }

const Quantity& Session::shown_quantity() const {
  const std::vector<Quantity>& quantities = info().quantities;
  for (const Quantity& quantity : quantities)
    if (quantity.id == state_.view.quantity) return quantity;
  static const Quantity none;
  return quantities.empty() ? none : quantities.front();
}

ViewSettings Session::resolved_view() const {
  ViewSettings view = state_.view;
  const Quantity& quantity = shown_quantity();
  view.quantity = quantity.id;
  if (view.colormap.empty()) view.colormap = quantity.colormap;
  if (view.automatic && range_.known())
    view.minimum = range_.minimum(), view.maximum = range_.maximum();
  else if (!(view.maximum > view.minimum))
    view.minimum = quantity.minimum, view.maximum = quantity.maximum;
  return view;
}

void Session::share_view() {
  if (views_asked_ > 0) return;
  const ViewChange now{state_.view, state_.camera};
  if (!same_view(run().shown, shown_)) {
    shown_ = run().shown;
    state_.view = shown_.view, state_.camera = shown_.camera;
  } else if (!same_view(now, shown_)) {
    shown_ = now;
    ++views_asked_;
    ask_of_frame(now, [this](Answer&) { --views_asked_; });
  }
}

// On CUDA reading waits for the device: there it is done when the pointer rests, and a few times a second.
bool Session::value_is_due() const {
  if (!pointer_in_domain_) return false;
  return backend_.is_cuda() ? pointer_rest_ > 0.15 && value_age_ > 0.25 : value_age_ > 0.08 || pointer_moved_;
}

void Session::show_quantity(const std::string& id) {
  state_.view.quantity = id;
  // Another quantity has another range and often another colormap: its own.
  state_.view.colormap.clear();
  state_.view.minimum = state_.view.maximum = 0;
  if (shown_quantity().in_space) raise_eye(state_.camera);
  range_.forget();
  state_.offer = {};
}

// ---- a frame

void Session::advance() {
  if (!state_.playing || !run().trouble.empty()) return;
  // A film's pictures are evenly apart, however long each takes.
  const int steps = state_.film ? pace_.even_steps() : pace_.take();
  if (steps == 0) return;
  post(order::Advance{steps, read_every_, instruments_.probed()},
       [this, generation = instruments_.generation()](Answer& answer) {
         steps_now_ += answer.steps;
         stepping_seconds_ += answer.seconds;
         if (generation == instruments_.generation()) instruments_.take_probed(answer.samples, read_every_);
         try {
           answer.check();
         } catch (const InputError& error) {
           tell_failure(error.what());  // a scheduled event that turned out to be impossible
         }
       });
}

void Session::observe(bool wait) {
  runner_.look_again();
  if (runner_.rests()) share_view();  // a script's event
  read_cuts();
  order::Look look;
  look.view = resolved_view();
  look.kernels = state_.panels && state_.tab == Tab::kernels;
  if (value_is_due()) look.value_at = fraction_;
  // At rest the numbers are of this very state, and the automatic range with them: the picture stays what it is.
  const bool stands = !state_.playing || !run().trouble.empty();
  const Observed now{run().steps, run().events, shown_quantity().id, state_.view.automatic};
  // While steps are under way nobody knows yet what there will be to see.
  look.diagnostics = !runner_.rests() || !(now == observed_);
  look.wait = wait || stands;
  // On a large grid on the CPU, diagnostics cost as much as steps: they may take a tenth of the time.
  if (!look.wait && since_observed_ < 9 * observe_seconds_) look.diagnostics = false;
  if (!look.diagnostics && !look.value_at && !look.kernels) return;
  const bool has_value = look.value_at.has_value(), has_diagnostics = look.diagnostics, waited = look.wait;
  if (has_value) pointer_moved_ = false, value_age_ = 0;
  ask_of_frame(std::move(look), [this, has_value, has_diagnostics, waited](Answer& answer) {
    if (answer.given_up) return;
    if (has_value && pointer_in_domain_) value_ = answer.value;
    if (!has_diagnostics) return;
    if (waited) observed_ = {run().steps, run().events, shown_quantity().id, state_.view.automatic};
    diagnostics_ = std::move(answer.diagnostics);
    observe_seconds_ = answer.seconds;
    since_observed_ = 0;
    history_.add(diagnostics_);
    if (lesson_ && lesson_->look(run(), diagnostics_)) reach_in_lesson();
    if (state_.view.automatic)
      range_.follow(diagnostics_, shown_quantity().is_signed && state_.centred);
    else
      range_.forget();
  });
}

void Session::paint(Pixels pixels, const ColorTable& table) {
  ask_of_frame(order::Paint{pixels, &table, state_.camera, resolved_view()}, [](Answer&) {});
}

void Session::end_frame(double frame_seconds, double busy_seconds) {
  since_observed_ += frame_seconds;
  value_age_ += frame_seconds;
  pointer_rest_ += frame_seconds;
  cut_age_ += frame_seconds, refresh_age_ += frame_seconds;
  if (refresh_age_ > 0.1) instruments_.refresh(false), refresh_age_ = 0;
  keep_listening();
  keep_safe(frame_seconds);
  const double seen = std::min(frame_seconds, longest_counted_frame);
  state_.note_age += seen;
  if (state_.note_age > (state_.note_failed ? failure_seconds : note_seconds))
    state_.note.clear(), state_.note_failed = false, state_.note_folder.clear();
  state_.offer.age += seen;
  if (state_.offer.age > note_seconds) state_.offer = {};

  // A frame whose steps are done may have asked for the next ones already.
  waiting_ = runner_.rests() || steps_now_ > 0 ? 0 : waiting_ + frame_seconds;
  pace_.elapse(frame_seconds);
  // How much simulated time a step is: by the last ones, for a parameter may have changed it.
  if (run().steps > paced_step_ && run().time > paced_time_)
    pace_.set_time_per_step((run().time - paced_time_) / static_cast<double>(run().steps - paced_step_));
  paced_step_ = run().steps, paced_time_ = run().time;

  const auto steps = static_cast<int>(steps_now_);
  const bool queued = backend_.is_cuda();
  if (steps > 0) {
    if (queued)
      pace_.observe_frame(steps, frame_seconds);
    else
      pace_.observe_steps(steps, stepping_seconds_, std::max(0.0, busy_seconds - stepping_seconds_));
  }
  rates_.add(frame_seconds, steps_now_, !runner_.rests(), queued, pace_.seconds_per_step());
  steps_now_ = 0;
  stepping_seconds_ = 0;
}

}  // namespace perturb
