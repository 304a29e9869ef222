#include "app/cli/studies.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <span>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/cli/bench_study.h"
#include "app/cli/results_origin.h"
#include "app/cli/run_checks.h"
#include "app/cli/study_output.h"
#include "app/cli/study_run.h"
#include "app/cli/terminal.h"
#include "app/i18n/utf8.h"
#include "app/io/files/date.h"
#include "app/io/files/output.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/run/interrupts.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/paper_items.h"
#include "cuda/studies/study.h"

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
  throw InputError("--{} is a study of {}. Name one, as in \"perturb bench {} --{}\".", options.study, list,
                   having.front()->id, options.study);
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
    throw InputError("{} has no study --{}{}", info.id, options.study,
                     (list.empty() ? ". \"perturb bench --help\" lists the studies." : ": it has " + list + "."));
  }
  if (!options.kernel.empty() || options.steps || options.sizes.size() > 1)
    throw InputError("--{} chooses its own kernels and steps. Give at most one --size with it.", options.study);
  for (const std::string& path : {options.plot, options.csv})
    if (!path.empty()) require_writable(path);

  Scene scene = load_scene(options.simulation.empty() ? info.id : options.simulation);
  Setup& setup = scene.setup;
  if (!options.sizes.empty()) {
    setup.width = options.sizes.front().width;
    setup.height = options.sizes.front().height;
  }
  Message note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note.english() << '\n';
  require_memory(info, setup, *backend);
  Interrupts interrupts;
  const StudyRequestScope request({options.long_too, !options.sizes.empty(), options.starts});
  StudyOutcome outcome = run_study(*study, *backend, scene, interrupts.request(), say_part);
  if (!backend->is_cuda()) add_findings_that_need_cuda(paper_items(info.paper_page), study->id, outcome.result);
  const StudyResult& result = outcome.result;
  if (!outcome.complete) std::cerr << "Stopped. The results so far:\n";
  // After the results are printed, so that a full disk does not lose them.
  const auto write_files = [&] {
    if (!options.csv.empty()) {
      const std::string numbers = study_csv_headings() + study_csv(study->id, result);
      replace_file(options.csv, std::as_bytes(std::span(numbers)));
      print_line(std::cerr, "Wrote " + options.csv);
    }
    if (options.plot.empty()) return;
    if (result.plots.empty() && !outcome.complete) return;
    if (result.plots.empty()) {
      std::cerr << "--" << options.study << " has no plot: " << options.plot << " is not written.\n";
      return;
    }
    require_pictures({64, 64}, &interrupts.request());
    save_png(study_image(result.plots), options.plot);
    print_line(std::cerr, "Wrote " + options.plot);
  };
  if (!options.json) {
    std::cout << backend->device_name() << " (" << backend->id() << ")\n";
    for (const StudyTable& table : result.tables) print_table(table, std::cout);
    std::cout.flush();
    write_files();
    return outcome.complete ? 0 : 1;
  }
  Json json = {{"simulation", info.id},
               {"study", study->id},
               {"summary", study->summary},
               {"backend", backend->id()},
               {"device", backend->device_name()},
               {"threads", backend->threads()},
               {"whole", outcome.complete},
               {"tables", Json::array()},
               {"plots", Json::array()}};
  json.update(results_origin());
  for (const StudyTable& table : result.tables) json["tables"].push_back(study_json(table));
  for (const StudyPlot& plot : result.plots) json["plots"].push_back(study_json(plot));
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  std::cout.flush();
  write_files();
  return outcome.complete ? 0 : 1;
}

void print_standard_studies(Backend& backend, const SimulationInfo& info, const Setup& setup) {
  for (const Study& study : studies_of(info.id))
    if (study.standard)
      for (const StudyTable& table : study.run(backend, setup, say_part).tables) print_table(table, std::cout);
}

