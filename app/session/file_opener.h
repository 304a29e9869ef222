// Opening of files, and the dialog in which a file or folder is chosen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/session/autosave_controller.h"
#include "app/session/exporter.h"
#include "app/session/lesson_controller.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

// Dialog logic for choosing a file or folder: lists the files, and saves the state under the chosen name.
class FileChooser {
 public:
  FileChooser(RunClient& client, UiState& state, OutputFolders& output)
      : client_(client), state_(state), output_(output) {}

  bool handle(UiCommand command);
  void handle(const ListFolder& request) { list(request.folder); }
  void handle(const SaveStateAs& request);

 private:
  using Purpose = FileBrowsing::Purpose;
  void open(Purpose purpose);
  void list(const std::string& folder);

  RunClient& client_;
  UiState& state_;
  OutputFolders& output_;
};

// A script that is replayed in the window.
struct ScriptRun {
  Start start;
  std::vector<Event> events;
};

// Opens what is named or dropped on the window: scenes, states, scripts, lessons, images. The file extension decides
// the type.
class FileOpener {
 public:
  // Reads a script: the start of its run, and its events.
  using ReadScript = std::function<ScriptRun(const std::string& path, const Scene& now)>;

  // All arguments must outlive it.
  FileOpener(RunClient& client, UiState& state, RunSwitcher& switcher, ViewController& view, LessonController& lessons,
             AutosaveController& autosave_controller)
      : client_(client),
        state_(state),
        switcher_(switcher),
        view_(view),
        lessons_(lessons),
        autosave_controller_(autosave_controller) {}

  // Without a reader, scripts cannot be opened.
  void set_script_reader(ReadScript read) { read_script_ = std::move(read); }
  void open_dropped(const std::vector<std::string>& paths);

  bool handle(UiCommand command);
  void handle(const OpenScene& request);
  void handle(const OpenState& request);
  void handle(const OpenFile& request);
  void handle(const UseImage& request);
  void handle(const AnswerRecovery& answer);

 private:
  void open_file(const std::string& path);
  void open_script(const std::string& path);
  void take_image(const std::string& path);
  void use_image(const std::string& kind);
  // While the file dialog is open, errors of the chosen file are shown in it.
  void show_error(const Message& message);
  void close_file_box();

  RunClient& client_;
  UiState& state_;
  RunSwitcher& switcher_;
  ViewController& view_;
  LessonController& lessons_;
  AutosaveController& autosave_controller_;
  ReadScript read_script_;
};

}  // namespace perturb
