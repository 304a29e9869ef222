// `perturb bench serve`: a served run with as many clients as a class has, on this machine.
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/results_origin.h"
#include "app/cli/terminal.h"
#include "app/run/pace_limits.h"
#include "app/serve/served_load.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

struct MeasuredScene {
  const char *scene, *tool;
};
// The tools do not change what a step costs: `kick` would heat the gas.
constexpr MeasuredScene measured_scenes[] = {
    {"wave/double-slit", "droplet"}, {"particles/gas", "reverse"}, {"lbm/airfoil", "dye"}};

// At this share of the sorted values; 0 if there are none.
double value_at(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// Of all clients, or of all pokes.
template <class Items, class Member>
double value_at(const Items& items, Member member, double share) {
  std::vector<double> values;
  for (const auto& item : items) values.push_back(static_cast<double>(item.*member));
  return value_at(std::move(values), share);
}

struct Measure {
  const char* id;     // key of the JSON, where units have no prefix
  const char* title;  // with the unit
  const char* goal;   // for 30 clients; empty: none
  double factor;      // from the value to the unit of the title
  double value;
};

std::vector<Measure> measures_of(const ServedFigures& f) {
  const auto of_pokes = [&](auto member, double share) { return value_at(f.load.pokes, member, share); };
  const auto of_clients = [&](auto member, double share) { return value_at(f.load.clients, member, share); };
  const auto ended = std::count_if(f.load.clients.begin(), f.load.clients.end(),
                                   [](const ClientCounts& client) { return !client.end.empty(); });
  return {
      // The goals are those of a whole browser, which shows the frame some milliseconds later.
      {"poke_median", "poke to decoded frame, median, ms", "50", 1e3, of_pokes(&PokeTime::seconds, 0.5)},
      {"poke_95", "the same, 95 %, ms", "80", 1e3, of_pokes(&PokeTime::seconds, 0.95)},
      {"answer_median", "call to answer, median, ms", "", 1e3, of_pokes(&PokeTime::answer_seconds, 0.5)},
      {"pokes", "pokes", "", 1, static_cast<double>(f.load.pokes.size())},
      {"lost_pokes", "pokes without a later frame in 3 s", "0", 1, static_cast<double>(f.load.lost_pokes)},
      {"frame_rate", "frames made per second", "30", 1, f.frame_rate},
      {"least_frame_rate", "the same, slowest client", "30", 1, of_clients(&ClientCounts::frames, 0) / f.seconds},
      {"longest_gap", "longest time between two frames, ms", "", 1e3, of_clients(&ClientCounts::longest_gap, 1)},
      {"most_skipped", "frames left out, worst client", "", 1, of_clients(&ClientCounts::skipped, 1)},
      {"ended", "connections that ended", "0", 1, static_cast<double>(ended)},
      {"bytes_per_second", "Mbit/s to a client, median", "5", 8e-6, of_clients(&ClientCounts::bytes, 0.5) / f.seconds},
      {"join_seconds", "until all clients have a picture, s", "", 1, f.load.join_seconds},
      {"cores", "server, cores", "", 1, f.cores},
      {"cores_of_steps", "  of them, steps", "", 1, f.cores_of_steps()},
      {"cores_beside_steps", "  of them, all else", "0.5", 1, f.cores_beside_steps()},
      {"cores_of_painting", "    of these, painting", "", 1, f.paint_seconds * f.frame_rate},
      {"cores_of_encoding", "    of these, encoding", "", 1, f.encode_seconds * f.frame_rate},
      {"paint_seconds", "painting, processor ms per frame", "", 1e3, f.paint_seconds},
      {"encode_seconds", "encoding, processor ms per frame", "", 1e3, f.encode_seconds},
      {"cores_alone", "server without clients, cores", "", 1, f.cores_alone},
      {"steps_per_second", "steps per second", "", 1, f.steps_per_second},
      {"steps_per_second_alone", "the same without clients", "", 1, f.steps_per_second_alone},
      {"cores_of_clients", "all clients, cores", "", 1, f.cores_of_clients},
      {"cores_of_others", "other programs, cores", "", 1, f.cores_of_others},
      {"memory_begin", "memory at the start, MB", "", 1e-6, static_cast<double>(f.load.begin.resident_bytes)},
      {"memory_end", "memory at the end, MB", "", 1e-6, static_cast<double>(f.load.end.resident_bytes)}};
}

std::string count_of(int number, const std::string& word) {
  return std::to_string(number) + " " + word + (number == 1 ? "" : "s");
}

void print_figures(const std::vector<MeasuredScene>& scenes, const std::vector<ServedFigures>& all,
                   const ServedLoad& load) {
  const ServedFigures& first = all.front();
  std::cout << count_of(load.clients, "client") << " on " << first.device << " (" << first.backend << ", "
            << count_of(first.threads, "thread") << ")\n";
  std::vector<std::string> headings = {"", ">goal"}, sizes = {"picture, pixels", ""};
  for (std::size_t k = 0; k < all.size(); ++k) {
    headings.push_back(std::string(">") + scenes[k].scene);
    sizes.push_back(std::to_string(all[k].load.width) + " x " + std::to_string(all[k].load.height));
  }
  TextTable table(headings);
  table.add(sizes);
  std::vector<std::vector<Measure>> columns;
  for (const ServedFigures& figures : all) columns.push_back(measures_of(figures));
  for (std::size_t line = 0; line < columns.front().size(); ++line) {
    std::vector<std::string> row = {columns.front()[line].title, columns.front()[line].goal};
    for (const auto& column : columns) row.push_back(format_number(column[line].factor * column[line].value, 3));
    table.add(row);
  }
  table.print(std::cout);
}

}  // namespace

