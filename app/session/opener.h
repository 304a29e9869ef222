// What is opened by its name or dropped on the window: scenes, states, scripts, lessons, images. What a file is, is
// told by its ending.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/run_client.h"
#include "app/session/lesson_desk.h"
#include "app/session/run_changes.h"
#include "app/session/safekeeping.h"
#include "app/session/shown_view.h"

namespace perturb {

// A script as it is done again in the window.
struct ScriptRun {
  Start start;
  std::vector<Event> events;
};

class Opener {
 public:
  // How a script's run begins, and its events.
  using ReadScript = std::function<ScriptRun(const std::string& path, const Scene& now)>;

  // All outlive it.
  Opener(RunClient& client, UiState& state, RunChanges& changes, ShownView& view, LessonDesk& lessons,
         Safekeeping& safekeeping)
      : client_(client),
        state_(state),
        changes_(changes),
        view_(view),
        lessons_(lessons),
        safekeeping_(safekeeping) {}

  // Without it no scripts are opened.
  void read_scripts_by(ReadScript read) { read_script_ = std::move(read); }
  void open_dropped(const std::vector<std::string>& paths);

  bool handle(UiCommand command);
  void handle(const OpenScene& request);
  void handle(const OpenState& request);
  void handle(const OpenFile& request);
  void handle(const UseImage& request);
  void handle(const TakeRescue& answer);

 private:
  void open_file(const std::string& path);
  void open_script(const std::string& path);
  void take_image(const std::string& path);
  void use_image(const std::string& kind);
  // While the box of files is open, what is wrong with the one chosen stands there.
  void show_error(const std::string& sentence);
  void close_file_box();

  RunClient& client_;
  UiState& state_;
  RunChanges& changes_;
  ShownView& view_;
  LessonDesk& lessons_;
  Safekeeping& safekeeping_;
  ReadScript read_script_;
};

}  // namespace perturb
