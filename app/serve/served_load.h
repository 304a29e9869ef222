// Measures a served run under the load of many clients, all in this process and over 127.0.0.1.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "app/serve/load_clients.h"

namespace perturb {

struct ServedLoad {
  nlohmann::ordered_json opening;  // arguments of the call "open", such as {"scene", "wave/rain"}
  std::string tool;                // whose press changes the picture
  int steps_per_frame = 0;         // 0: as the scene says
  std::string backend = "auto";
  int threads = 0;  // 0: one per processor
  int clients = 30;
  double seconds = 20;         // with clients
  double seconds_alone = 5;    // without
  double warm_up_seconds = 2;  // before each
  double longest_poke_seconds = 3;
};

// Processor time is in cores: seconds of it per second of the clock.
struct ServedFigures {
  std::string backend, device;
  int threads = 0;
  int run_width = 0, run_height = 0;  // cells
  LoadResult load;
  double seconds = 0;  // of the measurement
  double steps_per_second = 0, steps_per_second_alone = 0;
  double cores = 0;        // of the server: of this process without the clients' thread
  double cores_alone = 0;  // the same without clients: steps, no pictures
  double cores_of_clients = 0;
  double cores_of_others = 0;  // other processes on this machine
  double frame_rate = 0;       // frames made per second
  // Processor seconds per frame, measured after the load without server and clients.
  double paint_seconds = 0, encode_seconds = 0;

  // Parts of `cores`: as many steps as were taken, at their price without clients, and the rest.
  double cores_of_steps() const {
    return steps_per_second_alone > 0 ? cores_alone / steps_per_second_alone * steps_per_second : 0;
  }
  double cores_beside_steps() const { return cores - cores_of_steps(); }
};

// Runs for the seconds of `load` and some more. Throws InputError and Error; also if this program cannot encode video.
ServedFigures measure_served_run(const ServedLoad& load);

}  // namespace perturb
