// State of the interface: plain data, the requests since the last frame, and the commands that change nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/browser/browser_entry.h"
#include "app/instruments/instrument.h"
#include "app/io/files/folders.h"
#include "app/run/run.h"
#include "app/session/input_events.h"
#include "cuda/core/paint/camera.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Themes of the window. Files and the command line use the ids listed here.
enum class Theme { dark, light, high_contrast };

struct ThemeName {
  Theme theme;
  const char* id;     // "high-contrast"
  const char* label;  // "High contrast"
};
std::span<const ThemeName> theme_names();
const char* id_of(Theme theme);
// Throws InputError with the list of themes.
Theme theme_of(const std::string& id);

// State of the dialog in which a file or folder is chosen.
struct FileBrowsing {
  enum class Purpose { open, save_state, output_folder };
  Purpose purpose = Purpose::open;
  FolderListing listing;
  char name[1024] = "";      // the file's name or whole path; typing selects among the listed files
  Message error;             // why the last file could not be opened or written
  std::string replaces;      // the file that a second press of "Save" overwrites
  std::size_t chosen = 0;    // index of the chosen line
  bool by_arrows = false;    // the line was chosen with the arrow keys, in this folder
  bool just_opened = false;  // just opened, or just moved to another folder
};

// Panels change nothing themselves: they make requests, and the part of the session that has a handle() for a request
// executes it between frames. A button, a key and a test thus use the same path, and no panel keeps a reference to a
// replaced simulation.
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
  std::size_t index = 0;  // of the open lesson
};
struct AnswerQuestion {
  std::string text;                  // a number as typed
  int choice = -1;                   // index of the choice; -1: a number was typed
  std::vector<CurvePoint> sketch{};  // the drawn answer
};
struct CloseLesson {};
struct OpenFile {
  std::string path;  // of a state, a preset, a script, a lesson or an image
};
struct UseImage {
  std::string kind;  // kind of action for which the pending image is used
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
// The next press in the view places one; a stopwatch starts at once.
struct PlaceInstrument {
  InstrumentKind kind = InstrumentKind::probe;
};
struct RemoveInstrument {
  int id = 0;  // 0: all
};
struct ChangeInstrument {
  Instrument changed;  // identified by its id
};
// Saves the readings of a probe as a sound file.
struct SaveSound {
  int probe = 0;  // its id
};
// Plays a probe as sound; stops it if it is already being played.
struct PlayProbe {
  int probe = 0;  // its id
};
enum class ExportKind { curves, curves_image, fields, image, whole_window, numbers, image_to_clipboard, report };
struct Export {
  ExportKind what = ExportKind::curves;
};
struct StartFilm {};
// Answers the offer to recover the interrupted run: resume or discard.
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
// Dialogs that ask for an answer: only keys that fields do not use remain commands while one is open.
inline bool is_question(Overlay overlay) {
  return overlay == Overlay::files || overlay == Overlay::image_use || overlay == Overlay::save_preset;
}
inline constexpr int scene_help_page = 1, lessons_help_page = 2;

// The last action is not visible in the displayed quantity: suggests another one.
struct QuantitySuggestion {
  std::string action_label, quantity;  // "Dye", and the quantity's id; empty: no suggestion
  double age = 0;                      // seconds
};

// State of the scene browser while it is open.
struct Browsing {
  BrowserEntries listing;
  char search[96] = "";
  std::size_t chosen = 0;           // index among the entries that match the search, in display order
  bool just_opened = false;         // just opened or searched: scroll to the chosen entry
  std::vector<std::string> recent;  // keys of opened entries, most recent first
};

// State of the dialog that asks for the title of a user preset.
struct PresetPrompt {
  char title[128] = "";
  Message error;
  bool just_opened = false, replaces = false;  // just opened; a preset with this name exists
};

inline constexpr double least_text_scale = 0.6, most_text_scale = 3;

// Progress of a video export.
struct FilmProgress {
  std::int64_t frames = 0, all = 0;
  double seconds_left = 0;  // wall-clock time; 0: not known yet
};
struct FilmChoice {
  double seconds = 10;  // length of the video
  bool as_gif = false;
};
// An interrupted run that can be resumed.
struct RecoveryOffer {
  Message description;      // of the run; empty: there is none
  std::string state;        // the file
  bool was_closed = false;  // closed with the window; otherwise the program crashed
};
// The step and time of a run that the user has saved in a file, as in RunStatus.
struct SavedRun {
  std::uint64_t opening = 0;
  std::int64_t steps = 0;
  std::uint64_t last_change = 0;
  bool operator==(const SavedRun&) const = default;
};

struct UiState {
  bool playing = true;
  bool panels = true;
  bool color_bar = true;  // drawn over the view
  // Position: fractions of the free area of the view, from its top left corner.
  double bar_across = 1, bar_down = 1;
  bool bar_drag = false;                  // it is being dragged
  bool color_bar_without_panels = false;  // the same while the panels are hidden
  bool presentation = false;              // only the view, its colour bar and a caption
  bool kiosk = false;                     // kiosk mode: no dialogs or buttons appear, and errors resolve themselves
  bool centred = true;                    // an automatic range of a signed quantity is symmetric about zero
  Theme theme = Theme::dark;
  std::string language;         // chosen in the window, in the spelling of --language; empty: from the environment
  bool reduced_motion = false;  // scenes start paused, and nothing is animated
  bool hint = true;             // the hint over the view, until the first gesture
  // Position, as for the colour bar; how long it has been shown; whether it is being dragged.
  double hint_across = 0.5, hint_down = 0, hint_age = 0;
  bool hint_drag = false;
  Tab tab = Tab::physics;
  Overlay overlay = Overlay::none;
  double text_scale = 1;     // relative to the monitor's scale
  bool drawer_open = false;  // the column is open over the view because it does not fit next to it
  int help_page = 0;         // page of the help: keys and mouse, this scene, lessons

