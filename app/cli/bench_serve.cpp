// `perturb bench serve`: a served run with as many clients as a class has, on this machine.
#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/results_origin.h"
#include "app/cli/terminal.h"
#include "app/serve/served_load.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/timing/timing_duration.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

constexpr int clients_of_class = 30;
constexpr double seconds_of_scene = 20;

struct MeasuredScene {
  const char *scene, *tool;
};
// The last one is hard to compress.
constexpr MeasuredScene measured_scenes[] = {
    {"wave/double-slit", "droplet"}, {"particles/gas", "kick"}, {"lbm/airfoil", "dye"}};

// At this share of the sorted values; 0 if there are none.
double value_at(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// Of all clients, or of all pokes.
template <class Items, class Member>
std::vector<double> all_of(const Items& items, Member member) {
  std::vector<double> values;
  for (const auto& item : items) values.push_back(static_cast<double>(item.*member));
  return values;
}

struct Measure {
  const char* id;     // key of the JSON
  const char* title;  // with the unit
  const char* goal;   // empty: none
  double factor;      // from the value to the unit of the title
  std::function<double(const ServedFigures&)> value;
};

double poke_at(const ServedFigures& f, double share) {
  return value_at(all_of(f.load.pokes, &PokeTime::seconds), share);
}

// The goals are those for 30 clients; the times of pokes are stated for a whole browser, which shows the frame later.
const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = {
      {"poke_median", "poke to decoded frame, median, ms", "50", 1e3, [](const auto& f) { return poke_at(f, 0.5); }},
      {"poke_95", "the same, 95 %, ms", "80", 1e3, [](const auto& f) { return poke_at(f, 0.95); }},
      {"answer_median", "call to answer, median, ms", "", 1e3,
       [](const auto& f) { return value_at(all_of(f.load.pokes, &PokeTime::answer_seconds), 0.5); }},
      {"pokes", "pokes", "", 1, [](const auto& f) { return static_cast<double>(f.load.pokes.size()); }},
      {"lost_pokes", "pokes without a later frame in 3 s", "0", 1,
       [](const auto& f) { return static_cast<double>(f.load.lost_pokes); }},
      {"frame_rate", "frames made per second", "30", 1, [](const auto& f) { return f.frame_rate; }},
      {"least_frame_rate", "frames per second, slowest client", "30", 1,
       [](const auto& f) { return value_at(all_of(f.load.clients, &ClientCounts::frames), 0) / f.seconds; }},
      {"bytes_per_second", "Mbit/s to a client, median", "5", 8e-6,
       [](const auto& f) { return value_at(all_of(f.load.clients, &ClientCounts::bytes), 0.5) / f.seconds; }},
      {"longest_gap", "longest time between two frames, ms", "", 1e3,
       [](const auto& f) { return value_at(all_of(f.load.clients, &ClientCounts::longest_gap), 1); }},
      {"skipped_most", "frames left out, worst client", "", 1,
       [](const auto& f) { return value_at(all_of(f.load.clients, &ClientCounts::skipped), 1); }},
      {"ended", "connections that ended", "0", 1,
       [](const auto& f) {
         return static_cast<double>(std::count_if(f.load.clients.begin(), f.load.clients.end(),
                                                  [](const ClientCounts& client) { return !client.end.empty(); }));
       }},
      {"join_seconds", "until all clients have a picture, s", "", 1, [](const auto& f) { return f.load.join_seconds; }},
      {"cores", "server, cores", "", 1, [](const auto& f) { return f.cores; }},
      {"cores_of_steps", "of them: steps", "", 1, [](const auto& f) { return f.cores_of_steps(); }},
      {"cores_beside_steps", "of them: all but steps", "0.5", 1, [](const auto& f) { return f.cores_beside_steps(); }},
      {"cores_of_painting", "of these: painting", "", 1, [](const auto& f) { return f.cores_of_painting(); }},
      {"cores_of_encoding", "of these: encoding", "", 1, [](const auto& f) { return f.cores_of_encoding(); }},
      {"paint_seconds", "painting, processor ms per frame", "", 1e3, [](const auto& f) { return f.paint_seconds; }},
      {"encode_seconds", "encoding, processor ms per frame", "", 1e3, [](const auto& f) { return f.encode_seconds; }},
      {"cores_alone", "server without clients, cores", "", 1, [](const auto& f) { return f.cores_alone; }},
      {"steps_per_second", "steps per second", "", 1, [](const auto& f) { return f.steps_per_second; }},
      {"steps_per_second_alone", "the same without clients", "", 1,
       [](const auto& f) { return f.steps_per_second_alone; }},
      {"cores_of_clients", "all clients, cores", "", 1, [](const auto& f) { return f.cores_of_clients; }},
      {"cores_of_others", "other programs, cores", "", 1, [](const auto& f) { return f.cores_of_others; }},
      {"memory_begin", "memory at the start, MB", "", 1e-6,
       [](const auto& f) { return static_cast<double>(f.load.begin.resident_bytes); }},
      {"memory_end", "memory at the end, MB", "", 1e-6,
       [](const auto& f) { return static_cast<double>(f.load.end.resident_bytes); }},
      {"change", "change of brightness at a poke, median", "", 1,
       [](const auto& f) { return value_at(all_of(f.load.pokes, &PokeTime::change), 0.5); }},
      {"noise", "the same one frame earlier", "", 1,
       [](const auto& f) { return value_at(all_of(f.load.pokes, &PokeTime::noise), 0.5); }}};
  return all;
}

