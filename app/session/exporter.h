// Output files of a run: their folders and names, exports, and user presets.
#pragma once

#include <string>

#include "app/instruments/instruments.h"
#include "app/session/measurements.h"
#include "app/session/playback.h"
#include "app/session/run_client.h"
#include "app/session/ui_state.h"

namespace perturb {

// Folders and names of output files: the folder that the user chose, else the desktop's.
class OutputFolders {
 public:
  // Kind of output file. Without a folder chosen by the user, images go to one folder and everything else to another.
  enum class Kind { picture, document };

  OutputFolders(RunClient& client, UiState& state) : client_(client), state_(state) {}

  // Folders used if the user has not chosen one; "": the working directory.
  void set_default_folders(const std::string& pictures, const std::string& documents);
  // "", or a path that ends with a slash.
  std::string folder(Kind kind = Kind::document) const;
  // Common beginning of output file names: "/home/me/Pictures/perturb-wave-rain-1200".
  std::string stem(Kind kind = Kind::document) const;
  // The stem with an ending, made unique so that no existing file is overwritten.
  std::string unused(const std::string& ending, Kind kind = Kind::document) const;
  // Shows a message such as "Image saved: {} in {}" with the file's name and folder, and a button that opens the
  // folder.
  void show_saved(const std::string& format, const std::string& path);

  bool handle(UiCommand command);
  void handle(const ChooseOutputFolder& request);

 private:
  void show() const;

  RunClient& client_;
  UiState& state_;
  std::string pictures_, documents_;
};

// Records that the current run is saved in a file.
void mark_saved(UiState& state, const RunStatus& run);
// A message with the name of a file and its folder: "picture.png in /home/me".
Message in_its_folder(const std::string& path, const std::string& format = "{} in {}");
// Absolute path; unchanged if it cannot be determined.
std::string whole_path_of(const std::string& path);

// Exports of a run to files and to the clipboard: curves, numbers, sounds, states and scripts. The window makes the
// images.
class Exporter {
 public:
  // All arguments must outlive it.
  Exporter(RunClient& client, UiState& state, const Measurements& measurements, Instruments& instruments,
           OutputFolders& output, WindowRequests& window_requests)
      : client_(client),
        state_(state),
        measurements_(measurements),
        instruments_(instruments),
        output_(output),
        window_requests_(window_requests) {}

  // All current measurements as lines of text, below the name of the run.
  std::string numbers() const;
  // Saves the run since its last restart as a script; shows the message once it is written.
  void save_script_to(const std::string& path, const Message& message);

  bool handle(UiCommand command);
  void handle(const Export& request);
  void handle(const StartFilm& request);
  void handle(const SaveSound& request);

 private:
  void give(ExportKind what);
  void save_curves();
  void save_state();
  void save_script();
  void save_sound(int probe);
  void copy_command_line();

  RunClient& client_;
  UiState& state_;
  const Measurements& measurements_;
  Instruments& instruments_;
  OutputFolders& output_;
  WindowRequests& window_requests_;
};

// Saves the run as a user preset: asks for the title, then writes the file.
class PresetController {
 public:
  // `pace`: the preset starts with this speed. All arguments must outlive it.
  PresetController(RunClient& client, UiState& state, const Pace& pace) : client_(client), state_(state), pace_(pace) {}

  bool handle(UiCommand command);
  void handle(const SavePreset& request);

 private:
  RunClient& client_;
  UiState& state_;
  const Pace& pace_;
};

}  // namespace perturb
