#include "app/session/files.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "app/edited/edited_kernel.h"
#include "app/i18n/language.h"
#include "app/instruments/instrument.h"
#include "app/instruments/probe_sound.h"
#include "app/io/files/colormap_file.h"
#include "app/io/files/csv.h"
#include "app/io/files/desktop.h"
#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/preset/file_kind.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/io/preset/scripts.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_export.h"
#include "app/io/state/state_file.h"
#include "app/session/kernel_controller.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/edited_state.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace fs = std::filesystem;

Message in_its_folder(const std::string& path, const std::string& format) {
  std::error_code failure;
  fs::path whole = fs::absolute(path, failure);
  if (failure) whole = path;
  if (!whole.has_filename()) whole = whole.parent_path();  // the desktop's folder of images ends with a slash
  return Message(format, whole.filename().string(), whole.parent_path().string());
}

std::string whole_path_of(const std::string& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure);
  return failure ? path : whole.lexically_normal().string();
}

void OutputFolders::set_default_folders(const std::string& pictures, const std::string& documents) {
  pictures_ = pictures;
  documents_ = documents;
}

std::string OutputFolders::folder(Kind kind) const {
  const std::string& usual = kind == Kind::picture ? pictures_ : documents_;
  const std::string& used = chosen_.empty() ? usual : chosen_;
  return used.empty() || used == "." ? "" : used.ends_with("/") ? used : used + "/";
}

std::string OutputFolders::stem(Kind kind) const {
  return folder(kind) + output_stem_of(client_.run().scene->setup, client_.run().steps);
}

std::string OutputFolders::unused(const std::string& ending, Kind kind) const {
  return unused_stem(stem(kind), {ending}) + ending;
}

void OutputFolders::show_saved(const std::string& format, const std::string& path) {
  const fs::path whole(whole_path_of(path));
  last_ = whole.parent_path().string();
  client_.show_message(in_its_folder(path, format), last_);
}

void OutputFolders::show() const {
  show_folder(last_.empty() ? fs::path(whole_path_of(stem(Kind::picture))).parent_path().string() : last_);
}

void OutputFolders::choose(const std::string& folder) {
  chosen_ = folder;
  client_.show_message(Message("Images and files are now saved in {}.", folder));
}

// ---- to files

void Exporter::save_curves() {
  const std::vector<Curve> all = measurements_.all_curves();
  if (all.empty()) {
    client_.show_message("No curves yet. Run the simulation, or add a probe or a line cut.");
    return;
  }
  const std::string path = output_.unused("-curves.csv");
  save_text(curves_as_csv(all), path);
  output_.show_saved("Curves saved: {} in {}", path);
}

void Exporter::save_kernels() {
  const std::string path = output_.unused("-kernels.csv");
  save_text(kernels_as_csv(client_.run()), path);
  output_.show_saved("Table of kernels saved: {} in {}", path);
}

void Exporter::save_sizes(const SizeTimings& sizes) {
  const std::string path = output_.unused("-kernel-sizes.csv");
  save_text(sizes_as_csv(sizes, client_.run()), path);
  output_.show_saved("Times of the kernels by size saved: {} in {}", path);
}

void Exporter::save_kernel_text(const std::string& text) {
  const std::string path = output_.unused("-kernel.h");
  save_text(text, path);
  output_.show_saved("Kernel saved: {} in {}", path);
}

void Exporter::save_sound(int probe) {
  const Series* series = instruments_.series(probe);
  const Instrument* one = instruments_.find(probe);
  if (!one || !series) throw InputError("This probe has no values yet. Run the simulation first.");
  instruments_.refresh(true, client_.info());
  const std::string path = output_.unused("-probe-" + std::to_string(one->number) + ".wav");
  const double seconds = save_wav(path, series->even_values(), series->spacing(), instruments_.spectrum(probe)->peak);
  client_.show_message(Message("Sound saved, {} s at {} Hz: {}", format_number(seconds, 2),
                               format_number(audible_pitch), in_its_folder(path)));
}

void Exporter::save_state() {
  const auto write = [folder = output_.folder()](const Experiment& run) {
    std::string path =
        unused_stem(folder + output_stem_of(run.setup(), run.simulation().steps()), {portable_state_ending}) +
        portable_state_ending;
    require_memory_to_save(run);
    perturb::save_state(run.saved_state(), path);
    return path;
  };
  client_.run_job(job::Inspect{write}, [this](JobResult& result) {
    autosave_.mark_saved();
    output_.show_saved("State saved: {} in {}", result.text);
  });
}