void print_figures(const std::vector<ServedFigures>& all, int clients) {
  const ServedFigures& first = all.front();
  std::cout << clients << (clients == 1 ? " client" : " clients") << " on " << first.device << " (" << first.backend
            << ", " << first.threads << (first.threads == 1 ? " thread" : " threads") << "), pictures of "
            << first.width << " x " << first.height << " pixels\n";
  std::vector<std::string> headings = {"", ">goal"};
  for (std::size_t k = 0; k < all.size(); ++k) headings.push_back(std::string(">") + measured_scenes[k].scene);
  TextTable table(headings);
  for (const Measure& measure : measures()) {
    std::vector<std::string> row = {measure.title, measure.goal};
    for (const ServedFigures& figures : all) row.push_back(format_number(measure.factor * measure.value(figures), 3));
    table.add(row);
  }
  table.print(std::cout);
}

}  // namespace

int bench_serve(const BenchOptions& options) {
  if (!options.kernel.empty() || !options.sizes.empty() || options.steps || options.presets || options.paper ||
      !options.study.empty() || !options.compare.empty())
    throw InputError(
        "\"bench serve\" has only --clients, --seconds, --backend, --threads and --json. Omit the others.");
  const int clients = options.clients > 0 ? options.clients : clients_of_class;
  std::vector<ServedFigures> all;
  for (const MeasuredScene& scene : measured_scenes) {
    std::cerr << "Serving " << scene.scene << " to " << clients << (clients == 1 ? " client" : " clients") << " ...\n";
    ServedLoad load;
    load.opening = {{"scene", scene.scene}, {"live_count", true}};
    load.tool = scene.tool;
    load.backend = options.backend;
    load.threads = options.threads;
    load.clients = clients;
    load.seconds = options.seconds > 0 ? options.seconds : seconds_of_scene;
    load.seconds_alone = timing_duration(load.seconds_alone);
    load.warm_up_seconds = timing_duration(load.warm_up_seconds);
    all.push_back(measure_served_run(load));
  }
  if (!options.json) {
    print_figures(all, clients);
    return 0;
  }
  Json json = {{"device", all.front().device}, {"backend", all.front().backend}, {"threads", all.front().threads}};
  json.update(results_origin());
  json["clients"] = clients;
  json["scenes"] = Json::array();
  for (std::size_t k = 0; k < all.size(); ++k) {
    Json scene = {{"scene", measured_scenes[k].scene},
                  {"tool", measured_scenes[k].tool},
                  {"picture", {all[k].width, all[k].height}},
                  {"seconds", all[k].seconds}};
    // (In units without prefix: seconds, bytes and bits.)
    for (const Measure& measure : measures()) scene[measure.id] = measure.value(all[k]);
    json["scenes"].push_back(std::move(scene));
  }
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  return 0;
}

}  // namespace perturb
