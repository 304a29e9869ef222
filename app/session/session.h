// A person at work with a run: events in, gestures, requests and steps asked of it. Knows no OpenGL and no ImGui, so
// that tests can click and press keys without a window.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/sound_out.h"
#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_run.h"
#include "app/run/automatic_range.h"
#include "app/run/experiment.h"
#include "app/run/runner.h"
#include "app/session/hand.h"
#include "app/session/history.h"
#include "app/session/input_event.h"
#include "app/session/instrument_hand.h"
#include "app/session/layout.h"
#include "app/session/pace.h"
#include "app/session/rates.h"
#include "app/session/ui_state.h"

namespace perturb {

class Autosave;
class Listening;
// A script as it is done again in the window.
struct ScriptRun {
  Start start;
  std::vector<Event> events;
};

// What only the window can do.
struct Wishes {
  bool screenshot = false, toggle_fullscreen = false, quit = false;
  std::string clipboard;  // to be put there; empty: nothing
  // Other pictures: of the window with its panels, for the clipboard, of the curves, and a lab report with all of them.
  bool whole_window = false, picture_to_clipboard = false, curves_picture = false, report = false;
  bool begin_film = false, end_film = false;
  bool any_picture() const { return screenshot || picture_to_clipboard || report; }
  bool any() const {
    return any_picture() || toggle_fullscreen || quit || !clipboard.empty() || whole_window || curves_picture ||
           begin_film || end_film;
  }
};

// The run answers at once where it lives on this thread. Else a frame waits for it for a moment, in which short steps
// are done, and then goes on without: what was asked is done in turn, and the facts are those of the last answer.
class Session {
 public:
  // `steps_per_frame` 0: as the scene has it, else the program. The experiment outlives it, and is the run's alone
  // while orders are under way.
  Session(Experiment& experiment, int steps_per_frame, Runner::Where where = Runner::Where::here);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The run as it is shown.
  const RunFacts& run() const { return *runner_.facts(); }
  const SimulationInfo& info() const { return *run().info; }
  const Backend& backend() const { return backend_; }
  UiState& state() { return state_; }
  const UiState& state() const { return state_; }
  Pace& pace() { return pace_; }
  const Hand& hand() const { return hand_; }
  const History& history() const { return history_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const Rates& rates() const { return rates_.rates(); }
  // The lesson that is open; null: none.
  const LessonRun* lesson() const { return lesson_ ? &*lesson_ : nullptr; }
  const LessonProgress& progress() const { return progress_; }
  // What is reached in lessons is kept in this file from now on (lesson_progress.h).
  void keep_progress_in(const std::string& path);
  // Shows a lesson as it stands in a run that its step has already begun.
  void show_lesson(LessonRun lesson);
  // Whether an open lesson leaves it to whoever takes it.
  bool parameter_is_open(const std::string& id) const { return !lesson_ || lesson_->parameter_is_open(id); }
  bool tool_is_open(const std::string& id) const { return !lesson_ || lesson_->tool_is_open(id); }
  const std::string& value_under_pointer() const { return value_; }
  // The drag that goes on will do something when its button is let go: what that is goes by the line from its press.
  bool aims() const { return aims_; }
  // How long each undo and redo took the run, in seconds.
  const std::vector<double>& undo_seconds() const { return undo_seconds_; }
  // For how long the run has been at what it was asked, in seconds; 0: it rests.
  double waiting() const { return waiting_; }
  // In the domain's length units; meaningful while the pointer is over the domain.
  Camera::Point pointer() const { return pointer_; }
  bool pointer_in_domain() const { return pointer_in_domain_; }

  const Instruments& instruments() const { return instruments_; }
  DomainSize domain() const { return {run().domain_width, run().domain_height}; }
  // The simulation's curves, and the instruments'.
  std::vector<Curve> all_curves() const;
  // The numbers over time.
  std::vector<Curve> curves_over_time() const;
  // All that is measured now, as lines of text.
  std::string numbers() const;
  // An instrument that is there from the beginning. Throws InputError.
  void add_instrument(Instrument instrument);
  // All that instruments need is read at once, of this very moment: for a picture that stands alone.
  void read_instruments();
  // Probes read at steps that this divides; read_probes() does so now, for a front that takes the steps itself.
  std::int64_t read_every() const { return read_every_; }
  void read_probes();

  // The run is kept in this folder from now on, every so often and beside it, for as long as the program lives; what a
  // program that was cut off has left there is offered. Empty: nothing is kept.
  void keep_safe_in(const std::string& folder);
  // The run since its last restart as a script; `words` are told when it is there.
  void save_script_to(const std::string& path, const std::string& words);

  // Who has the keyboard: nobody but us, a text field, or the panel's keyboard navigation.
  enum class Keyboard { free, typing, navigating };
  // One frame's events, in order, and the requests that the panels made in the last one.
  void handle(const std::vector<InputEvent>& events, const Layout& layout, Keyboard keyboard);
  // Whether all is done that was asked of the run; takes in what has been answered.
  bool rests();
  // Asks for this frame's steps, if the run is playing.
  void advance();
  // Asks for diagnostics, for the plots, the automatic range and the watch over finite numbers. Only a picture that
  // stands alone waits for the device.
  void observe(bool wait);
  // Asks for the picture, in memory that is lent until the run rests. `table` is that of resolved_view()'s colormap.
  void paint(Pixels pixels, const ColorTable& table);
  // Called on the run's thread when it rests again.
  void when_done(std::function<void()> call) { runner_.when_done(std::move(call)); }
  // At the end of a frame: how long it took, and how much of that was work rather than waiting for the display.
  void end_frame(double frame_seconds, double busy_seconds);

  // The view with nothing left open: quantity, colormap and range as they are to be painted.
  ViewSettings resolved_view() const;
  const Quantity& shown_quantity() const;

  // Panels tell where they lie over the picture, for the next frame's clicks.
  void begin_covers() { covers_.clear(), covers_all_ = false; }
  void cover(const Rect& rect) { covers_.push_back(rect); }
  void cover_all() { covers_all_ = true; }

  Wishes take_wishes();
  // Parameters are then named by their labels.
  void tell(const std::string& note);
  // The same of what went wrong: it looks like that, and stays until it is dismissed, or a minute.
  void tell_failure(const std::string& note);
  // "Picture saved: NAME in FOLDER", with the folder at hand.
  void tell_written(const std::string& what, const std::string& path);
  // Parameter defaults: the preset's own, else the table's.
  double default_of(const Parameter& parameter) const;
  // What files go to that folder of the user's choice, else: to one for pictures or one for everything else.
  enum class Output { picture, document };
  // "/home/me/Pictures/perturb-wave-rain-1200": how the names of files begin that are written now.
  std::string output_stem(Output output = Output::document) const;
  // Where files go that nobody has chosen a folder for; "": the folder that the program was started in.
  void put_files_in(const std::string& pictures, const std::string& documents);
  // How a script's run begins, and its events.
  using ReadScript = std::function<ScriptRun(const std::string& path, const Scene& now)>;
  void read_scripts_by(ReadScript read) { read_script_ = std::move(read); }
  // The loudspeaker that probes are heard by.
  void sound_by(OpenSound open) { open_sound_ = std::move(open); }

 private:
  using Then = Runner::Then;
  // Asks the run, and waits for its answer as long as the frame may. `then` throws what it does not expect; what is an
  // Error is told.
  void ask(Order order, Then then);
  // The same, where a failure is no message but the end.
  void ask_of_frame(Order order, Then then);
  void post(Order order, Then then);

  // Instruments (instrument_requests.cpp).
  bool hear_instruments(const Request& request);
  bool hear_instrument_key(const InputEvent& event, const Layout& layout);
  InstrumentHand::Scene instrument_scene(const Layout& layout) const;
  void read_cuts();
  void meet_instruments(bool scene);
  void listen_to(int probe);
  void keep_listening();
  // Exports and films (export_requests.cpp).
  bool hear_exports(const Request& request);
  void export_curves();
  void save_sound(int probe);
  // Autosave (autosave_requests.cpp).
  void keep_safe(double seconds);
  void take_rescue(bool wanted);
  // This file has been opened: what was kept of the run before is no longer needed.
  void is_rescued(const std::string& path);

  // What keys, buttons and panels ask for (requests.cpp).
  void carry_out(const Request& request);
  void open(const std::string& path, std::function<Start()> start, Then then);
  // Lessons (lesson_requests.cpp).
  void open_lesson(const std::string& lesson);
  void close_lesson();
  void take_lessons_look();
  void go_to_step(std::size_t index);
  void answer_question(const AnswerQuestion& answer);
  void reach_in_lesson();
  void meet_step();
  // The path of the scene that will be shown when all is answered; a state file's own, while it is being opened.
  std::string scene_asked_for() const;
  void save();
  // The scene browser (browser_requests.cpp).
  void open_browser();
  void note_recent(const std::string& key);
  // Files (file_requests.cpp).
  std::string output_folder(Output output) const;  // "", or with a slash at its end
  void show_output_folder();
  void browse_files(FileBrowsing::Purpose purpose);
  void list_files_in(const std::string& folder);
  void save_state_as(const std::string& path);
  void open_file(const std::string& path);
  void open_script(const std::string& path);
  void take_image(const std::string& path);
  void use_image(const std::string& kind);
  void open_dropped(const std::vector<std::string>& paths);
  // A preset of one's own (preset_requests.cpp).
  void ask_for_preset_title();
  void save_as_preset(const std::string& title);
  void set_parameters(std::vector<ParameterChange> changes, bool goes_on);
  void do_command(UiCommand command);
  // Mouse and keys (input.cpp).
  void handle_key(const InputEvent& event, const Layout& layout, Keyboard keyboard);
  // The crosshair (crosshair.cpp): whether the key was its own.
  bool lead_crosshair(const InputEvent& key, const Layout& layout);
  void poke(InputEvent::Kind kind, InputEvent::Button button, const InputEvent& key, const Layout& layout);
  void drop_crosshair(const Layout& layout);
  void perform(const Gesture& gesture);
  void look_for_aim(const Gesture& press);
  // The brush's field that the wheel changes with Ctrl; null: none.
  const ValueInfo* wheel_field(const std::string& tool) const;
  void resize_brush(const std::string& tool, double notches);
  void choose_tool(std::size_t index);
  void show_quantity(const std::string& id);
  // The experiment has another simulation; `scene`: another scene too, with a view and tools of its own.
  void meet(bool scene);
  bool value_is_due() const;
  // The view is the experiment's: what the panels changed goes there, and what a script changed comes from there.
  void share_view();
  Hand::Scene hand_scene(const Layout& layout, const std::string& tool) const;

  const Backend& backend_;
  UiState state_;
  int steps_per_frame_ = 0;  // what the command line asked for
  Pace pace_;
  Hand hand_;
  History history_;
  std::optional<LessonRun> lesson_;
  LessonProgress progress_;
  std::string pictures_folder_, documents_folder_;
  ReadScript read_script_;
  Diagnostics diagnostics_;
  RateCounter rates_;
  AutomaticRange range_;
  Wishes wishes_;
  std::map<std::string, double> defaults_;
  std::string changing_;             // the parameter whose slider is on its way since the last press
  ViewChange shown_;                 // as the run knew it last, or will when it has answered
  int views_asked_ = 0;              // changes of the view that are not answered yet
  std::deque<std::string> opening_;  // scenes and states that are not answered yet, by path
  std::vector<Rect> covers_;
  bool covers_all_ = false;

  bool aims_ = false;
  bool crosshair_drags_ = false;
  double waiting_ = 0;
  std::vector<double> undo_seconds_;
  Instruments instruments_;
  InstrumentHand instrument_hand_;
  std::string instruments_of_;   // the simulation that they measure
  std::int64_t read_every_ = 1;  // steps between a probe's readings
  double cut_age_ = 1, cut_seconds_ = 0, refresh_age_ = 0;
  std::int64_t cut_step_ = -1;
  int cut_generation_ = -1;
  std::size_t cut_events_ = 0;
  OpenSound open_sound_;
  std::unique_ptr<Listening> listening_;
  std::unique_ptr<Autosave> autosave_;
  std::string safe_failure_;  // as it was told last
  double safe_age_ = 0;
  std::int64_t safe_step_ = -1;
  std::size_t safe_events_ = 0;

  std::string value_;
  Camera::Point pointer_{0, 0}, fraction_{0, 0};
  bool pointer_in_domain_ = false, pointer_moved_ = false;
  double pointer_rest_ = 0, value_age_ = 1;

  // Since the last frame's end.
  std::int64_t steps_now_ = 0, paced_step_ = 0;
  double paced_time_ = 0;
  double stepping_seconds_ = 0;
  double observe_seconds_ = 0, since_observed_ = 1;
  // What was last looked at with waiting for it: while it is the same, there is nothing new to see.
  struct Observed {
    std::int64_t steps = -1;
    std::size_t deeds = 0;
    std::string quantity;
    bool automatic = false;
    bool operator==(const Observed&) const = default;
  };
  Observed observed_;
  Runner::Clock::time_point answer_by_;  // until when this frame waits
  Runner runner_;                        // ends first: what is under way is given up
};

// "picture.png in /home/somebody": for a message that says where a file is.
std::string in_its_folder(const std::string& path);

}  // namespace perturb
