// What is written to files and to the clipboard, as keys, buttons and panels ask for it.
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/files/curves_csv.h"
#include "app/instruments/instrument_words.h"
#include "app/instruments/wave_file.h"
#include "app/session/session.h"
#include "app/states/script_file.h"
#include "cuda/core/check.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

// The numbers over time as curves, for the same table.
std::vector<Curve> curves_of(const std::vector<History::Series>& series) {
  std::vector<Curve> curves;
  for (const History::Series& one : series) {
    Curve curve;
    curve.id = one.id, curve.label = one.label;
    curve.x_label = "Time", curve.x_unit = "time", curve.y_label = one.label, curve.y_unit = one.unit;
    curve.points = one.points;
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace

std::string in_its_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::path whole = std::filesystem::absolute(path, failure);
  if (failure) return path;
  if (!whole.has_filename()) whole = whole.parent_path();  // a folder of pictures ends with a slash
  return whole.filename().string() + " in " + whole.parent_path().string();
}

std::vector<Curve> Session::curves_over_time() const { return curves_of(history_.series()); }

void Session::export_curves() {
  std::vector<Curve> all = all_curves();
  for (Curve& curve : curves_over_time()) all.push_back(std::move(curve));
  if (all.empty()) {
    tell("There are no curves yet: let the run go on, or put a probe or a line cut into the picture.");
    return;
  }
  const std::string path = output_stem() + "-curves.csv";
  save_text(curves_as_csv(all), path);
  tell_written("Curves saved", path);
}

std::string Session::numbers() const {
  std::string text = output_stem() + "\ntime: " + number_in_words(run().time) + "\n";
  for (const Scalar& scalar : diagnostics_.scalars)
    text += scalar.label + ": " + with_unit_of(scalar.value, scalar.unit, 6) + "\n";
  for (const Curve& curve : diagnostics_.curves)
    if (const std::string error = error_in_words(curve); !error.empty())
      text += curve.label + ": against theory" + error + "\n";
  return text + instruments_.words(info(), domain(), run().time);
}

void Session::save_sound(int probe) {
  const Series* series = instruments_.series(probe);
  const Instrument* one = instruments_.find(probe);
  if (!one || !series) throw InputError("This probe has read nothing yet: let the run go on.");
  instruments_.refresh(true);
  const std::string path = output_stem() + "-probe-" + std::to_string(one->number) + ".wav";
  const double seconds = save_wave(path, series->even_values(), series->spacing(), instruments_.spectrum(probe)->peak);
  tell("Sound saved, " + number_in_words(seconds, 2) + " s at " + number_in_words(heard_pitch) +
       " Hz: " + in_its_folder(path));
}

void Session::save_script_to(const std::string& path, const std::string& words) {
  ask(order::Read{[path, more = options_for(instruments_.all())](const Experiment& run) {
        save_script(run, path, more);
        return std::string();
      }},
      [this, words](Answer&) { tell(words); });
}

bool Session::hear_exports(const Request& request) {
  try {
    if (const auto* sound = std::get_if<SaveSound>(&request)) {
      save_sound(sound->probe);
    } else if (std::holds_alternative<StartFilm>(request)) {
      (state_.film ? wishes_.end_film : wishes_.begin_film) = true;
      if (state_.overlay == Overlay::export_files) state_.overlay = Overlay::none;
    } else if (const auto* take = std::get_if<TakeRescue>(&request)) {
      take_rescue(take->wanted);
    } else if (const auto* wanted = std::get_if<Export>(&request)) {
      switch (wanted->what) {
        case ExportKind::curves:
          export_curves();
          break;
        case ExportKind::curves_picture:
          wishes_.curves_picture = true;
          break;
        case ExportKind::fields:
          save();
          break;
        case ExportKind::picture:
          wishes_.screenshot = true;
          break;
        case ExportKind::whole_window:
          wishes_.whole_window = true;
          state_.overlay = Overlay::none;
          break;
        case ExportKind::numbers:
          wishes_.clipboard = numbers();
          tell("Copied: the numbers of step " + std::to_string(run().steps));
          break;
        case ExportKind::picture_to_clipboard:
          wishes_.picture_to_clipboard = true;
          break;
        case ExportKind::report:
          wishes_.report = true;
          break;
      }
    } else {
      return false;
    }
  } catch (const Error& error) {
    tell_failure(error.what());
  }
  return true;
}

}  // namespace perturb