namespace {

using Clock = std::chrono::steady_clock;
std::string machine_of(const Backend& backend) {
  std::string words = backend.device_name() + " (" + backend.id();
  if (!backend.is_cuda())
    words += ", " + std::to_string(backend.threads()) + (backend.threads() == 1 ? " thread" : " threads");
  return words + ")";
}

void write_text(const std::string& path, const std::string& text) {
  replace_file(path, std::as_bytes(std::span(text)));
}

Scene scene_of_study(const PaperStudy& study, const std::vector<Size>& sizes) {
  Scene scene = load_scene(study.preset.empty() ? study.simulation : study.simulation + "/" + study.preset);
  if (!sizes.empty()) {
    scene.setup.width = sizes.front().width;
    scene.setup.height = sizes.front().height;
  }
  return scene;
}

// The output files of a run of studies, written again after each study.
class Outputs {
 public:
  Outputs(const BenchOptions& options, const std::string& simulation)
      : page_(options.page.empty() ? "perturb-" + simulation + "-sources.md" : options.page),
        csv_(options.csv),
        plot_(options.plot) {
    for (const std::string& path : {page_, csv_, plot_})
      if (!path.empty()) require_writable(path);
  }

  // Draws only the image of the page's last outcome: the others already exist.
  void write(StudyPage& page, const PaperTable& source) {
    if (!page.outcomes.empty()) draw(page, page.outcomes.back());
    write_text(page_, page_text(page, source));
    if (csv_.empty()) return;
    std::string numbers = study_csv_headings();
    for (const StudyOutcome& outcome : page.outcomes) numbers += study_csv(outcome.id, outcome.result);
    write_text(csv_, numbers);
  }
  void draw_all(const StudyPage& page) {
    if (plot_.empty()) return;
    std::vector<StudyPlot> plots;
    for (const StudyOutcome& outcome : page.outcomes)
      plots.insert(plots.end(), outcome.result.plots.begin(), outcome.result.plots.end());
    if (plots.empty()) {
      std::cerr << "None of these studies has a plot: " << plot_ << " is not written.\n";
      return;
    }
    require_pictures({64, 64}, nullptr);
    save_png(study_image(plots), plot_);
    has_drawn_ = true;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all = {page_};
    for (const std::string& path : {csv_, plot_})
      if (!path.empty() && (path != plot_ || has_drawn_)) all.push_back(path);
    return all;
  }

 private:
  // Next to the page, with its name: "lesson-split.png".
  void draw(StudyPage& page, const StudyOutcome& outcome) const {
    if (outcome.result.plots.empty() || !page.no_pictures.empty()) return;
    const std::filesystem::path at(page_);
    const std::string name = at.stem().string() + "-" + outcome.id + ".png";
    try {
      require_pictures({64, 64}, nullptr);
      save_png(study_image(outcome.result.plots), (at.parent_path() / name).string());
      page.pictures[outcome.id] = name;
    } catch (const Error& error) {
      page.no_pictures = error.what();
    }
  }

  std::string page_, csv_, plot_;
  bool has_drawn_ = false;
};

Json json_of(const StudyPage& page, const PaperTable& source, const Backend& backend) {
  Json json = {{"simulation", page.simulation},   {"source", source.cited()},     {"backend", backend.id()},
               {"device", backend.device_name()}, {"threads", backend.threads()}, {"not_begun", page.missing},
               {"studies", Json::array()}};
  json.update(results_origin());
  for (const StudyOutcome& outcome : page.outcomes) {
    Json study = {{"study", outcome.id},        {"version", outcome.version}, {"summary", outcome.summary},
                  {"seconds", outcome.seconds}, {"whole", outcome.complete},  {"trouble", outcome.error},
                  {"tables", Json::array()},    {"plots", Json::array()}};
    for (const StudyTable& table : outcome.result.tables) study["tables"].push_back(study_json(table));
    for (const StudyPlot& plot : outcome.result.plots) study["plots"].push_back(study_json(plot));
    json["studies"].push_back(std::move(study));
  }
  return json;
}

// A study of the paper, and what it runs with.
struct Task {
  BenchStudy study;
  PaperStudy of_paper;
};
std::vector<Task> tasks_of(const SimulationInfo& info) {
  std::vector<Task> tasks;
  for (const PaperStudy& wanted : paper_studies(info.id))
    for (const BenchStudy& study : bench_studies(info))
      if (study.id == wanted.study) tasks.push_back({study, wanted});
  if (tasks.empty()) throw InputError("{} has no studies of its paper. Omit --paper.", info.id);
  return tasks;
}

}  // namespace

