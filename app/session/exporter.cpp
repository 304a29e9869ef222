#include "app/session/exporter.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "app/i18n/language.h"
#include "app/i18n/utf8.h"
#include "app/instruments/instrument.h"
#include "app/instruments/probe_sound.h"
#include "app/io/files/csv.h"
#include "app/io/files/desktop.h"
#include "app/io/files/output.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "app/session/ui_state.h"
#include "cuda/core/backend/check.h"
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
  pictures_ = pictures, documents_ = documents;
}

std::string OutputFolders::folder(Kind kind) const {
  const std::string& usual = kind == Kind::picture ? pictures_ : documents_;
  const std::string& chosen = state_.output_folder.empty() ? usual : state_.output_folder;
  return chosen.empty() || chosen == "." ? "" : chosen.ends_with("/") ? chosen : chosen + "/";
}

std::string OutputFolders::stem(Kind kind) const {
  return folder(kind) + output_stem_of(client_.run().scene->setup, client_.run().steps);
}

std::string OutputFolders::unused(const std::string& ending, Kind kind) const {
  return unused_stem(stem(kind), {ending}) + ending;
}

void mark_saved(UiState& state, const RunStatus& run) { state.saved = {run.opening, run.steps, run.last_change}; }

void OutputFolders::show_saved(const std::string& format, const std::string& path) {
  const fs::path whole(whole_path_of(path));
  client_.show_message(in_its_folder(path, format));
  state_.message_folder = state_.last_folder = whole.parent_path().string();
}

void OutputFolders::show() const {
  std::string folder = state_.last_folder;
  if (folder.empty()) folder = fs::path(whole_path_of(stem(Kind::picture))).parent_path().string();
  try {
    show_folder(folder);
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
}

bool OutputFolders::handle(UiCommand command) {
  if (command != UiCommand::show_output_folder) return false;
  show();
  return true;
}

void OutputFolders::handle(const ChooseOutputFolder& request) {
  state_.output_folder = request.folder;
  if (state_.overlay == Overlay::files) state_.overlay = Overlay::none;
  client_.show_message(Message("Images and files are now saved in {}.", request.folder));
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
    std::string path = unused_stem(folder + output_stem_of(run.setup(), run.simulation().steps()), {".h5"}) + ".h5";
    require_memory_to_save(run);
    perturb::save_state(run.simulation().save(), path);
    return path;
  };
  client_.run_job(job::Inspect{write}, [this](JobResult& result) {
    mark_saved(state_, client_.run());
    output_.show_saved("State saved: {} in {}", result.text);
  });
}

void Exporter::save_script() {
  const auto write = [folder = output_.folder(), more = to_arguments(instruments_.all())](const Experiment& run) {
    const std::string stem = folder + output_stem_of(run.setup(), run.simulation().steps());
    std::string path = unused_stem(stem, script_endings()) + ".toml";
    perturb::save_script(run, path, more);
    return path;
  };
  client_.run_job(job::Inspect{write}, [this](JobResult& result) {
    mark_saved(state_, client_.run());
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

std::string Exporter::numbers() const { return output_.stem() + "\n" + measurements_.to_text(); }

void Exporter::copy_command_line() {
  const auto read = [](const Experiment& run) { return command_line_of(run); };
  client_.run_job(job::Inspect{read}, [this](JobResult& result) {
    window_requests_.clipboard = result.text;
    // No argument contains a blank at which a shell would split it.
    for (const std::string& word : to_arguments(instruments_.all())) window_requests_.clipboard += " " + word;
    client_.show_message(Message("Copied: {}", window_requests_.clipboard));
  });
}

// ---- requests

bool Exporter::handle(UiCommand command) {
  switch (command) {
    case UiCommand::screenshot:
      window_requests_.screenshot = true;
      return true;
    case UiCommand::save_state:
      save_state();
      return true;
    case UiCommand::save_script:
      save_script();
      return true;
    case UiCommand::copy_command_line:
      copy_command_line();
      return true;
    case UiCommand::copy_numbers:
      handle(Export{ExportKind::numbers});
      return true;
    case UiCommand::copy_image:
      handle(Export{ExportKind::image_to_clipboard});
      return true;
    case UiCommand::report:
      handle(Export{ExportKind::report});
      return true;
    case UiCommand::film:
      handle(StartFilm{});
      return true;
    default:
      return false;
  }
}

void Exporter::handle(const SaveSound& request) {
  try {
    save_sound(request.probe);
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
}

void Exporter::handle(const StartFilm&) {
  (state_.film ? window_requests_.end_film : window_requests_.begin_film) = true;
  if (state_.overlay == Overlay::export_files) state_.overlay = Overlay::none;
}

void Exporter::handle(const Export& request) {
  try {
    give(request.what);
  } catch (const Error& error) {
    client_.show_error(error.message());
  }
}

void Exporter::give(ExportKind what) {
  switch (what) {
    case ExportKind::curves:
      save_curves();
      break;
    case ExportKind::curves_image:
      window_requests_.curves_image = true;
      break;
    case ExportKind::fields:
      save_state();
      break;
    case ExportKind::image:
      window_requests_.screenshot = true;
      break;
    case ExportKind::whole_window:
      window_requests_.whole_window = true;
      state_.overlay = Overlay::none;
      break;
    case ExportKind::numbers:
      window_requests_.clipboard = numbers();
      client_.show_message(Message("Copied: values at step {}", client_.run().steps));
      break;
    case ExportKind::image_to_clipboard:
      window_requests_.image_to_clipboard = true;
      break;
    case ExportKind::report:
      window_requests_.report = true;
      break;
  }
}

namespace {

// The scene with all choices, drawings and dropped objects since its start: a restart would begin like this.
Scene scene_as_preset(const Experiment& experiment) {
  const Start& start = experiment.start();
  if (start.state || !start.input.empty())
    throw InputError(
        "Cannot save a preset: this run continues a saved state or a text. Save its state instead (Ctrl + S).");
  Scene scene = experiment.scene();
  scene.view = experiment.shown().view, scene.camera = experiment.shown().camera;
  for (const Event& event : experiment.log())
    if (const auto* action = std::get_if<Action>(&event.change)) scene.setup.actions.push_back(*action);
  return scene;
}

}  // namespace

bool PresetController::handle(UiCommand command) {
  if (command != UiCommand::save_preset) return false;
  state_.preset = {};
  state_.preset.just_opened = true;
  fill_field(state_.preset.title, tr("My {}", Message(client_.run().scene->title)));
  state_.overlay = Overlay::save_preset;
  return true;
}

void PresetController::handle(const SavePreset& request) {
  if (request.title.find_first_not_of(' ') == std::string::npos) {
    state_.preset.error = "Type a title for the preset.";
    return;
  }
  const auto write = [title = request.title, folder = user_presets_folder(),
                      pace = pace_.requested()](const Experiment& experiment) {
    Scene scene = scene_as_preset(experiment);
    scene.title = title;
    scene.steps_per_frame = pace;
    return save_preset(std::move(scene), folder.empty() ? folder : folder + "/" + experiment.info().id);
  };
  client_.post(job::Inspect{write}, [this](JobResult& result) {
    try {
      result.check();
    } catch (const Error& error) {
      state_.preset.error = error.message();
      return;
    }
    add_recent(state_.browsing, result.text);
    if (state_.overlay == Overlay::save_preset) state_.overlay = Overlay::none;
    client_.show_message(in_its_folder(result.text, "Preset saved: {} in {}"));
  });
}

}  // namespace perturb