  std::string tool;                                              // id of the tool
  std::map<std::string, std::map<std::string, double>> brushes;  // settings by tool and field
  Camera camera;
  ViewSettings view;

  // Why the new value of a parameter was rejected, by id; shown below its slider until the next change.
  std::map<std::string, Message> parameter_errors;
  // The value field being edited (empty: none), and its text.
  std::string typing;
  char typed[64] = "";
  bool typing_just_started = false, typed_by_keys = false;
  std::string refocus;  // the field whose value was entered, and that gets the focus back
  // A slider changes by the dragged distance from its old value: a click alone changes nothing.
  bool drag_began = false;
  double drag_fraction = 0;
  float drag_x = 0;
  // A slider being dragged whose value is applied on release.
  std::string pending;
  double pending_value = 0;

  char answer[64] = "";  // to the question of a lesson, while being typed
  Message answer_error;  // why it is not a number
  // Answer to a question that asks for a sketch: heights as fractions of the axis, from left to right; below 0: not
  // drawn yet.
  std::vector<float> sketch;
  std::optional<std::pair<float, float>>
      pen;  // for drawing by keys, fractions of the pad from its lower left corner; none: not active
  std::optional<Theme> theme_before_lesson;  // set while a lesson has chosen another theme

  FileBrowsing files;
  std::string image_path;     // path of an image while the dialog asks how to use it
  std::string output_folder;  // the user's choice; empty: the desktop's folders
  std::string last_folder;    // of the last file written
  // Position of the keyboard crosshair in screen coordinates; none: the mouse controls the tool.
  std::optional<Camera::Point> crosshair;
  bool keys_in_panel = false;  // from F6 until Esc or a click: arrows move through the panel
  bool focus_panel = false;    // the next frame moves the focus to the panel
  int tab_moves = 0;        // presses of Tab since the last pass, minus those with Shift: moves the focus in the panels
  bool tab_leaves = false;  // in this pass: Tab leaves the field being edited
  bool type_value = false;  // start typing into the focused slider
  bool list_open = false;   // in the last pass: a list is open over everything
  bool close_lists = false;  // the next pass closes it

  std::map<std::string, std::vector<std::string>> overlaid_plots;  // plots drawn over another one, by id
  std::vector<std::string> detached_plots;                         // in their own windows over the view, by id

  Browsing browsing;
  PresetPrompt preset;

  std::optional<InstrumentKind> placing;  // kind that the next press in the view places
  int instrument = 0,
      instrument_place = 0;  // id of the selected instrument (0: none), and the index of its selected point
  int audible_probe = 0;     // id of the probe being played; 0: none
  FilmChoice film_choice;
  std::optional<FilmProgress> film;
  bool caption = false;  // saved images get a caption below
  RecoveryOffer recovery;
  SavedRun saved;  // the last save

  Message message;                // the last message of the status line
  double message_age = 0;         // seconds
  bool message_is_error = false;  // it reports an error, and stays until it is dismissed
  std::string message_folder;     // folder that the message offers to open; empty: none
  QuantitySuggestion suggestion;

  std::vector<Request> requests;
  void ask(Request request) { requests.push_back(std::move(request)); }
};

// Opens the scene browser, or closes it if it is open.
void toggle_browser(UiState& state);
// Records that this entry was opened; `key` as in BrowserEntry::key().
void add_recent(Browsing& browsing, const std::string& key);

// Requests that only the window can serve: made by a session, taken by the owner of the window.
struct WindowRequests {
  bool screenshot = false, toggle_fullscreen = false, quit = false;
  std::string clipboard;  // text for the clipboard; empty: none
  // Other images: of the window with its panels, for the clipboard, of the curves; and a lab report with all of them.
  bool whole_window = false, image_to_clipboard = false, curves_image = false, report = false;
  bool begin_film = false, end_film = false;
  bool any_image() const { return screenshot || image_to_clipboard || report; }
  bool any() const {
    return any_image() || toggle_fullscreen || quit || !clipboard.empty() || whole_window || curves_image ||
           begin_film || end_film;
  }
};

// Commands that only change the interface or that the window executes: dialogs, panels, text size.
class InterfaceCommands {
 public:
  InterfaceCommands(UiState& state, WindowRequests& window_requests)
      : state_(state), window_requests_(window_requests) {}

  bool handle(UiCommand command);

 private:
  void toggle(Overlay overlay) { state_.overlay = state_.overlay == overlay ? Overlay::none : overlay; }
  void toggle_panels();
  void toggle_presentation();
  void show_measuring();
  void close_topmost();

  UiState& state_;
  WindowRequests& window_requests_;
};

}  // namespace perturb
