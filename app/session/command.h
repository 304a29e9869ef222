// Commands: everything that a user can ask of a session. Keys, buttons, menus, the kiosk and tests all use them.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/commands/commands.h"
#include "app/instruments/instrument.h"
#include "app/run/run.h"
#include "app/session/interface.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// ---- what is open
struct OpenScene {
  std::string path;  // "wave/rain"
};
struct OpenFile {
  std::string path;  // of a state, a preset, a script, a lesson or an image
};
struct DropFiles {
  std::vector<std::string> paths;
};
struct UseImage {
  std::string kind;  // kind of action for which the pending image is used
};
// Answers the offer to recover the interrupted run: resume or discard.
struct AnswerRecovery {
  bool wanted = false;
};
// Restarts the scene with this many of what its width counts (Scene::count).
struct ChangeCount {
  int count = 0;
};
// Restarts the race: its lanes get the same time, or take the same steps.
struct ChangeRace {
  bool by_time = false;
};
// Measures the times of the kernels of the current run that have none yet; all of them again if all have one.
struct MeasureKernels {
  bool on = true;  // false: stops a measurement in progress
};
// Measures the kernels on grids of widths up to `largest`.
struct MeasureSizes {
  int largest = 0;
  bool on = true;  // false: stops a measurement in progress
};
// Compiles the text of the editor and uses it as the kernel.
struct CompileKernel {
  std::string text;
};
// Checks and scores a text for a puzzle.
struct CheckPuzzle {
  std::string puzzle, text;
};
// Saves the text of the editor as a file in the output folder.
struct SaveKernelText {
  std::string text;
};
// Answers whether a text from a file may be compiled.
struct AnswerUnreadKernel {
  bool accepted = false;
};

// Measures where the time of the window's frames goes, until it is turned off.
struct MeasureFrames {
  bool on = true;
};

// Shows this step of the past that is kept; the run continues from it.
struct ReturnToStep {
  std::int64_t step = 0;
};

// ---- tools and view
struct ChooseTool {
  std::string id;
};
struct ChangeBrush {
  std::string tool, field;
  double value = 0;
};
struct ShowQuantity {
  std::string id;
};
struct ChangeView {
  ViewSettings view;
  bool centred = true;  // an automatic range of a signed quantity is symmetric about zero
};

// ---- lessons
struct OpenLesson {
  std::string lesson;  // "wave/two-slits", or a file
};
struct AnswerQuestion {
  std::string text;                  // a number as typed
  int choice = -1;                   // index of the choice; -1: a number was typed
  std::vector<CurvePoint> sketch{};  // the drawn answer
};
// Saves a lesson on paper, for teachers (teacher_sheet.h).
struct SaveTeacherSheet {
  std::string lesson;  // "wave/two-slits"
};
// Saves the answers and points of the open lesson: as a CSV file, or as a page for paper.
struct SaveResultSheet {
  std::string student;     // the name
  bool for_paper = false;  // as a page of HTML instead
};

// ---- files
struct ListFolder {
  std::string folder;
};
struct SaveStateAs {
  std::string path;
};
struct ChooseOutputFolder {
  std::string folder;
};
struct SavePreset {
  std::string title;
};
// Saves the readings of a probe as a sound file.
struct SaveSound {
  int probe = 0;  // its id
};
enum class ExportKind {
  curves,
  curves_image,
  fields,
  image,
  whole_window,
  numbers,
  kernels,
  kernel_sizes,
  image_to_clipboard,
  report
};
struct Export {
  ExportKind what = ExportKind::curves;
};
struct CopyText {
  std::string text;
};

// ---- objects of the scene
struct SelectObject {
  int object = 0;  // its id; 0: none
};
struct ChangeObject {
  int object = 0;  // its id
  std::string number;
  double value = 0;
};
// Adds one in the middle of the view.
struct AddObject {
  std::string kind;
};
struct RemoveObject {
  int object = 0;  // its id
};

// ---- instruments
// The next press in the view places one; a stopwatch starts at once.
struct PlaceInstrument {
  InstrumentKind kind = InstrumentKind::probe;
};
struct SelectInstrument {
  int id = 0;  // 0: none
};
struct RemoveInstrument {
  int id = 0;  // 0: all
};
struct ChangeInstrument {
  Instrument changed;  // identified by its id
};
// Plays a probe as sound; stops it if it is already being played.
struct PlayProbe {
  int probe = 0;  // its id
};

// Lets the microphone drive the frequency of the scene; ends it if it does already.
struct Sing {};

// ---- the interface
// Sets one value of its state: `ChangeInterface{&InterfaceState::microscope, true}`.
struct ChangeInterface {
  template <class T>
  struct Setting {
    T InterfaceState::*member;
    T value;
  };
  template <class T>
  ChangeInterface(T InterfaceState::*member, std::type_identity_t<T> value)
      : setting(Setting<T>{member, std::move(value)}) {}
  std::variant<Setting<bool>, Setting<LaunchColors>, Setting<LoopBlock>, Setting<Preferences>, Setting<ExportChoices>>
      setting;
};
struct ShowTab {
  Tab tab = Tab::physics;
};
struct ShowHelpPage {
  int page = 0;
};
struct ChooseTheme {
  Theme theme = Theme::dark;
};
struct ShowPlot {
  std::string id;
  bool shown = true;  // in the plot dock
};
struct ResizePlotDock {
  double height = PlotDock::default_height;  // design pixels
};
struct OverlayPlots {
  std::string id;                 // of a plot
  std::vector<std::string> over;  // ids of the plots drawn over it
};

using Command =
    std::variant<CommandId, ParameterChange, ChooseKernel, OpenScene, OpenFile, DropFiles, UseImage, AnswerRecovery,
                 ChangeCount, ChangeRace, MeasureKernels, MeasureSizes, CompileKernel, CheckPuzzle, SaveKernelText,
                 AnswerUnreadKernel, MeasureFrames, ReturnToStep, ChooseTool, ChangeBrush, ShowQuantity, ChangeView,
                 OpenLesson, AnswerQuestion, SaveTeacherSheet, SaveResultSheet, ListFolder, SaveStateAs,
                 ChooseOutputFolder, SavePreset, SaveSound, Export, CopyText, SelectObject, ChangeObject, AddObject,
                 RemoveObject, PlaceInstrument, SelectInstrument, RemoveInstrument, ChangeInstrument, PlayProbe, Sing,
                 ChangeInterface, ShowTab, ShowHelpPage, ChooseTheme, ShowPlot, ResizePlotDock, OverlayPlots>;

inline bool is(const Command& command, CommandId id) {
  const auto* own = std::get_if<CommandId>(&command);
  return own && *own == id;
}
inline bool is_export(const Command& command, ExportKind what) {
  const auto* own = std::get_if<Export>(&command);
  return own && own->what == what;
}
// Whether the window must draw an image for it: of the view, without panels.
inline bool needs_image(const Command& command) {
  return is(command, CommandId::screenshot) || is_export(command, ExportKind::image) ||
         is_export(command, ExportKind::image_to_clipboard) || is_export(command, ExportKind::report);
}

}  // namespace perturb
