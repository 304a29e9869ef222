// Files of a session: folders and names of output files, exports, user presets, and the opening of files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/io/files/folders.h"
#include "app/session/autosave_controller.h"
#include "app/session/command.h"
#include "app/session/instrument_controller.h"
#include "app/session/interface.h"
#include "app/session/kernel_editor.h"
#include "app/session/lesson_controller.h"
#include "app/session/measurements.h"
#include "app/session/playback.h"
#include "app/session/run_client.h"
#include "app/session/view_controller.h"

namespace perturb {

// Folders and names of output files: the folder that the user chose, else the desktop's.
class OutputFolders {
 public:
  // Kind of output file. Without a folder chosen by the user, images go to one folder and everything else to another.
  enum class Kind { picture, document };

  explicit OutputFolders(RunClient& client) : client_(client) {}

  // The user's choice; empty: the default folders.
  const std::string& chosen() const { return chosen_; }
  void set_chosen(const std::string& folder) { chosen_ = folder; }
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

  // The user chooses the folder.
  void choose(const std::string& folder);
  // Opens the folder of the last file written in the desktop. Throws Error.
  void show() const;

 private:
  RunClient& client_;
  std::string pictures_, documents_, chosen_, last_;
};

// A message with the name of a file and its folder: "picture.png in /home/me".
Message in_its_folder(const std::string& path, const std::string& format = "{} in {}");
// Absolute path; unchanged if it cannot be determined.
std::string whole_path_of(const std::string& path);

// Exports of a run to files and to the clipboard: curves, numbers, sounds, states and scripts. The window makes the
// images.
class Exporter {
 public:
  // All arguments must outlive it.
  // `copy`: puts a text on the clipboard.
  Exporter(RunClient& client, const Measurements& measurements, Instruments& instruments, OutputFolders& output,
           AutosaveController& autosave, std::function<void(const std::string& text)> copy)
      : client_(client),
        measurements_(measurements),
        instruments_(instruments),
        output_(output),
        autosave_(autosave),
        copy_(std::move(copy)) {}

  // All current measurements as lines of text, below the name of the run.
  std::string numbers() const;
  // Saves the run since its last restart as a script; shows the message once it is written.
  void save_script_to(const std::string& path, const Message& message);

  // These throw Error.
  void save_curves();
  void save_kernels();
  void save_sizes(const SizeTimings& sizes);
  void save_kernel_text(const std::string& text);
  void save_state();
  void export_fields();
  void save_script();
  void save_sound(int probe);
  void copy_command_line();
  void copy_numbers();

 private:
  RunClient& client_;
  const Measurements& measurements_;
  Instruments& instruments_;
  OutputFolders& output_;
  AutosaveController& autosave_;
  std::function<void(const std::string& text)> copy_;
};

// The dialog that asks for the title of a user preset.
struct PresetPrompt {
  std::string title;  // suggested
  Message error;      // why the last one could not be saved
  int opened = 0;     // how often the dialog has been opened
};

// Saves the run as a user preset: asks for the title, then writes the file.
class PresetController {
 public:
  // `pace`: the preset starts with this speed. All arguments must outlive it.
  PresetController(RunClient& client, Interface& interface, const Pace& pace)
      : client_(client), interface_(interface), pace_(pace) {}

  const PresetPrompt& prompt() const { return prompt_; }
  void open_prompt();
  void save(const std::string& title);

 private:
  RunClient& client_;
  Interface& interface_;
  const Pace& pace_;
  PresetPrompt prompt_;
};

// State of the dialog in which a file or folder is chosen.
struct FileBrowsing {
  enum class Purpose { open, save_state, output_folder };
  Purpose purpose = Purpose::open;
  FolderListing listing;
  std::string suggested;  // name of the file when the dialog opens
  Message error;          // why the last file could not be opened or written
  std::string replaces;   // the file that a second press of "Save" overwrites
  int opened = 0;         // how often the dialog has been opened
  int listed = 0;         // how often a folder has been listed
};

// Dialog logic for choosing a file or folder: lists the files, and saves the state under the chosen name.
class FileChooser {
 public:
  using Purpose = FileBrowsing::Purpose;

  FileChooser(RunClient& client, Interface& interface, OutputFolders& output, AutosaveController& autosave)
      : client_(client), interface_(interface), output_(output), autosave_(autosave) {}

  const FileBrowsing& files() const { return files_; }
  void open(Purpose purpose);
  void list(const std::string& folder);
  void save_state_as(std::string path);
  // In the dialog while it is open, else as a message.
  void show_error(const Message& message);

 private:
  RunClient& client_;
  Interface& interface_;
  OutputFolders& output_;
  AutosaveController& autosave_;
  FileBrowsing files_;
};

// A script that is replayed in the window.
struct ScriptRun {
  Start start;
  std::vector<Event> events;
  std::vector<Instrument> instruments{};  // in the view
};

// Opens what is named or dropped on the window: scenes, states, scripts, lessons, images. The file extension decides
// the type.
class FileOpener {
 public:
  // Reads a script: the start of its run, and its events.
  using ReadScript = std::function<ScriptRun(const std::string& path, const Scene& now)>;

  // All arguments must outlive it.
  FileOpener(RunClient& client, Interface& interface, Playback& playback, RunSwitcher& switcher, ViewController& view,
             LessonController& lessons, InstrumentController& instruments, AutosaveController& autosave,
             FileChooser& chooser, KernelEditor& kernels)
      : client_(client),
        interface_(interface),
        playback_(playback),
        switcher_(switcher),
        view_(view),
        lessons_(lessons),
        instruments_(instruments),
        autosave_(autosave),
        chooser_(chooser),
        kernels_(kernels) {}

  // Chooses how large a scene opens on this machine (choose_lighter, choose_live_count); called on the run thread.
  // Without it, scenes open as in their presets.
  void set_size_chooser(std::function<void(Scene& scene)> choose) { choose_size_ = std::move(choose); }
  // Without a reader, scripts cannot be opened.
  void set_script_reader(ReadScript read) { read_script_ = std::move(read); }
  // An image while a dialog asks how to use it.
  const std::string& image_path() const { return image_path_; }

  void open_scene(const std::string& path);
  // The scene `distance` places after the current one.
  void open_neighbour(int distance);
  void open_state(const std::string& path);
  // A state, preset, script, lesson or image. While the file dialog is open, it shows the errors.
  void open_file(const std::string& path);
  void open_dropped(const std::vector<std::string>& paths);
  void use_image(const std::string& kind);
  // Resumes or discards the interrupted run.
  void answer_recovery(bool wanted);

 private:
  void open_script(const std::string& path);
  void take_image(const std::string& path);

  RunClient& client_;
  Interface& interface_;
  Playback& playback_;
  RunSwitcher& switcher_;
  ViewController& view_;
  LessonController& lessons_;
  InstrumentController& instruments_;
  AutosaveController& autosave_;
  FileChooser& chooser_;
  KernelEditor& kernels_;
  std::function<void(Scene& scene)> choose_size_;
  ReadScript read_script_;
  std::string image_path_;
};

}  // namespace perturb
