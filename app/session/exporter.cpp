#include "app/session/exporter.h"

#include <utility>

#include "app/instruments/instrument_text.h"
#include "app/instruments/wav_file.h"
#include "app/io/files/curves_csv.h"
#include "app/io/files/output.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/script_file.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

// ---- to files

void Exporter::save_curves() {
  const std::vector<Curve> all = measurements_.all_curves();
  if (all.empty()) {
    client_.show_message("There are no curves yet: let the run go on, or put a probe or a line cut into the picture.");
    return;
  }
  const std::string path = output_.unused("-curves.csv");
  save_text(curves_as_csv(all), path);
  output_.show_saved("Curves saved", path);
}

void Exporter::save_sound(int probe) {
  const Series* series = instruments_.series(probe);
  const Instrument* one = instruments_.find(probe);
  if (!one || !series) throw InputError("This probe has read nothing yet: let the run go on.");
  instruments_.refresh(true, client_.info());
  const std::string path = output_.unused("-probe-" + std::to_string(one->number) + ".wav");
  const double seconds = save_wav(path, series->even_values(), series->spacing(), instruments_.spectrum(probe)->peak);
  client_.show_message("Sound saved, " + format_number(seconds, 2) + " s at " + format_number(audible_pitch) +
                       " Hz: " + in_its_folder(path));
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
    output_.show_saved("State saved", result.text);
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
    output_.show_saved("Script saved", result.text);
  });
}

void Exporter::save_script_to(const std::string& path, const std::string& words) {
  const auto write = [path, more = to_arguments(instruments_.all())](const Experiment& run) {
    perturb::save_script(run, path, more);
    return std::string();
  };
  client_.run_job(job::Inspect{write}, [this, words](JobResult&) { client_.show_message(words); });
}

// ---- to the clipboard

std::string Exporter::numbers() const { return output_.stem() + "\n" + measurements_.to_text(); }

void Exporter::copy_command_line() {
  const auto read = [](const Experiment& run) { return command_line_of(run); };
  client_.run_job(job::Inspect{read}, [this](JobResult& result) {
    window_requests_.clipboard = result.text;
    // No argument contains a blank at which a shell would split it.
    for (const std::string& word : to_arguments(instruments_.all())) window_requests_.clipboard += " " + word;
    client_.show_message("Copied: " + window_requests_.clipboard);
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
    client_.show_error(error.what());
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
    client_.show_error(error.what());
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
      client_.show_message("Copied: the numbers of step " + std::to_string(client_.run().steps));
      break;
    case ExportKind::image_to_clipboard:
      window_requests_.image_to_clipboard = true;
      break;
    case ExportKind::report:
      window_requests_.report = true;
      break;
  }
}

}  // namespace perturb
