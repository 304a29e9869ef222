#include "app/session/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/scenes/presets.h"
#include "app/scenes/scenes.h"
#include "app/session/labels.h"
#include "app/session/unseen.h"
#include "app/states/script_file.h"
#include "app/states/state_file.h"

namespace perturb {

namespace {

constexpr int default_steps_per_frame = 16;
// How long a sentence or an offer stays. A frame counts for no more than a tenth of a second: where frames are slow, it
// stays for as many as anybody needs to see it, and to act on it.
constexpr double note_seconds = 8, longest_counted_frame = 0.1;
constexpr double least_text_scale = 0.6, most_text_scale = 3;

int first_positive(std::initializer_list<int> numbers) {
  return *std::find_if(numbers.begin(), numbers.end(), [](int n) { return n > 0; });
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void UiState::ask(Request request) { requests.push_back(std::move(request)); }

Session::Session(Experiment& experiment, int steps_per_frame)
    : experiment_(experiment), steps_per_frame_(steps_per_frame), pace_(default_steps_per_frame) {
  meet(true);
}

void Session::meet(bool scene) {
  hand_.cancel();
  history_.clear();
  pace_.forget();
  diagnostics_ = {};
  observed_ = {};
  has_range_ = false;
  value_.clear();
  state_.refusals.clear();
  state_.typing.clear();
  state_.pending.clear();
  state_.offer = {};
  if (!scene) return;
  state_.close_lists = true;  // they speak of the old one

  const SimulationInfo& info = experiment_.info();
  shown_ = experiment_.shown();
  state_.view = shown_.view, state_.camera = shown_.camera;
  pace_.set_wanted(first_positive({steps_per_frame_, experiment_.setup().steps_per_frame, default_steps_per_frame}));
  state_.hint = !experiment_.setup().hint.empty();
  defaults_ = preset_parameters(experiment_.setup());
  const bool has_tool =
      std::any_of(info.tools.begin(), info.tools.end(), [&](const Tool& tool) { return tool.id == state_.tool; });
  if (!has_tool) state_.tool = info.tools.empty() ? "" : info.tools.front().id;
  for (const Tool& tool : info.tools)
    for (const ValueInfo& field : tool.brush) state_.brushes[tool.id].emplace(field.id, field.initial);
}

double Session::default_of(const Parameter& parameter) const {
  const auto found = defaults_.find(parameter.id);
  return found == defaults_.end() ? parameter.initial : found->second;
}

std::string Session::output_stem() const {
  return "perturb-" + file_stem(experiment_.setup()) + "-" + std::to_string(experiment_.simulation().steps());
}

void Session::tell(const std::string& note) {
  state_.note = in_labels(note, experiment_.info().parameters), state_.note_age = 0;
}

Wishes Session::take_wishes() { return std::exchange(wishes_, {}); }

const Quantity& Session::shown_quantity() const {
  const std::vector<Quantity>& quantities = experiment_.info().quantities;
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
  if (view.automatic && has_range_)
    view.minimum = shown_minimum_, view.maximum = shown_maximum_;
  else if (!(view.maximum > view.minimum))
    view.minimum = quantity.minimum, view.maximum = quantity.maximum;
  return view;
}

Hand::Scene Session::hand_scene(const Layout& layout, const std::string& tool) const {
  Hand::Scene scene;
  scene.frame = layout.pointer_frame();
  scene.domain_width = experiment_.simulation().domain_width();
  scene.domain_height = experiment_.simulation().domain_height();
  scene.orbits = experiment_.info().orbits;
  scene.tool = tool;
  for (const Tool& t : experiment_.info().tools) scene.wheel = scene.wheel || (t.id == tool && t.wheel);
  const auto brush = state_.brushes.find(tool);
  if (brush != state_.brushes.end()) scene.brush = brush->second;
  scene.is_covered = [this](double x, double y) {
    return covers_all_ || std::any_of(covers_.begin(), covers_.end(), [&](const Rect& r) { return r.contains(x, y); });
  };
  return scene;
}

void Session::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  for (const Request& request : std::exchange(state_.requests, {})) carry_out(request);

  for (const InputEvent& event : events) {
    // The next change of a parameter is another deed, even if it is of the same.
    if (event.kind == InputEvent::Kind::press || (event.kind == InputEvent::Kind::key_press && !event.repeat))
      changing_.clear();
    if (event.kind == InputEvent::Kind::key_press || event.kind == InputEvent::Kind::key_release) {
      handle_key(event, layout, keyboard);
      continue;
    }
    // Made anew for each event: a key before it may have changed the tool or the scene.
    const Hand::Scene scene = hand_scene(layout, state_.tool);
    if (hand_.handle(event, scene, state_.camera, [this](const Gesture& g) { perform(g); })) pointer_rest_ = 0;
  }

  const Hand::Scene scene = hand_scene(layout, state_.tool);
  const Camera::Point at =
      pointer_to_domain(hand_.x(), hand_.y(), scene.frame, state_.camera, scene.domain_width, scene.domain_height);
  const bool moved = at.x != fraction_.x || at.y != fraction_.y;
  fraction_ = at;
  pointer_ = {at.x * scene.domain_width, at.y * scene.domain_height};
  pointer_in_domain_ = hand_.over_picture() && is_in_domain(at);
  if (moved) pointer_rest_ = 0;
  read_value(moved);
  share_view();
}

void Session::share_view() {
  if (!same_view(experiment_.shown(), shown_))
    state_.view = experiment_.shown().view, state_.camera = experiment_.shown().camera;
  else
    experiment_.show({state_.view, state_.camera});
  shown_ = experiment_.shown();
}

void Session::read_value(bool pointer_moved) {
  if (!pointer_in_domain_) {
    value_.clear();
    return;
  }
  // Reading waits for the device: there it is done when the pointer rests, and a few times a second.
  const bool cuda = experiment_.backend().is_cuda();
  const bool due = cuda ? pointer_rest_ > 0.15 && value_age_ > 0.25 : value_age_ > 0.08 || pointer_moved;
  if (!due) {
    if (cuda && pointer_moved) value_.clear();
    return;
  }
  value_ = experiment_.simulation().value_at(fraction_.x, fraction_.y, resolved_view());
  value_age_ = 0;
}

void Session::perform(const Gesture& gesture) {
  if (gesture.tool.empty() || !experiment_.trouble().empty()) return;
  state_.hint = false;
  const std::size_t before = experiment_.log().size();
  try {
    experiment_.perform(gesture);
    if (const Offer offer = offer_after(experiment_, before, shown_quantity()); !offer.quantity.empty())
      state_.offer = offer;
  } catch (const InputError& error) {
    tell(error.what());
    hand_.cancel();
  }
}

void Session::show_quantity(const std::string& id) {
  state_.view.quantity = id;
  // Another quantity has another range and often another colormap: its own.
  state_.view.colormap.clear();
  state_.view.minimum = state_.view.maximum = 0;
  has_range_ = false;
  state_.offer = {};
}

void Session::choose_tool(std::size_t index) {
  const std::vector<Tool>& tools = experiment_.info().tools;
  if (index >= tools.size()) return;
  state_.tool = tools[index].id;
  hand_.cancel();
}

void Session::handle_key(const InputEvent& event, const Layout& layout, Keyboard keyboard) {
  if (event.key.empty()) return;  // for text fields and lists alone
  if (event.kind == InputEvent::Kind::key_release) {
    // The play key acts when it is let go, for while it is held it moves the view.
    if (event.key == "Space" && hand_.release_space() && keyboard == Keyboard::free) do_command(UiCommand::play_pause);
    return;
  }
  if (event.key == "Space") {
    if (keyboard == Keyboard::free && !event.repeat && !hand_.wants_to_pan()) hand_.press_space();
    return;
  }
  const KeyBinding* binding = find_binding(event.key);
  if (keyboard == Keyboard::typing && !(binding && binding->while_typing)) return;
  // Esc leaves the value that is being typed; what is open behind it stays.
  if (keyboard == Keyboard::typing && !state_.typing.empty() && binding->command == UiCommand::close_overlay) return;
  if (event.key.size() == 1 && event.key[0] >= '1' && event.key[0] <= '9') {
    choose_tool(static_cast<std::size_t>(event.key[0] - '1'));
    return;
  }
  if (binding) {
    if (!event.repeat || binding->repeats) do_command(binding->command);
    return;
  }
  for (const Tool& tool : experiment_.info().tools)
    if (!tool.key.empty() && tool.key == event.key)
      hand_.click(event, hand_scene(layout, tool.id), state_.camera, [this](const Gesture& g) { perform(g); });
}

void Session::do_command(UiCommand command) {
  try {
    switch (command) {
      case UiCommand::play_pause:
        state_.playing = !state_.playing;
        break;
      case UiCommand::single_step:
        state_.playing = false;
        experiment_.advance(1);
        break;
      case UiCommand::restart:
        experiment_.restart();
        meet(false);
        break;
      case UiCommand::undo:
      case UiCommand::redo: {
        const bool back = command == UiCommand::undo;
        const std::string said = back ? experiment_.undo() : experiment_.redo();
        if (said.empty()) {
          tell(back ? "There is nothing to undo." : "There is nothing to do again.");
          break;
        }
        meet(false);
        tell(said);
        break;
      }
      case UiCommand::faster:
        pace_.faster();
        break;
      case UiCommand::slower:
        pace_.slower();
        break;
      case UiCommand::home_view:
        state_.camera = experiment_.setup().camera;
        break;
      case UiCommand::previous_scene:
      case UiCommand::next_scene:
        if (const Scene* scene = neighbour_scene(experiment_.setup(), command == UiCommand::next_scene ? 1 : -1))
          carry_out(OpenScene{scene->path()});
        break;
      case UiCommand::screenshot:
        wishes_.screenshot = true;
        break;
      case UiCommand::save_state: {
        State state = experiment_.simulation().save();
        if (state.preset.empty()) state.preset = experiment_.setup().preset;
        const std::string path = output_stem() + ".h5";
        save_state(state, path);
        tell("State saved: " + path);
        break;
      }
      case UiCommand::open_state:
        state_.overlay = Overlay::open_state;
        state_.path_error.clear();
        state_.path_begins = true;
        break;
      case UiCommand::copy_command_line:
        wishes_.clipboard = command_line_of(experiment_);
        tell("Copied: " + wishes_.clipboard);
        break;
      case UiCommand::save_script: {
        const std::string path = output_stem() + ".toml";
        save_script(experiment_, path);
        tell("Script saved: perturb --script " + path);
        break;
      }
      case UiCommand::toggle_panels:
        state_.panels = !state_.panels;
        state_.bare_color_bar = false;
        break;
      case UiCommand::toggle_color_bar: {
        bool& bar = state_.panels ? state_.color_bar : state_.bare_color_bar;
        bar = !bar;
        break;
      }
      case UiCommand::show_offered:
        if (!state_.offer.quantity.empty()) show_quantity(state_.offer.quantity);
        break;
      case UiCommand::fullscreen:
        wishes_.toggle_fullscreen = true;
        break;
      case UiCommand::help:
        state_.overlay = state_.overlay == Overlay::help ? Overlay::none : Overlay::help;
        break;
      case UiCommand::larger_text:
        state_.text_scale = std::min(most_text_scale, state_.text_scale * 1.1);
        break;
      case UiCommand::smaller_text:
        state_.text_scale = std::max(least_text_scale, state_.text_scale / 1.1);
        break;
      case UiCommand::focus_panel:
        state_.focus_panel = true;
        break;
      case UiCommand::close_overlay:
        // The topmost first. A list lies over everything; ImGui closes it too, where it has the keyboard.
        if (state_.list_open)
          state_.close_lists = true;
        else if (state_.overlay != Overlay::none)
          state_.overlay = Overlay::none;
        else if (state_.drawer_open)
          state_.drawer_open = false;
        else
          state_.hint = false;
        break;
      case UiCommand::quit:
        wishes_.quit = true;
        break;
    }
  } catch (const Error& error) {
    tell(error.what());
  }
}

void Session::carry_out(const Request& request) {
  if (const auto* command = std::get_if<UiCommand>(&request)) {
    do_command(*command);
  } else if (const auto* change = std::get_if<ParameterChange>(&request)) {
    state_.refusals.erase(change->id);
    try {
      const bool restarts = experiment_.simulation().parameters().find(change->id).apply == Apply::restart;
      experiment_.set_parameter(change->id, change->value, changing_ == change->id);
      if (restarts) meet(false);
      changing_ = change->id;
    } catch (const Error& error) {
      state_.refusals[change->id] = in_labels(error.what(), experiment_.info().parameters);
    }
  } else if (const auto* scene = std::get_if<OpenScene>(&request)) {
    try {
      experiment_.open(load_setup(scene->path));
      meet(true);
      state_.playing = true;
    } catch (const Error& error) {
      tell(error.what());
    }
  } else if (const auto* file = std::get_if<OpenState>(&request)) {
    try {
      Start start;
      start.state = std::make_shared<const State>(load_state(file->path));
      start.setup = setup_of(*start.state);
      start.load = file->path;
      experiment_.open(std::move(start));
      meet(true);
      state_.hint = false;
      state_.overlay = Overlay::none;
      tell("Going on from " + file->path + " at step " + std::to_string(experiment_.simulation().steps()));
    } catch (const Error& error) {
      state_.path_error = error.what();
    }
  } else if (const auto* kernel = std::get_if<ChooseKernel>(&request)) {
    try {
      experiment_.choose_kernel(kernel->id);
      pace_.forget();
    } catch (const Error& error) {
      tell(error.what());
    }
  } else if (const auto* quantity = std::get_if<ShowQuantity>(&request)) {
    show_quantity(quantity->id);
  } else if (std::holds_alternative<ResetParameters>(request)) {
    // Live ones first: one that needs a restart takes the others' new values with it.
    std::vector<ParameterChange> live, restarting;
    const ParameterSet parameters = experiment_.simulation().parameters();
    for (const Parameter& p : parameters.table())
      if (parameters.get(p) != default_of(p))
        (p.apply == Apply::live ? live : restarting).push_back({p.id, default_of(p)});
    // One deed together.
    live.insert(live.end(), restarting.begin(), restarting.end());
    changing_.clear();
    for (const ParameterChange& one : live) {
      carry_out(one);
      const std::size_t next = static_cast<std::size_t>(&one - live.data()) + 1;
      changing_ = next < live.size() && !changing_.empty() ? live[next].id : "";
    }
  } else if (std::holds_alternative<GoBack>(request)) {
    try {
      experiment_.go_back();
      meet(false);
      state_.playing = false;  // the cause may still be there: the user looks first
    } catch (const Error& error) {
      tell(error.what());
    }
  }
}

void Session::advance() {
  steps_now_ = 0;
  stepping_seconds_ = 0;
  if (!state_.playing || !experiment_.trouble().empty()) return;
  const int steps = pace_.steps();
  const auto start = std::chrono::steady_clock::now();
  try {
    experiment_.advance(steps);
  } catch (const InputError& error) {
    tell(error.what());  // a scheduled event that turned out to be impossible
  }
  stepping_seconds_ = seconds_since(start);
  steps_now_ = steps;
}

void Session::observe(bool wait) {
  if (!same_view(experiment_.shown(), shown_)) share_view();  // a script's event
  if (const std::string note = experiment_.take_note(); !note.empty()) tell(note);
  // At rest the numbers are of this very state, and the automatic range with them: the picture stays what it is.
  const bool rests = !state_.playing || !experiment_.trouble().empty();
  const Observed now{experiment_.simulation().steps(), experiment_.log().size(), shown_quantity().id,
                     state_.view.automatic};
  if (now == observed_) return;
  if (rests) wait = true;
  // On a large grid on the CPU, diagnostics cost as much as steps: they may take a tenth of the time.
  if (!wait && since_observed_ < 9 * observe_seconds_) return;
  if (wait) observed_ = now;
  const auto start = std::chrono::steady_clock::now();
  diagnostics_ = experiment_.simulation().diagnostics(resolved_view(), wait);
  experiment_.inspect(diagnostics_);
  observe_seconds_ = seconds_since(start);
  since_observed_ = 0;
  history_.add(diagnostics_);

  if (!state_.view.automatic) {
    has_range_ = false;
    return;
  }
  double low = diagnostics_.minimum, high = diagnostics_.maximum;
  if (!diagnostics_.finite || !std::isfinite(low) || !std::isfinite(high)) return;
  if (shown_quantity().is_signed) high = std::max(std::abs(low), std::abs(high)), low = -high;
  if (!(high > low)) return;  // all the same: keep the range there is
  // Grows at once, shrinks slowly: the colours do not flicker with every passing crest.
  const double yield = has_range_ ? 0.05 : 1;
  shown_minimum_ = has_range_ && low > shown_minimum_ ? shown_minimum_ + yield * (low - shown_minimum_) : low;
  shown_maximum_ = has_range_ && high < shown_maximum_ ? shown_maximum_ + yield * (high - shown_maximum_) : high;
  has_range_ = true;
}

void Session::end_frame(double frame_seconds, double busy_seconds) {
  since_observed_ += frame_seconds;
  value_age_ += frame_seconds;
  pointer_rest_ += frame_seconds;
  const double seen = std::min(frame_seconds, longest_counted_frame);
  state_.note_age += seen;
  if (state_.note_age > note_seconds) state_.note.clear();
  state_.offer.age += seen;
  if (state_.offer.age > note_seconds) state_.offer = {};

  if (steps_now_ > 0) {
    if (experiment_.backend().is_cuda())
      pace_.observe_frame(steps_now_, frame_seconds);
    else
      pace_.observe_steps(steps_now_, stepping_seconds_, std::max(0.0, busy_seconds - stepping_seconds_));
  }

  window_seconds_ += frame_seconds;
  window_frames_ += 1;
  window_steps_ += steps_now_;
  const bool first = rates_.frames_per_second == 0;
  if (window_seconds_ < (first ? 0.1 : 0.5)) return;
  rates_.frames_per_second = window_frames_ / window_seconds_;
  rates_.steps_per_second = static_cast<double>(window_steps_) / window_seconds_;
  if (experiment_.backend().is_cuda()) {
    rates_.is_bound = true;
    rates_.seconds_per_step = window_steps_ > 0 ? window_seconds_ / static_cast<double>(window_steps_) : 0;
  } else {
    rates_.seconds_per_step = pace_.seconds_per_step();
  }
  window_seconds_ = 0, window_frames_ = 0, window_steps_ = 0;
}

}  // namespace perturb
