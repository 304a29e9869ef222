// What every panel gets: the session to read, the commands to give, its style and its place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/ui/plots/plot_ranges.h"
#include "app/ui/widgets/style.h"
#include "app/ui/widgets/value_row.h"

namespace perturb {

// Display properties for the status line.
struct DisplayInfo {
  std::string path;  // how pixels reach the screen: "interop", "host-mapped", "staged"
  Message notes;     // which fallback is used, and why
};

// Thumbnails of scenes, as textures for ImGui.
class ThumbnailTextures {
 public:
  virtual ~ThumbnailTextures() = default;
  // Texture of this scene; 0: not ready yet. The call requests the thumbnail.
  virtual std::uintptr_t texture_for(const std::string& scene) = 0;
};

// ---- states of the panels
// Every panel reads all of them; the one that owns a state gets it as an argument that it can write.

// A box over the view that can be dragged. Position: fractions of the free area of the view, from its top left corner.
struct FloatingBox {
  double across = 1, down = 1;
  bool is_dragged = false;
};
struct HintState {
  FloatingBox box{0.5, 0};
  double age = 0;  // seconds shown so far
  int scene = 0;   // Session::scenes() for which it counts
};
struct LessonPanelState {
  int visit = 0;            // LessonController::visits() to which the rest belongs, except the student
  bool second_try = false;  // the first try was wrong
  int refusals = 0;         // LessonController::refusals() handled so far
  char answer[64] = "";     // while being typed
  // A drawn answer: heights as fractions of the axis, from left to right; below 0: not drawn yet.
  std::vector<float> sketch;
  // For drawing by keys, fractions of the pad from its lower left corner; none: not active.
  std::optional<std::pair<float, float>> pen;
  std::array<char, 64> student{};  // name on the result sheet; kept until the program ends
};
struct FileBrowserState {
  int opened = 0, listed = 0;  // of FileBrowsing, to which the rest belongs
  char name[1024] = "";        // the file's name or whole path; typing selects among the listed files
  std::size_t chosen = 0;      // index of the chosen line
  bool by_arrows = false;      // the line was chosen with the arrow keys, in this folder
  bool just_opened = false;    // just opened, or just moved to another folder
  bool name_is_new = false;    // typed since the last error, which is then not shown
};
struct SceneBrowserState {
  int opened = 0;  // of Browsing, to which the rest belongs
  char search[96] = "";
  std::size_t chosen = 0;    // index among the entries that match the search, in display order
  bool just_opened = false;  // just opened or searched: scroll to the chosen entry
};
struct PresetPromptState {
  int opened = 0;  // of PresetPrompt, to which the rest belongs
  char title[128] = "";
  bool just_opened = false, replaces = false;  // just opened; a preset with this name exists
  bool title_is_new = false;                   // typed since the last error, which is then not shown
};
// A field for the source of a kernel (kernel_text.h).
struct KernelTextState {
  std::string text;          // while being typed
  int cursor = -1;           // position in the text in the last pass; -1: the field has no focus
  bool takes_focus = false;  // in the next pass
  int texts = 0;             // set by set_text, so far
  // The text that `replacement` has replaced, while that is unchanged; empty: none.
  std::string replaced, replacement;
};
struct SizeSweepState {
  double largest = 0;  // width chosen with the slider; 0: the default
};
struct KernelEditorState : KernelTextState {
  bool open = false;
  std::string simulation;                     // to which the text belongs
  std::map<std::string, std::string> others;  // texts of other simulations
  int handled = 0;                            // of KernelEditor::texts()
};
struct PuzzleCardState {
  bool open = false, begun = false;  // begun: the field contains the text of a puzzle
  std::size_t index = 0;             // among all_puzzles()
  KernelTextState field;
  std::map<std::string, std::string> texts;  // of the other puzzles
  int hints = 0;                             // that are unfolded
  int checks = 0;                            // PuzzleController::checks() to which the rest belongs
  bool shows_accesses = false;               // in place of the task
  int thread = 0;                            // of the map of accesses
};
// Zoom and cursor of the plots in the dock.
struct PlotDockState {
  struct Zoom {
    std::optional<PlotRange> x, y;  // none: automatic
  };
  // The newest part of the plots over time: a number of periods, or else a duration; both 0: the whole run.
  struct Newest {
    int periods = 0;
    double duration = 0;
  };
  int scene = 0;                     // Session::scenes() to which the rest belongs
  DisplayUnits units;                // in which the ranges are stored
  std::map<std::string, Zoom> zoom;  // by the id of a plot
  Newest newest;
  bool is_over_plot = false;  // in the last pass: the wheel zooms, and does not scroll
  double resize_from = 0;     // design pixels: height at the start of a drag of the upper edge
};
// The offer of a scene's whole count keeps its height in this scene, so that the rows around it stay in place.
struct CountOfferState {
  int scene = 0;     // Session::scenes() to which it belongs
  float height = 0;  // 0: not shown yet
};
struct PanelStates {
  FloatingBox color_bar;
  HintState hint;
  LessonPanelState lesson;
  FileBrowserState files;
  SceneBrowserState browser;
  PresetPromptState preset;
  KernelEditorState kernel_editor;
  SizeSweepState size_sweep;
  PuzzleCardState puzzle_card;
  PlotDockState plots;
  CountOfferState count_offer;
};

struct Panel {
  const Session& session;
  const Style& style;
  const Layout& layout;
  const DisplayInfo& display;
  const PanelStates& states;
  ValueRows& rows;
  PanelAreas& areas;               // covered by panels: each adds its own
  std::vector<Command>& commands;  // executed before the next frame
  ThumbnailTextures* thumbnails;   // null: no thumbnails

  const InterfaceState& interface() const { return session.interface(); }
  const RunStatus& run() const { return session.run(); }
  void ask(Command command) const { commands.push_back(std::move(command)); }
  // The row in the displayed units; its numbers and the result are in the simulation's.
  std::optional<double> value_row(const ValueInfo& info, const ValueRow& row) const;
  // A value's unit as displayed; `id`: of the value.
  DisplayUnit shown_unit(const std::string& unit, const std::string& id = {}) const {
    return display_unit(session.display_units(), unit, id);
  }
};

// A command's text with its key: "Previous scene  (PgUp)".
inline Message with_key(const Message& text, CommandId command) { return {"{}  ({})", text, shown_chord(command)}; }

}  // namespace perturb