void Exporter::export_fields() {
  const auto write = [folder = output_.folder()](const Experiment& run) {
    std::string path = unused_stem(folder + output_stem_of(run.setup(), run.simulation().steps()), {".h5"}) + ".h5";
    require_memory_to_save(run);
    export_state(run.saved_state(), path);
    return path;
  };
  client_.run_job(job::Inspect{write},
                  [this](JobResult& result) { output_.show_saved("Fields exported: {} in {}", result.text); });
}

void Exporter::save_script() {
  const auto write = [folder = output_.folder(), more = to_arguments(instruments_.all())](const Experiment& run) {
    const std::string stem = folder + output_stem_of(run.setup(), run.simulation().steps());
    std::string path = unused_stem(stem, script_endings()) + ".toml";
    perturb::save_script(run, path, more);
    return path;
  };
  client_.run_job(job::Inspect{write}, [this](JobResult& result) {
    autosave_.mark_saved();
    output_.show_saved("Script saved: {} in {}", result.text);
  });
}

void Exporter::save_script_to(const std::string& path, const Message& message) {
  const auto write = [path, more = to_arguments(instruments_.all())](const Experiment& run) {
    perturb::save_script(run, path, more);
    return std::string();
  };
  client_.run_job(job::Inspect{write}, [this, message](JobResult&) { client_.show_message(message); });
}

// ---- to the clipboard

std::string Exporter::numbers() const {
  return output_stem_of(client_.run().scene->setup, client_.run().steps) + "\n" + measurements_.to_text();
}

void Exporter::copy_command_line() {
  const auto read = [](const Experiment& run) { return command_line_of(run); };
  client_.run_job(job::Inspect{read}, [this](JobResult& result) {
    std::string line = result.text;
    // No argument contains a blank at which a shell would split it.
    for (const std::string& word : to_arguments(instruments_.all())) line += " " + word;
    copy_(line);
    client_.show_message(Message("Copied: {}", line));
  });
}

void Exporter::copy_numbers() {
  copy_(numbers());
  client_.show_message(Message("Copied: values at step {}", client_.run().steps));
}

// ---- user presets

namespace {

// The scene with all choices, drawings and dropped objects since its start: a restart would begin like this.
Scene scene_as_preset(const Experiment& experiment) {
  const Start& start = experiment.start();
  if (start.state || !start.input.empty())
    throw InputError(
        "Cannot save a preset: this run continues a saved state or a text. Save its state instead (Ctrl + S).");
  Scene scene = experiment.scene();
  scene.view = experiment.shown().view;
  scene.camera = experiment.shown().camera;
  for (const Event& event : experiment.log())
    if (const auto* action = std::get_if<Action>(&event.change)) scene.setup.actions.push_back(*action);
  return scene;
}

}  // namespace

void PresetController::open_prompt() {
  prompt_ = {tr("My {}", Message(client_.run().scene->title)), {}, prompt_.opened + 1};
  interface_.open(Overlay::save_preset);
}

void PresetController::save(const std::string& title) {
  if (title.find_first_not_of(' ') == std::string::npos) {
    prompt_.error = "Type a title for the preset.";
    return;
  }
  const auto write = [title, folder = user_presets_folder(), pace = pace_.even_steps()](const Experiment& experiment) {
    Scene scene = scene_as_preset(experiment);
    scene.title = title;
    scene.steps_per_frame = pace;
    return save_preset(std::move(scene), folder.empty() ? folder : folder + "/" + experiment.info().id);
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
    } catch (const Error& error) {
      prompt_.error = error.message();
      return;
    }
    interface_.add_recent(result.text);
    interface_.close(Overlay::save_preset);
    client_.show_message(in_its_folder(result.text, "Preset saved: {} in {}"));
  });
}

// ---- the file dialog

void FileChooser::open(Purpose purpose) {
  files_.purpose = purpose;
  files_.replaces.clear();
  ++files_.opened;
  const fs::path stem(whole_path_of(output_.stem()));
  files_.suggested =
      purpose == Purpose::save_state
          ? fs::path(unused_stem(stem.string(), {portable_state_ending})).filename().string() + portable_state_ending
          : "";
  // The folder shown last, else the output folder.
  list(files_.listing.folder.empty() ? stem.parent_path().string() : files_.listing.folder);
  interface_.open(Overlay::files);
}

