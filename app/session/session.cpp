#include "app/session/session.h"

#include <type_traits>
#include <variant>

#include "app/io/preset/scenes.h"
#include "app/session/ui_state.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// Whether the part has a handle() for this request.
template <class Part, class Asked>
constexpr bool handles = requires(Part& part, const Asked& asked) {
  part.handle(asked);
};

// Whether the part handled the request. Each part handles some commands, and returns whether it did.
template <class Part, class Asked>
bool try_dispatch(Part& part, const Asked& asked) {
  if constexpr (handles<Part, Asked> && std::is_same_v<Asked, UiCommand>) {
    return part.handle(asked);
  } else if constexpr (handles<Part, Asked>) {
    part.handle(asked);
    return true;
  } else {
    return false;
  }
}

// Passes the request to the part that handles it.
template <class Asked, class... Parts>
void dispatch(const Asked& asked, Parts&... parts) {
  static_assert(std::is_same_v<Asked, UiCommand> || (int{handles<Parts, Asked>} + ...) == 1,
                "Each request has one part that handles it.");
  [[maybe_unused]] const bool is_done = (try_dispatch(parts, asked) || ...);
  PERTURB_ASSERT(is_done);
}

}  // namespace

Session::Session(Experiment& experiment, int steps_per_frame, Runner::Where where)
    : client_(experiment, where, state_),
      switcher_(client_, state_, [this](bool new_scene) { on_run_replaced(new_scene); }),
      view_(client_, state_),
      pointer_(client_.backend().is_cuda()),
      diagnostics_poller_(client_, state_, view_, pointer_),
      readings_(client_, instruments_),
      playback_(client_, state_, readings_, steps_per_frame),
      parameters_(client_, state_, switcher_, [this](const std::string& id) { return lessons_.parameter_is_open(id); }),
      lessons_(client_, state_, switcher_, parameters_, diagnostics_poller_.latest()),
      instrument_controller_(client_, state_, view_, panel_areas_, instruments_),
      audio_output_(client_, state_, instruments_),
      autosave_controller_(client_, state_, instruments_),
      measurements_(client_, diagnostics_poller_, instruments_),
      output_(client_, state_),
      file_chooser_(client_, state_, output_),
      file_opener_(client_, state_, switcher_, view_, lessons_, autosave_controller_),
      exporter_(client_, state_, measurements_, instruments_, output_, window_requests_),
      preset_controller_(client_, state_, playback_.pace()),
      interface_(state_, window_requests_),
      tools_(client_, state_, view_, lessons_, panel_areas_, pointer_),
      input_(client_, state_, parameters_, instrument_controller_, tools_, pointer_,
             {[this](UiCommand command) { handle_request(command); },
              [this](const std::vector<std::string>& files) { file_opener_.open_dropped(files); }}) {
  switcher_.block_scene_undo_while([this] { return lesson() != nullptr; });
  on_run_replaced(true);
}

// Cancels the running job first, because jobs refer to the parts.
Session::~Session() { client_.disconnect(); }

void Session::handle_request(const Request& request) {
  const auto by_one = [this](const auto& asked) {
    dispatch(asked, playback_, switcher_, view_, parameters_, lessons_, instrument_controller_, audio_output_, output_,
             file_chooser_, file_opener_, exporter_, preset_controller_, interface_);
  };
  // Errors of requests are handled by the part that handles the request.
  if (!std::holds_alternative<UiCommand>(request)) return std::visit(by_one, request);
  try {
    std::visit(by_one, request);
  } catch (const Error& error) {
    show_error(error.message());
  }
}

void Session::on_run_replaced(bool new_scene) {
  const Scene& begun = *run().scene;
  tools_.on_run_replaced(new_scene);
  instrument_controller_.on_run_replaced(new_scene);
  // Keeps the previous speed if the scene does not define one.
  readings_.on_run_replaced(new_scene, begun.steps_per_frame > 0 ? begun.steps_per_frame : pace().requested());
  playback_.on_run_replaced(new_scene);
  diagnostics_poller_.forget();
  view_.on_run_replaced(new_scene);
  pointer_.forget_value();
  parameters_.on_run_replaced(new_scene);
  lessons_.on_run_replaced();
  if (!new_scene) return;
  autosave_controller_.on_scene_replaced();
  if (!lesson()) add_recent(state_.browsing, scene_path_of(begun.setup));
  state_.close_lists = true;  // open lists refer to the previous scene
  state_.hint = !begun.hint.empty();
  state_.hint_age = 0, state_.hint_drag = false;
}

// ---- a frame

void Session::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  client_.begin_frame();
  for (const Request& request : std::exchange(state_.requests, {})) handle_request(request);
  input_.handle(events, layout, keyboard);
  view_.sync_with_run();
}

bool Session::is_idle() {
  client_.poll();
  return client_.is_idle();
}

void Session::observe(bool wait) {
  client_.refresh_status();
  if (client_.is_idle()) view_.sync_with_run();  // changed by a script's event
  readings_.read_cuts();
  diagnostics_poller_.poll(wait, [this](const Diagnostics& numbers) {
    lessons_.check_answer();
    view_.follow(numbers);
  });
}

void Session::paint(Pixels pixels, const ColorTable& table) {
  client_.run_frame_job(job::Paint{pixels, &table, state_.camera, view_.resolved()}, [](JobResult&) {});
}

void Session::end_frame(double frame_seconds, double busy_seconds) {
  diagnostics_poller_.elapse(frame_seconds);
  pointer_.elapse(frame_seconds);
  readings_.elapse(frame_seconds);
  audio_output_.update();
  autosave_controller_.end_frame(frame_seconds);
  client_.age_messages(frame_seconds);
  playback_.end_frame(frame_seconds, busy_seconds);
}

}  // namespace perturb
