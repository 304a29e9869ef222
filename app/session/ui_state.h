// What the interface remembers: plain data, and what the user has asked for since the last frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/browser/browser_entry.h"
#include "app/instruments/instrument.h"
#include "app/run/event.h"
#include "app/session/file_browsing.h"
#include "app/session/keys.h"
#include "app/session/theme.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Panels change nothing themselves: they ask, and the part of the session that has a handle() for it does it between
// frames. So a button, a key and a test take the same way, and no panel is left holding a simulation that has just been
// replaced.
struct OpenScene {
  std::string path;  // "wave/rain"
};
struct OpenState {
  std::string path;  // a file
};
struct ShowQuantity {
  std::string id;
};
struct ResetParameters {};
struct RestoreLastGood {};
struct OpenLesson {
  std::string lesson;  // "wave/two-slits", or a file
};
struct GoToStep {
  std::size_t index = 0;  // of the lesson that is open
};
struct AnswerQuestion {
  std::string text;                  // a number as it was typed
  int choice = -1;                   // of the question's choices; -1: a number was typed
  std::vector<CurvePoint> sketch{};  // or this was drawn
};
struct CloseLesson {};
struct OpenFile {
  std::string path;  // of a state, a preset, a script, a lesson or an image
};
struct UseImage {
  std::string kind;  // of action, that the waiting image becomes
};
struct SaveStateAs {
  std::string path;
};
struct ListFolder {
  std::string folder;
};
struct ChooseOutputFolder {
  std::string folder;
};
struct SavePreset {
  std::string title;
};
// The next press in the picture places one; a stopwatch begins at once.
struct PlaceInstrument {
  InstrumentKind kind = InstrumentKind::probe;
};
struct RemoveInstrument {
  int id = 0;  // 0: all
};
struct ChangeInstrument {
  Instrument changed;  // by its id
};
// What a probe has read, as a sound in a file.
struct SaveSound {
  int probe = 0;  // its id
};
// A probe is heard while it reads; the one that is heard already no longer.
struct PlayProbe {
  int probe = 0;  // its id
};
enum class ExportKind { curves, curves_image, fields, image, whole_window, numbers, image_to_clipboard, report };
struct Export {
  ExportKind what = ExportKind::curves;
};
struct StartFilm {};
// What the run before was, which ended without an end: goes on from there, or leaves it.
struct AnswerRecovery {
  bool wanted = false;
};
using Request =
    std::variant<UiCommand, ParameterChange, OpenScene, OpenState, ChooseKernel, ShowQuantity, ResetParameters,
                 RestoreLastGood, OpenLesson, GoToStep, AnswerQuestion, CloseLesson, SavePreset, OpenFile, UseImage,
                 SaveStateAs, ListFolder, ChooseOutputFolder, PlaceInstrument, RemoveInstrument, ChangeInstrument,
                 SaveSound, PlayProbe, Export, StartFilm, AnswerRecovery>;

enum class Tab { lesson, physics, view, plots, kernels };  // the first only while a lesson is open
enum class Overlay { none, help, files, image_use, browser, save_preset, export_files };
// Boxes that ask for an answer: while one is open, only keys that fields leave alone are commands.
inline bool is_question(Overlay overlay) {
  return overlay == Overlay::files || overlay == Overlay::image_use || overlay == Overlay::save_preset;
}
inline constexpr int scene_help_page = 1, lessons_help_page = 2;

// What was just done does not show in the quantity on the screen: another one is offered.
struct QuantitySuggestion {
  std::string action_label, quantity;  // "Dye", and the quantity's id; empty: nothing is offered
  double age = 0;                      // seconds
};

// The scene browser while it is open.
struct Browsing {
  BrowserEntries listing;
  char search[96] = "";
  std::size_t chosen = 0;           // of the entries that the search leaves, as they are shown
  bool just_opened = false;         // it has just been opened, or searched: the chosen one comes into sight
  std::vector<std::string> recent;  // keys of entries that were open, the last one first
};

// The title of a preset of one's own, while it is asked for.
struct PresetPrompt {
  char title[128] = "";
  std::string error;
  bool just_opened = false, replaces = false;  // just opened; there is one of this name
};

inline constexpr double least_text_scale = 0.6, most_text_scale = 3;

// A film under way, for whoever waits for it.
struct FilmProgress {
  std::int64_t frames = 0, all = 0;
  double seconds_left = 0;  // by the clock on the wall; 0: not known yet
};
struct FilmChoice {
  double seconds = 10;  // how long the film is
  bool as_gif = false;
};
// A run that was cut off and can be gone on with.
struct RecoveryOffer {
  std::string description;  // what it was; empty: there is none
  std::string state;        // the file
  bool was_closed = false;  // with the window; else the program was cut off
};
// A moment of the run that the user has saved in a file, as RunStatus tells it.
struct SavedRun {
  std::uint64_t opening = 0;
  std::int64_t steps = 0;
  std::uint64_t last_change = 0;
  bool operator==(const SavedRun&) const = default;
};