void FileChooser::list(const std::string& folder) {
  FolderListing listing = list_folder(folder, files_.purpose == Purpose::open         ? endings_of_files()
                                              : files_.purpose == Purpose::save_state ? endings_of_states()
                                                                                      : std::vector<std::string>{});
  files_.error = listing.problem;
  if (listing.problem.empty() || files_.listing.folder.empty()) files_.listing = std::move(listing);
  ++files_.listed;
}

void FileChooser::show_error(const Message& message) {
  if (interface_.state().overlay == Overlay::files)
    files_.error = message;
  else
    client_.show_error(message);
}

void FileChooser::save_state_as(std::string path) {
  try {
    require_state_name(path);
  } catch (const InputError& error) {
    return show_error(error.message());
  }
  if (!has_ending(path, endings_of_states())) path += portable_state_ending;
  std::error_code ignored;
  if (interface_.state().overlay == Overlay::files && fs::exists(path, ignored) && files_.replaces != path) {
    files_.replaces = path;
    files_.error = Message("\"{}\" already exists. Save again to replace it, or type another name.",
                           fs::path(path).filename().string());
    return;
  }
  const auto write = [path](const Experiment& run) {
    require_memory_to_save(run);
    save_state(run.saved_state(), path);
    return path;
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
      autosave_.mark_saved();
      interface_.close(Overlay::files);
      output_.show_saved("State saved: {} in {}", result.text);
    } catch (const Error& error) {
      show_error(error.message());
    }
  });
}

// ---- scenes

void FileOpener::open_neighbour(int distance) {
  if (const SceneEntry* scene = neighbour_scene(switcher_.pending_scene(), distance)) open_scene(scene->path());
}

void FileOpener::open_scene(const std::string& path) {
  interface_.close(Overlay::browser);
  lessons_.close();
  const auto start = [path, choose_size = choose_size_] {
    Start begin;
    begin.scene = load_scene_or_race(path);
    if (choose_size) choose_size(begin.scene);
    return begin;
  };
  // Set now rather than when the scene is ready, so that a pause in between is respected.
  playback_.set_playing(!interface_.state().preferences.reduced_motion);
  switcher_.open(path, {start, {}, "Another scene"}, [this] { switcher_.on_run_replaced(true); });
}

// ---- states

namespace {

// The instruments that a script names in its start; none if it cannot be read.
std::vector<Instrument> instruments_in(const std::string& script) {
  std::vector<Instrument> instruments;
  try {
    const std::vector<std::string> words = load_script_start(script).arguments;
    for (std::size_t k = 0; k + 1 < words.size(); ++k)
      if (words[k] == "--instrument") instruments.push_back(parse_instrument(words[k + 1]));
  } catch (const Error&) {
  }
  return instruments;
}

}  // namespace

void FileOpener::open_state(const std::string& path) {
  // The offered autosave is removed when it is resumed, so no command line may name it. It is the program's own: its
  // user has accepted the text of its kernel before.
  const bool is_own = autosave_.offers(path);
  struct Found {  // set on the run's thread before `then` or `fail` is called
    std::string kernel = "auto", unread;
    bool is_edited = false;
    std::optional<ViewChange> shown;
    std::vector<Instrument> instruments;
  };
  const auto found = std::make_shared<Found>();
  const auto start = [path, is_own, found, script = autosave_.offered_script()] {
    Start begin;
    begin.state = std::make_shared<const State>(load_state(path));
    begin.scene = scene_of(*begin.state);
    found->kernel = begin.kernel = kernel_of(*begin.state);
    found->is_edited = begin.state->has("edited_kernel");
    if (!is_own) begin.load = path;
    if (is_own) {
      found->shown = view_beside(path, begin.scene.setup.simulation);
      if (!script.empty()) found->instruments = instruments_in(script);
    }
    if (is_own && is_edited_kernel(begin.kernel)) accept_edited_text(edited_text(begin.kernel));
    try {
      require_accepted(begin.kernel);
    } catch (const UnreadKernelError& error) {
      found->unread = error.text();
      throw;
    }
    return begin;
  };
  const auto then = [this, path, is_own, found] {
    lessons_.close();
    switcher_.on_run_replaced(true);
    if (found->shown) view_.set_view(found->shown->view, found->shown->camera);
    instruments_.replace(std::move(found->instruments));
    interface_.show_hint(false);
    interface_.close(Overlay::files);
    autosave_.on_file_opened(path);
    if (is_edited_kernel(found->kernel)) kernels_.show_text(std::string(edited_text(found->kernel)));
    const char* const format = is_edited_kernel(found->kernel) ? "Resumed {} at step {} with its edited kernel."
                               : found->is_edited ? "Resumed {} at step {}. An edited kernel took earlier steps."
                                                  : "Resumed {} at step {}";
    client_.show_message(
        Message(format, is_own ? Message(client_.run().scene->title) : Message::value(path), client_.run().steps));
  };
  const auto fail = [this, path, found](const Message& why) {
    try {
      if (found->unread.empty()) return chooser_.show_error(why);
      kernels_.ask(found->unread, path, [this, path] { open_state(path); });
    } catch (const Error& error) {
      chooser_.show_error(error.message());
    }
  };
  switcher_.open(path, {start, {}, "Another file"}, then, fail);
}

