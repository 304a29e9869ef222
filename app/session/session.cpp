#include "app/session/session.h"

#include <type_traits>
#include <variant>

#include "app/scenes/scenes.h"
#include "app/session/browsing.h"
#include "cuda/core/check.h"

namespace perturb {

namespace {

// A part names what it hears: it has a hear() for it.
template <class Part, class Asked>
constexpr bool hears = requires(Part& part, const Asked& asked) {
  part.hear(asked);
};

// Whether it was for this part. Of commands, each part hears some, and says whether this was one.
template <class Part, class Asked>
bool is_heard(Part& part, const Asked& asked) {
  if constexpr (hears<Part, Asked> && std::is_same_v<Asked, UiCommand>) {
    return part.hear(asked);
  } else if constexpr (hears<Part, Asked>) {
    part.hear(asked);
    return true;
  } else {
    return false;
  }
}

// By one of them.
template <class Asked, class... Parts>
void hear(const Asked& asked, Parts&... parts) {
  static_assert(std::is_same_v<Asked, UiCommand> || (int{hears<Parts, Asked>} + ...) == 1,
                "Each request has one part that hears it.");
  [[maybe_unused]] const bool is_done = (is_heard(parts, asked) || ...);
  PERTURB_ASSERT(is_done);
}

}  // namespace

Session::Session(Experiment& experiment, int steps_per_frame, Runner::Where where)
    : conversation_(experiment, where, state_),
      changes_(conversation_, state_, [this](bool scene) { meet(scene); }),
      view_(conversation_, state_),
      pointer_(conversation_.backend().is_cuda()),
      observation_(conversation_, state_, view_, pointer_),
      readings_(conversation_, instruments_),
      stepping_(conversation_, state_, readings_, steps_per_frame),
      parameters_(conversation_, state_, changes_,
                  [this](const std::string& id) { return lessons_.parameter_is_open(id); }),
      lessons_(conversation_, state_, changes_, parameters_, observation_.numbers()),
      instrument_desk_(conversation_, state_, view_, covers_, instruments_),
      loudspeaker_(conversation_, state_, instruments_),
      safekeeping_(conversation_, state_, instruments_),
      measurements_(conversation_, observation_, instruments_),
      output_(conversation_, state_),
      file_chooser_(conversation_, state_, output_),
      opener_(conversation_, state_, changes_, view_, lessons_, safekeeping_),
      exporter_(conversation_, state_, measurements_, instruments_, output_, wishes_),
      preset_desk_(conversation_, state_, stepping_.pace()),
      interface_(state_, wishes_),
      tools_(conversation_, state_, view_, lessons_, covers_, pointer_),
      input_(conversation_, state_, parameters_, instrument_desk_, tools_, pointer_,
             {[this](UiCommand command) { carry_out(command); },
              [this](const std::vector<std::string>& files) { opener_.open_dropped(files); }}) {
  changes_.stay_while([this] { return lesson() != nullptr; });
  meet(true);
}

// What is under way is given up first: its orders know the parts.
Session::~Session() { conversation_.end(); }

void Session::carry_out(const Request& request) {
  const auto by_one = [this](const auto& asked) {
    hear(asked, stepping_, changes_, view_, parameters_, lessons_, instrument_desk_, loudspeaker_, output_,
         file_chooser_, opener_, exporter_, preset_desk_, interface_);
  };
  // What may fail of requests is known to those who hear them.
  if (!std::holds_alternative<UiCommand>(request)) return std::visit(by_one, request);
  try {
    std::visit(by_one, request);
  } catch (const Error& error) {
    tell_failure(error.what());
  }
}

void Session::meet(bool scene) {
  const Scene& begun = *run().scene;
  tools_.meet(scene);
  instrument_desk_.meet(scene);
  // By the pace of before, where the scene has none of its own.
  readings_.meet(scene, begun.steps_per_frame > 0 ? begun.steps_per_frame : pace().wanted());
  stepping_.meet(scene);
  observation_.forget();
  view_.meet(scene);
  pointer_.forget_value();
  parameters_.meet(scene);
  lessons_.meet();
  if (!scene) return;
  safekeeping_.meet_scene();
  if (!lesson()) note_recent(state_.browsing, scene_path_of(begun.setup));
  state_.close_lists = true;  // they speak of the old one
  state_.hint = !begun.hint.empty();
  state_.hint_age = 0, state_.hint_drag = false;
}

// ---- a frame

void Session::handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard) {
  conversation_.begin_frame();
  for (const Request& request : std::exchange(state_.requests, {})) carry_out(request);
  input_.handle(events, layout, keyboard);
  view_.share();
}

bool Session::is_idle() {
  conversation_.take_in();
  return conversation_.is_idle();
}

void Session::observe(bool wait) {
  conversation_.refresh_status();
  if (conversation_.is_idle()) view_.share();  // a script's event
  readings_.read_cuts();
  observation_.look(wait, [this](const Diagnostics& numbers) {
    lessons_.look();
    view_.follow(numbers);
  });
}

void Session::paint(Pixels pixels, const ColorTable& table) {
  conversation_.ask_of_frame(job::Paint{pixels, &table, state_.camera, view_.resolved()}, [](JobResult&) {});
}

void Session::end_frame(double frame_seconds, double busy_seconds) {
  observation_.elapse(frame_seconds);
  pointer_.elapse(frame_seconds);
  readings_.elapse(frame_seconds);
  loudspeaker_.go_on();
  safekeeping_.end_frame(frame_seconds);
  conversation_.age_messages(frame_seconds);
  stepping_.end_frame(frame_seconds, busy_seconds);
}

}  // namespace perturb