int paper_command(const BenchOptions& options) {
  if (options.simulation.empty() || options.simulation.find('/') != std::string::npos)
    throw InputError("--paper needs one simulation. Name it, as in \"perturb bench {} --paper\".",
                     catalog().front()->id);
  const SimulationInfo& info = find_simulation(options.simulation);
  if (!options.kernel.empty() || options.steps || options.sizes.size() > 1)
    throw InputError("--paper chooses its own kernels and steps. Give at most one --size with it.");
  const std::vector<Task> tasks = tasks_of(info);
  const PaperTable& source = paper_table(info.id);
  Outputs outputs(options, info.id);

  Message note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note.english() << '\n';
  StudyPage page;
  page.simulation = info.id;
  page.title = info.title;
  page.date = today();
  page.device = machine_of(*backend);
  page.command = "perturb bench " + info.id + " --paper";
  if (!options.sizes.empty())
    page.command +=
        " --size " + std::to_string(options.sizes.front().width) + "x" + std::to_string(options.sizes.front().height);
  if (!backend->is_cuda()) page.device += ", without a CUDA device: findings that need one are not measured";
  std::vector<double> expected;
  for (const auto& [study, of_paper] : tasks) {
    page.missing.push_back(study.id);
    expected.push_back(of_paper.seconds);
  }

  if (options.long_too) page.command += " --long";
  const StudyRequestScope request({options.long_too, !options.sizes.empty()});
  Interrupts interrupts;
  ProgressEstimator estimator(expected);
  ProgressLine line;
  for (const auto& [study, of_paper] : tasks) {
    if (interrupts.stop_requested()) break;
    const auto begin = Clock::now();
    const auto gone = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    line.show(estimator, "--" + study.id, 0);
    StudyOutcome outcome;
    try {
      const Scene scene = scene_of_study(of_paper, options.sizes);
      require_memory(info, scene.setup, *backend);
      outcome = run_study(study, *backend, scene, interrupts.request(), [&, id = study.id](const std::string& words) {
        line.show(estimator, "--" + id + ", " + words, gone());
      });
    } catch (const Error& error) {  // the other studies still run
      outcome.id = study.id;
      outcome.summary = study.summary;
      outcome.seconds = gone();
      outcome.error = error.what();
      line.end();
      print_line(std::cerr, "--" + study.id + " failed: " + outcome.error);
    }
    if (!backend->is_cuda()) add_findings_that_need_cuda(paper_items(info.paper_page), study.id, outcome.result);
    outcome.version = of_paper.version;
    estimator.done(outcome.seconds);
    page.missing.erase(page.missing.begin());
    page.outcomes.push_back(std::move(outcome));
    outputs.write(page, source);
  }
  line.end();
  bool whole = page.missing.empty();
  for (const StudyOutcome& outcome : page.outcomes) whole = whole && outcome.complete;

  if (options.json) {
    std::cout << json_of(page, source, *backend).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  } else {
    std::cout << page.device << '\n';
    for (const StudyOutcome& outcome : page.outcomes)
      for (const StudyTable& table : outcome.result.tables) print_table(table, std::cout);
  }
  std::cout.flush();
  outputs.draw_all(page);
  if (interrupts.stop_requested()) std::cerr << "Stopped. The results so far are saved.\n";
  for (const std::string& name : outputs.names()) print_line(std::cerr, "Wrote " + name);
  if (!page.no_pictures.empty()) print_line(std::cerr, "The page has no plots: " + page.no_pictures);
  return whole ? 0 : 1;
}

}  // namespace perturb
