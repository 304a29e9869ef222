#include "app/session/file_opener.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "app/i18n/utf8.h"
#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/preset/file_kind.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/state_file.h"
#include "app/lessons/lesson_library.h"
#include "app/session/exporter.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace fs = std::filesystem;

bool FileChooser::handle(UiCommand command) {
  switch (command) {
    case UiCommand::save_state_as:
      open(Purpose::save_state);
      return true;
    case UiCommand::open_file:
      open(Purpose::open);
      return true;
    case UiCommand::output_folder:
      open(Purpose::output_folder);
      return true;
    default:
      return false;
  }
}

void FileChooser::open(Purpose purpose) {
  FileBrowsing& files = state_.files;
  files.purpose = purpose;
  files.error = {};
  files.replaces.clear();
  files.name[0] = '\0';
  const std::filesystem::path stem(whole_path_of(output_.stem()));
  if (purpose == Purpose::save_state)
    fill_field(files.name, std::filesystem::path(unused_stem(stem.string(), {".h5"})).filename().string() + ".h5");
  // The folder shown last, else the output folder.
  list(files.listing.folder.empty() ? stem.parent_path().string() : files.listing.folder);
  state_.overlay = Overlay::files;
}

void FileChooser::list(const std::string& folder) {
  FileBrowsing& files = state_.files;
  FolderListing listing = list_folder(folder, files.purpose == Purpose::open         ? endings_of_files()
                                              : files.purpose == Purpose::save_state ? endings_of_states()
                                                                                     : std::vector<std::string>{});
  files.error = listing.problem;
  if (listing.problem.empty() || files.listing.folder.empty()) files.listing = std::move(listing);
  if (files.purpose != Purpose::save_state) files.name[0] = '\0';
  files.chosen = files.listing.items.empty() ? 0 : 1;  // after the parent folder
  files.just_opened = true, files.by_arrows = false;
}

void FileChooser::handle(const SaveStateAs& request) {
  std::string path = request.path;
  if (!has_ending(path, endings_of_states())) path += ".h5";
  std::error_code ignored;
  FileBrowsing& files = state_.files;
  if (state_.overlay == Overlay::files && std::filesystem::exists(path, ignored) && files.replaces != path) {
    files.replaces = path;
    files.error = Message("\"{}\" already exists. Save again to replace it, or type another name.",
                          std::filesystem::path(path).filename().string());
    return;
  }
  const auto write = [path](const Experiment& run) {
    require_memory_to_save(run);
    save_state(run.simulation().save(), path);
    return path;
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
      mark_saved(state_, client_.run());
      if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
      output_.show_saved("State saved: {} in {}", result.text);
    } catch (const Error& error) {
      if (state_.overlay == Overlay::files)
        state_.files.error = error.message();
      else
        client_.show_error(error.message());
    }
  });
}

// ---- scenes

bool FileOpener::handle(UiCommand command) {
  if (command != UiCommand::previous_scene && command != UiCommand::next_scene) return false;
  if (const SceneEntry* scene = neighbour_scene(switcher_.pending_scene(), command == UiCommand::next_scene ? 1 : -1))
    handle(OpenScene{scene->path()});
  return true;
}

void FileOpener::handle(const OpenScene& request) {
  lessons_.close();
  const auto start = [path = request.path] {
    Start begin;
    begin.scene = load_scene(path);
    return begin;
  };
  // Set now rather than when the scene is ready, so that a pause in between is respected.
  state_.playing = !state_.reduced_motion;
  switcher_.open(request.path, {start, {}, "Another scene"}, [this] { switcher_.on_run_replaced(true); });
}

// ---- states

void FileOpener::handle(const OpenState& request) {
  // The offered autosave is removed when it is resumed, so no command line may name it.
  const bool has_name = !autosave_controller_.offers(request.path);
  const auto start = [path = request.path, has_name] {
    Start begin;
    begin.state = std::make_shared<const State>(load_state(path));
    begin.scene = scene_of(*begin.state);
    if (has_name) begin.load = path;
    return begin;
  };
  const auto then = [this, path = request.path, has_name] {
    lessons_.close();
    switcher_.on_run_replaced(true);
    state_.hint = false;
    close_file_box();
    autosave_controller_.on_file_opened(path);
    client_.show_message(Message("Resumed {} at step {}",
                                 has_name ? Message::value(path) : Message(client_.run().scene->title),
                                 client_.run().steps));
  };
  switcher_.open(request.path, {start, {}, "Another file"}, then, [this](const Message& why) { show_error(why); });
}

