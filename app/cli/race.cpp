#include "app/cli/race.h"

#include <cmath>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "app/cli/terminal.h"
#include "app/io/preset/races.h"
#include "app/io/preset/scenes.h"
#include "app/run/size_sweep.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// Why this race cannot run here; empty: it can.
Message obstacle(const PreparedRace& race) {
  for (const Lane& lane : race.scene.lanes)
    if (lane.backend == "cuda")
      if (const CudaStatus status = cuda_status(); !status.usable) return status.reason;
  return {};
}

Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string difference_text(double difference) {
  return std::isfinite(difference) ? format_number(difference, 3) : std::string("different sizes");
}

}  // namespace

int list_races(bool as_json) {
  if (as_json) {
    Json list = Json::array();
    for (const PreparedRace& race : prepared_races()) {
      const SimulationInfo& info = find_simulation(race.scene.setup.simulation);
      Json lanes = Json::array();
      for (const Lane& lane : race.scene.lanes) lanes.push_back(text_of(lane, info));
      const Message reason = obstacle(race);
      list.push_back({{"id", race.id},
                      {"title", race.scene.title},
                      {"scene", scene_path_of(race.scene.setup)},
                      {"lanes", lanes},
                      {"possible", reason.empty()},
                      {"reason", reason.english()}});
    }
    std::cout << list.dump(2) << '\n';
    return 0;
  }
  TextTable table({"race", "scene", "title"});
  for (const PreparedRace& race : prepared_races()) {
    const Message reason = obstacle(race);
    table.add({race.id, scene_path_of(race.scene.setup),
               race.scene.title + (reason.empty() ? "" : " (not on this machine: " + reason.english() + ")")});
  }
  table.print(std::cout);
  return 0;
}

void print_race(const Experiment& experiment, Race& race, const RunOptions& options) {
  const SimulationInfo& info = experiment.info();
  const std::vector<Race::LaneResult> results = race.results();
  if (options.json) {
    Json lanes = Json::array();
    for (const Race::LaneResult& r : results)
      lanes.push_back({{"lane", text_of(r.lane, info)},
                       {"kernel", r.kernel},
                       {"backend", r.backend->id()},
                       {"device", r.backend->device_name()},
                       {"threads", r.backend->threads()},
                       {"steps", r.steps},
                       {"time", json_of(r.time)},
                       {"seconds_per_step", json_of(r.seconds_per_step)},
                       {"largest_difference", json_of(r.largest_difference)},
                       {"lyapunov_exponent", r.growth ? json_of(r.growth->rate) : Json()}});
    const GridSize size = grid_of(experiment.setup(), info);
    const Json all = {{"simulation", info.id},
                      {"scene", scene_name_of(experiment.setup())},
                      {"size", {size.width, size.height}},
                      {"by", race.is_by_time() ? "time" : "steps"},
                      {"steps", race.steps()},
                      {"time", json_of(race.time())},
                      {"lanes", lanes}};
    std::cout << all.dump(2) << '\n';
    return;
  }
  std::ostream& out = options.print || options.perf ? std::cerr : std::cout;
  if (race.is_by_time()) {
    TextTable table({"lane", "backend", ">time per step", ">steps", ">time"});
    for (const Race::LaneResult& r : results)
      table.add({text_of(r.lane, info), r.backend->id(),
                 has_value(r.seconds_per_step) ? with_prefix(r.seconds_per_step, "s") : "", std::to_string(r.steps),
                 format_number(r.time, 5)});
    table.print(out);
    return;
  }
  TextTable table({"lane", "backend", ">time per step", ">largest difference", ">Lyapunov exponent"});
  for (const Race::LaneResult& r : results) {
    const bool is_first = &r == &results.front();
    table.add({text_of(r.lane, info), r.backend->id(),
               has_value(r.seconds_per_step) ? with_prefix(r.seconds_per_step, "s") : "",
               is_first ? "" : difference_text(r.largest_difference),
               r.growth ? format_number(r.growth->rate, 3) + " 1/time" : ""});
  }
  table.print(out);
}

}  // namespace perturb