int bench_serve(const BenchOptions& options) {
  if (!options.kernel.empty() || options.steps || options.presets || options.paper || !options.study.empty() ||
      !options.compare.empty())
    throw InputError(
        "\"bench serve\" has only --clients, --seconds, --size, --backend, --threads and --json. Omit the others.");
  ServedLoad load;
  load.backend = options.backend;
  load.threads = options.threads;
  if (options.clients > 0) load.clients = options.clients;
  if (options.seconds > 0) load.seconds = options.seconds;
  load.seconds_alone = timing_duration(load.seconds_alone);
  load.warm_up_seconds = timing_duration(load.warm_up_seconds);
  std::vector<MeasuredScene> scenes;
  std::vector<ServedFigures> all;
  const auto serve = [&](const MeasuredScene& scene, Json opening) {
    std::cerr << "Serving " << scene.scene << " to " << count_of(load.clients, "client") << " ...\n";
    load.opening = {{"scene", scene.scene}};
    load.opening.update(opening);
    load.tool = scene.tool;
    scenes.push_back(scene);
    all.push_back(measure_served_run(load));
  };
  if (options.sizes.empty()) {
    for (const MeasuredScene& scene : measured_scenes) serve(scene, {{"live_count", true}});
  } else {
    // More than any machine reaches: what serving costs is then seen in the steps per second.
    load.steps_per_frame = pace_limits::max_steps;
    for (const auto& [width, height] : options.sizes)
      serve({"wave/droplet", "droplet"}, {{"width", width}, {"height", height}});
  }
  if (!options.json) {
    print_figures(scenes, all, load);
    return 0;
  }
  Json json = {{"device", all.front().device}, {"backend", all.front().backend}, {"threads", all.front().threads}};
  json.update(results_origin());
  json["clients"] = load.clients;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Json scene = {{"scene", scenes[k].scene},
                  {"size", {all[k].run_width, all[k].run_height}},
                  {"tool", scenes[k].tool},
                  {"picture", {all[k].load.width, all[k].load.height}},
                  {"seconds", all[k].seconds}};
    for (const Measure& measure : measures_of(all[k])) scene[measure.id] = measure.value;
    json["scenes"].push_back(std::move(scene));
  }
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return 0;
}

}  // namespace perturb