void FileOpener::answer_recovery(bool wanted) {
  if (const std::string file = autosave_.take_offer(wanted); !file.empty()) open_state(file);
}

// ---- files

void FileOpener::open_file(const std::string& path) {
  try {
    switch (kind_of_file(path)) {
      case FileKind::state:
        open_state(path);
        return;  // which closes the dialog when the folder is listed
      case FileKind::preset:
        load_scene(path);
        open_scene(whole_path_of(path));
        break;
      case FileKind::lesson:
        lessons_.open(path);
        break;
      case FileKind::script:
        open_script(path);
        break;
      case FileKind::kernel:
        kernels_.open(path);
        return;  // which asks first
      case FileKind::colormap: {
        ViewSettings view = view_.settings();
        view.colormap = load_colormap_file(path).id;
        view_.change(view, view_.centred());
        client_.show_message(Message("The view has the colours of {}.", Message::value(view.colormap)));
        break;
      }
      case FileKind::image:
        take_image(path);
        return;  // which may open the dialog that asks how to use it
    }
    interface_.close(Overlay::files);
  } catch (const Error& error) {
    chooser_.show_error(error.message());
  }
}

void FileOpener::open_script(const std::string& path) {
  if (!read_script_) throw InputError("Cannot open a script here. Open it in the window.");
  const auto script = std::make_shared<ScriptRun>(read_script_(path, *client_.run().scene));
  try {
    require_accepted(script->start.kernel);
    for (const Event& event : script->events)
      if (const auto* kernel = std::get_if<ChooseKernel>(&event.change)) require_accepted(kernel->id);
  } catch (const UnreadKernelError& error) {
    return kernels_.ask(error.text(), path, [this, path] { open_file(path); });
  }
  lessons_.close();
  playback_.set_playing(true);
  switcher_.open(path, {[script] { return script->start; }, [script] { return script->events; }, "Another file"},
                 [this, path, script] {
                   switcher_.on_run_replaced(true);
                   instruments_.replace(script->instruments);
                   interface_.show_hint(false);
                   client_.show_message(Message("Running the script {}.", path));
                 });
}

void FileOpener::open_dropped(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  open_file(paths.front());
  if (paths.size() > 1 && interface_.state().overlay != Overlay::image_use)
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
  image_path_ = path;
  if (kinds.size() == 1)
    use_image(kinds.front());
  else
    interface_.open(Overlay::image_use);
}

void FileOpener::use_image(const std::string& kind) {
  interface_.close(Overlay::image_use);
  Action action{kind, {}, whole_path_of(image_path_), load_grey_image(image_path_)};
  interface_.close(Overlay::files);
  const ActionKind* known = find_kind(client_.info().actions, kind);
  // Do not keep the image in memory longer than needed.
  const Action meant{kind, {}, "", nullptr};
  client_.run_job(job::ApplyAction{std::move(action)},
                  [this, meant, label = known ? known->label : kind, path = image_path_](JobResult&) {
                    view_.update_suggestion({meant});
                    client_.show_message(Message("{}: {}", Message(label), fs::path(path).filename().string()));
                  });
}

}  // namespace perturb
