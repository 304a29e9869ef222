#include "app/cli/bench_options.h"

#include <cctype>
#include <utility>
#include <vector>

#include "app/cli/bench_study.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"

namespace perturb {

namespace {

// The id of a study, as an example in messages.
std::string first_study() { return bench_studies(*catalog().front()).front().id; }

void check_ending(const std::string& option, const std::string& path, const std::string& ending) {
  std::string lower = path;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!path.empty() && !lower.ends_with(ending))
    throw InputError(option + " cannot be \"" + path + "\": its name must end with " + ending + ".");
}

}  // namespace

void add_bench_options(OptionSet& options, BenchOptions& bench, StudiesGiven& studies) {
  const std::string group = "Options", of_studies = "Studies";
  options.text("SIM", "", "A simulation (default: all)", group, bench.simulation);
  add_backend(options, bench.backend, bench.threads, group);
  options.value(
      "--size", "WxH", "Cells, one number N: N x N; may be given many times", group,
      [&](const std::string& text) { bench.sizes.push_back(parse_size("--size", text)); }, true);
  options.text("--kernel", "ID", "One kernel (default: all)", group, bench.kernel);
  options.value("--steps", "N", "Steps in a timed group (default: as many as 0.2 s take)", group,
                [&](const std::string& text) { bench.steps = parse_whole("--steps", text, 1, 1e9); });
  options.flag("--json", "For programs", group, bench.json);

  // For each study id and summary, the simulations that have it. If all have it, none is named.
  std::map<std::string, std::map<std::string, std::vector<std::string>>> summaries;
  for (const SimulationInfo* info : catalog())
    for (const BenchStudy& study : bench_studies(*info)) summaries[study.id][study.summary].push_back(info->id);
  for (const auto& [id, by_summary] : summaries) {
    std::string text;
    for (const auto& [summary, simulations] : by_summary) {
      if (!text.empty()) text += ' ';
      if (simulations.size() < catalog().size())
        for (const std::string& id_of_one : simulations)
          text += id_of_one + (id_of_one == simulations.back() ? ": " : ", ");
      text += summary;
    }
    options.flag("--" + id, text, of_studies, studies[id]);
  }
  options.flag("--sources",
               "All of these that measure again what the simulation's published work did, and a page of them",
               of_studies, bench.paper);
  options.text("--page", "FILE.md", "Where --sources writes its page (default: perturb-SIM-sources.md)", of_studies,
               bench.page);
  options.text("--plot", "FILE.png", "A picture of the studies' curves", of_studies, bench.plot);
  options.text("--csv", "FILE.csv", "The numbers of the studies' tables", of_studies, bench.csv);
}

void choose_study(BenchOptions& bench, const StudiesGiven& studies) {
  for (const auto& [id, given] : studies) {
    if (!given) continue;
    if (!bench.study.empty()) throw InputError("--" + bench.study + " and --" + id + " are two studies: give one.");
    bench.study = id;
  }
  if (bench.paper && !bench.study.empty())
    throw InputError("--sources runs --" + bench.study + " too, if it is one of the source's: give one of them.");
  const bool any = bench.paper || !bench.study.empty();
  for (const auto& [option, path] : {std::pair{"--plot", &bench.plot}, std::pair{"--csv", &bench.csv}})
    if (!path->empty() && !any)
      throw InputError(std::string(option) + " is for what a study finds: name one, such as --" + first_study() +
                       ", or --sources.");
  if (!bench.page.empty() && !bench.paper) throw InputError("--page is where --sources writes: give both.");
  check_ending("--plot", bench.plot, ".png");
  check_ending("--csv", bench.csv, ".csv");
  check_ending("--page", bench.page, ".md");
}

}  // namespace perturb
