#include "app/cli/studies.h"

#include <algorithm>
#include <array>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/memory_check.h"
#include "app/cli/table.h"
#include "app/files/output.h"
#include "app/pictures/image.h"
#include "app/scenes/presets.h"
#include "app/study_picture.h"
#include "cuda/core/catalog.h"
#include "cuda/core/words.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// Units that read better with a prefix than as a bare number below a heading.
bool takes_prefix(const std::string& unit) {
  static constexpr std::array<const char*, 3> plain = {"s", "B", "flop"};
  return std::find(plain.begin(), plain.end(), unit) != plain.end() || unit.ends_with("/s") || unit.starts_with("s/");
}

std::string in_words(const StudyColumn& column, const StudyValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  const double number = std::get<double>(value);
  if (!takes_prefix(column.unit)) return number_in_words(number, column.digits);
  constexpr int digits_with_prefix = 3;
  return column.digits > digits_with_prefix ? number_in_words(number, column.digits) + " " + column.unit
                                            : with_prefix(number, column.unit);
}

void print(const StudyTable& table) {
  std::vector<std::string> headings;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const StudyColumn& column = table.columns[c];
    const bool words = !table.rows.empty() && std::holds_alternative<std::string>(table.rows.front().at(c));
    const bool told = !column.unit.empty() && !takes_prefix(column.unit);
    headings.push_back((words ? "" : ">") + column.label + (told ? ", " + column.unit : ""));
  }
  TextTable text(headings);
  for (const std::vector<StudyValue>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(in_words(table.columns[c], row.at(c)));
    text.add(std::move(cells));
  }
  std::cout << '\n' << table.title << '\n';
  text.print(std::cout);
  if (!table.note.empty()) std::cout << table.note << '\n';
}

// Infinite and undefined numbers are null in JSON.
Json json_of(const StudyTable& table) {
  Json json = {{"id", table.id}, {"title", table.title}, {"columns", Json::array()}, {"rows", Json::array()}};
  for (const StudyColumn& column : table.columns)
    json["columns"].push_back({{"id", column.id}, {"label", column.label}, {"unit", column.unit}});
  for (const std::vector<StudyValue>& row : table.rows) {
    Json entry = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      std::visit([&](const auto& value) { entry[table.columns[c].id] = value; }, row.at(c));
    json["rows"].push_back(std::move(entry));
  }
  json["note"] = table.note;
  return json;
}

Json json_of(const StudyPlot& plot) {
  Json json = {{"title", plot.title},
               {"x_label", plot.x_label},
               {"x_unit", plot.x_unit},
               {"y_label", plot.y_label},
               {"y_unit", plot.y_unit},
               {"logarithmic_x", plot.logarithmic_x},
               {"logarithmic_y", plot.logarithmic_y},
               {"lines", Json::array()}};
  for (const StudyLine& line : plot.lines) {
    Json points = Json::array();
    for (const CurvePoint& p : line.points) points.push_back({p.x, p.y});
    json["lines"].push_back({{"label", line.label}, {"compared", line.dashed}, {"points", std::move(points)}});
  }
  return json;
}

StudyResult run(const Study& study, Backend& backend, const Setup& setup) {
  return study.run(backend, setup, [](const std::string& words) { std::cerr << words << " ...\n"; });
}

const SimulationInfo& simulation_with(const BenchOptions& options) {
  const std::string named = options.simulation.substr(0, options.simulation.find('/'));
  if (!named.empty()) return find_simulation(named);
  std::vector<const SimulationInfo*> having;
  for (const SimulationInfo* info : catalog())
    for (const Study& study : info->studies)
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
  const auto study =
      std::find_if(info.studies.begin(), info.studies.end(), [&](const Study& s) { return s.id == options.study; });
  if (study == info.studies.end()) {
    std::string list;
    for (const Study& s : info.studies) list += (list.empty() ? "--" : ", --") + s.id;
    throw InputError(info.id + " has no study --" + options.study +
                     (list.empty() ? ": \"perturb bench --help\" shows whose it is." : ": it has " + list + "."));
  }
  if (!options.kernel.empty() || options.steps || options.sizes.size() > 1)
    throw InputError("--" + options.study + " chooses its own kernels and steps: give at most one --size with it.");
  if (!options.plot.empty()) require_writable(options.plot);

  Setup setup = load_setup(options.simulation.empty() ? info.id : options.simulation);
  if (!options.sizes.empty()) setup.width = options.sizes.front().width, setup.height = options.sizes.front().height;
  std::string note;
  const auto backend = make_backend(options.backend, options.threads, &note);
  if (!note.empty()) std::cerr << "Measured on the CPU: " << note << '\n';
  require_memory(info, setup, *backend);
  const StudyResult result = run(*study, *backend, setup);
  // What has been measured is told before the picture is tried, so that a full disk does not lose it.
  const auto draw = [&] {
    if (options.plot.empty()) return;
    if (result.plots.empty()) throw InputError("--" + options.study + " draws nothing: leave --plot away.");
    save_png(study_picture(result.plots), options.plot);
    std::cerr << "Wrote " << options.plot << '\n';
  };
  if (!options.json) {
    std::cout << backend->device_name() << " (" << backend->word() << ")\n";
    for (const StudyTable& table : result.tables) print(table);
    draw();
    return 0;
  }
  Json json = {{"simulation", info.id},
               {"study", study->id},
               {"summary", study->summary},
               {"backend", backend->word()},
               {"device", backend->device_name()},
               {"threads", backend->threads()},
               {"tables", Json::array()},
               {"plots", Json::array()}};
  for (const StudyTable& table : result.tables) json["tables"].push_back(json_of(table));
  for (const StudyPlot& plot : result.plots) json["plots"].push_back(json_of(plot));
  std::cout << json.dump(2) << '\n';
  draw();
  return 0;
}

void print_standard_studies(Backend& backend, const SimulationInfo& info, const Setup& setup) {
  for (const Study& study : info.studies)
    if (study.standard)
      for (const StudyTable& table : run(study, backend, setup).tables) print(table);
}

}  // namespace perturb