void FileOpener::handle(const AnswerRecovery& answer) {
  try {
    if (const std::string file = autosave_controller_.take_offer(answer.wanted); !file.empty()) handle(OpenState{file});
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
}

// ---- files

void FileOpener::show_error(const Message& message) {
  if (state_.overlay == Overlay::files)
    state_.files.error = message;
  else
    client_.show_error(message);
}

void FileOpener::close_file_box() {
  if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
}

void FileOpener::handle(const OpenFile& request) { open_file(request.path); }

void FileOpener::open_file(const std::string& path) {
  try {
    switch (kind_of_file(path)) {
      case FileKind::state:
        handle(OpenState{path});
        return;  // which closes the dialog when the folder is listed
      case FileKind::preset:
        load_scene(path);
        handle(OpenScene{whole_path_of(path)});
        break;
      case FileKind::lesson:
        load_lesson(path);
        lessons_.handle(OpenLesson{path});
        break;
      case FileKind::script:
        open_script(path);
        break;
      case FileKind::image:
        take_image(path);
        return;  // which may open the dialog that asks how to use it
    }
    close_file_box();
  } catch (const Error& error) {
    show_error(error.message());
  }
}

void FileOpener::open_script(const std::string& path) {
  if (!read_script_) throw InputError("Cannot open a script here. Open it in the window.");
  const auto script = std::make_shared<ScriptRun>(read_script_(path, *client_.run().scene));
  lessons_.close();
  state_.playing = true;
  switcher_.open(path, {[script] { return script->start; }, [script] { return script->events; }, "Another file"},
                 [this, path] {
                   switcher_.on_run_replaced(true);
                   state_.hint = false;
                   client_.show_message(Message("Running the script {}.", path));
                 });
}

void FileOpener::open_dropped(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  open_file(paths.front());
  if (paths.size() > 1 && state_.overlay != Overlay::image_use)
    client_.show_message(
        Message("Opened {} only. Drop one file at a time.", fs::path(paths.front()).filename().string()));
}

// ---- images

void FileOpener::take_image(const std::string& path) {
  const SimulationInfo& info = client_.info();
  std::vector<std::string> kinds;
  for (const ActionKind& kind : info.actions)
    if (kind.takes_image) kinds.push_back(kind.id);
  if (kinds.empty())
    throw InputError(
        "Cannot use an image in {}. Use it in the wave tank as walls or speed map, or in a flow as walls or dye.",
        Message(info.title));
  load_grey_image(path);  // before the dialog opens, so that a file that is not an image is reported at once
  state_.image_path = path;
  if (kinds.size() == 1)
    use_image(kinds.front());
  else
    state_.overlay = Overlay::image_use;
}

void FileOpener::handle(const UseImage& request) {
  try {
    use_image(request.kind);
  } catch (const Error& error) {
    state_.overlay = Overlay::none;
    client_.show_error(error.message());
  }
}

void FileOpener::use_image(const std::string& kind) {
  Action action{kind, {}, whole_path_of(state_.image_path), load_grey_image(state_.image_path)};
  if (state_.overlay == Overlay::image_use) state_.overlay = Overlay::none;
  close_file_box();
  const ActionKind* known = find_kind(client_.info().actions, kind);
  // Do not keep the image in memory longer than needed.
  const Action meant{kind, {}, "", nullptr};
  client_.run_job(job::ApplyAction{std::move(action)},
                  [this, meant, label = known ? known->label : kind, path = state_.image_path](JobResult&) {
                    view_.update_suggestion({meant});
                    client_.show_message(Message("{}: {}", Message(label), fs::path(path).filename().string()));
                  });
}

}  // namespace perturb
