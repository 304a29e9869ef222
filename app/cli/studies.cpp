#include "app/cli/studies.h"

#include <algorithm>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>

#include "app/cli/bench_study.h"
#include "app/cli/memory_check.h"
#include "app/cli/picture_check.h"
#include "app/cli/study_image.h"
#include "app/cli/study_run.h"
#include "app/cli/study_text.h"
#include "app/cli/terminal.h"
#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/run/interrupts.h"
#include "cuda/core/bench/study_catalog.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

void say_part(const std::string& words) { std::cerr << words << " ...\n"; }

const SimulationInfo& simulation_with(const BenchOptions& options) {
  const std::string named = options.simulation.substr(0, options.simulation.find('/'));
  if (!named.empty()) return find_simulation(named);
  std::vector<const SimulationInfo*> having;
  for (const SimulationInfo* info : catalog())
    for (const BenchStudy& study : bench_studies(*info))
      if (study.id == options.study) having.push_back(info);
  if (having.size() == 1) return *having.front();
  std::string list;
  for (const SimulationInfo* info : having) list += (list.empty() ? "" : " or ") + info->id;
  throw InputError("--" + options.study + " is a study of " + list + ": name one, as in \"perturb bench " +
                   having.front()->id + " --" + options.study + "\".");
}

}  // namespace

int study_command(const BenchOptions& options) {
  const SimulationInfo& info = simulation_with(options);
  const std::vector<BenchStudy> studies = bench_studies(info);
  const auto study =
      std::find_if(studies.begin(), studies.end(), [&](const BenchStudy& s) { return s.id == options.study; });
  if (study == studies.end()) {
    std::string list;
    for (const BenchStudy& s : studies) list += (list.empty() ? "--" : ", --") + s.id;
    throw InputError(info.id + " has no study --" + options.study +
                     (list.empty() ? ": \"perturb bench --help\" shows whose it is." : ": it has " + list + "."));
  }
  if (!options.kernel.empty() || options.steps || options.sizes.size() > 1)
    throw InputError("--" + options.study + " chooses its own kernels and steps: give at most one --size with it.");
  for (const std::string& path : {options.plot, options.csv})
    if (!path.empty()) require_writable(path);

  Scene scene = load_scene(options.simulation.empty() ? info.id : options.simulation);
  Setup& setup = scene.setup;
  if (!options.sizes.empty()) setup.width = options.sizes.front().width, setup.height = options.sizes.front().height;
  std::string note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note << '\n';
  require_memory(info, setup, *backend);
  Interrupts interrupts;
  const StudyOutcome outcome = run_study(*study, *backend, scene, interrupts.request(), say_part);
  const StudyResult& result = outcome.result;
  if (!outcome.complete) std::cerr << "Stopped: what was found by then follows.\n";
  if (!options.csv.empty()) {
    const std::string numbers = study_csv_headings() + study_csv(study->id, result);
    replace_file(options.csv, std::as_bytes(std::span(numbers)));
    print_line(std::cerr, "Wrote " + options.csv);
  }
  // Prints the results before it draws the image, so that a full disk does not lose them.
  const auto draw = [&] {
    if (options.plot.empty()) return;
    if (result.plots.empty() && !outcome.complete) return;
    if (result.plots.empty()) {
      std::cerr << "--" << options.study << " draws no picture: " << options.plot << " is not written.\n";
      return;
    }
    require_pictures({64, 64}, &interrupts.request());
    save_png(study_image(result.plots), options.plot);
    print_line(std::cerr, "Wrote " + options.plot);
  };
  if (!options.json) {
    std::cout << backend->device_name() << " (" << backend->word() << ")\n";
    for (const StudyTable& table : result.tables) print_table(table, std::cout);
    draw();
    return outcome.complete ? 0 : 1;
  }
  Json json = {{"simulation", info.id},
               {"study", study->id},
               {"summary", study->summary},
               {"backend", backend->word()},
               {"device", backend->device_name()},
               {"threads", backend->threads()},
               {"whole", outcome.complete},
               {"tables", Json::array()},
               {"plots", Json::array()}};
  for (const StudyTable& table : result.tables) json["tables"].push_back(study_json(table));
  for (const StudyPlot& plot : result.plots) json["plots"].push_back(study_json(plot));
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  draw();
  return outcome.complete ? 0 : 1;
}

void print_standard_studies(Backend& backend, const SimulationInfo& info, const Setup& setup) {
  for (const Study& study : studies_of(info.id))
    if (study.standard)
      for (const StudyTable& table : study.run(backend, setup, say_part).tables) print_table(table, std::cout);
}

}  // namespace perturb