struct UiState {
  bool playing = true;
  bool panels = true;
  bool color_bar = true;  // over the picture
  // Where it stands: shares of the room that the picture leaves it, from the upper left corner.
  double bar_across = 1, bar_down = 1;
  bool bar_drag = false;                  // it is on its way
  bool color_bar_without_panels = false;  // the same while the panels are hidden
  bool presentation = false;              // the picture, its colour bar and a caption, and nothing else
  bool kiosk = false;                     // a kiosk: no box and no button comes up, and what fails ends by itself
  bool centred = true;                    // a range that follows a signed quantity is symmetric about zero
  Theme theme = Theme::dark;
  std::string language;         // chosen in the window, as --language spells it; empty: that of the environment
  bool reduced_motion = false;  // scenes begin paused, and nothing moves by itself
  bool hint = true;             // the bubble over the picture, until the first gesture
  // Where it stands, as the colour bar's place is told; for how long it has been there; whether it is on its way.
  double hint_across = 0.5, hint_down = 0, hint_age = 0;
  bool hint_drag = false;
  Tab tab = Tab::physics;
  Overlay overlay = Overlay::none;
  double text_scale = 1;     // times the monitor's scale
  bool drawer_open = false;  // the column over the picture, where it has no room beside it
  int help_page = 0;         // of the help's pages: keys and mouse, this scene, lessons

  std::string tool;                                              // id
  std::map<std::string, std::map<std::string, double>> brushes;  // settings by tool and field
  Camera camera;
  ViewSettings view;

  // Why a parameter's new value was refused, by id; shown below its slider until the next change.
  std::map<std::string, std::string> parameter_errors;
  // The value field that is being typed into (empty: none), and its text.
  std::string typing;
  char typed[64] = "";
  bool typing_just_started = false, typed_by_keys = false;
  std::string refocus;  // the value that has been typed, and gets the keyboard back
  // A slider's value moves by what the pointer is dragged, from where it was: a click moves nothing.
  bool drag_began = false;
  double drag_fraction = 0;
  float drag_x = 0;
  // A slider that is being dragged and takes hold only when it is let go.
  std::string pending;
  double pending_value = 0;

  char answer[64] = "";      // to a lesson's question, as it is being typed
  std::string answer_error;  // why it is no number
  // To a question that asks for a sketch: heights as shares of the axis, from left to right; below 0: none yet.
  std::vector<float> sketch;
  std::optional<std::pair<float, float>> pen;  // by keys, shares of the pad from its lower left corner; none: not taken
  std::optional<Theme> theme_before_lesson;    // which has chosen another

  FileBrowsing files;
  std::string image_path;     // of an image that waits for what it is to be
  std::string output_folder;  // the user's choice; empty: the desktop's folders
  std::string last_folder;    // of the file that was written last
  // Where the arrow keys have led the tool, in screen coordinates; none: the mouse has it.
  std::optional<Camera::Point> crosshair;
  bool keys_in_panel = false;  // since F6, until Esc or a click: arrows go through the panel
  bool focus_panel = false;    // the next frame gives the keyboard to the panel
  int tab_moves = 0;           // Tab pressed since the last look, Shift+Tab taken off: to what lies next in the panels
  bool tab_leaves = false;     // of this look: Tab leaves what is being typed
  bool type_value = false;     // the slider that the keyboard is on is to be typed into
  bool list_open = false;      // as of the last look: a list hangs over everything
  bool close_lists = false;    // the next look closes it

  std::map<std::string, std::vector<std::string>> overlaid_plots;  // that lie over another one, all by id
  std::vector<std::string> detached_plots;                         // in windows of their own over the picture, by id

  Browsing browsing;
  PresetPrompt preset;

  std::optional<InstrumentKind> placing;     // what the next press in the picture places
  int instrument = 0, instrument_place = 0;  // the one that is selected, by its id (0: none), and which of its places
  int audible_probe = 0;                     // the probe that is listened to, by its id; 0: none
  FilmChoice film_choice;
  std::optional<FilmProgress> film;
  bool caption = false;  // pictures that are saved say below what they show
  RecoveryOffer recovery;
  SavedRun saved;  // the last one

  std::string message;            // what has just happened, for the status line
  double message_age = 0;         // seconds
  bool message_is_error = false;  // it tells of a failure, and stays until it is dismissed
  std::string message_folder;     // that it offers to show; empty: none
  QuantitySuggestion suggestion;

  std::vector<Request> requests;
  void ask(Request request) { requests.push_back(std::move(request)); }
};

}  // namespace perturb
