// Clients that measure a served run: WebSockets that take the video as browsers do, all on one thread. One of them also
// decodes it and pokes the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/serve/resource_use.h"

namespace perturb {

struct LoadPlan {
  int port = 0;                      // of 127.0.0.1
  std::vector<std::string> cookies;  // one for each client; the first one pokes
  std::string tool;                  // whose press changes the picture
  double seconds = 20;               // of the measurement, after all clients have got pictures
  double warm_up_seconds = 2;        // between the two
  double longest_poke_seconds = 3;   // until its frame; then it is lost
};

// The exact measure is `seconds`: from the call to the first decoded frame whose step is later than the step at which
// the server has applied the action. It does not depend on the scene. It includes the way to the server, the wait for
// the next frame, steps, painting, encoding, the way back and decoding; not input devices, a browser and its display.
//
// `change` is a check: the mean absolute change of brightness, of 255, in the square around the poke from one frame to
// the next, the largest since the press. `noise`: that of the last frame before it. Where the picture rests, `change`
// is larger by far; where it moves, both may be equal.
struct PokeTime {
  double seconds = 0;
  double answer_seconds = 0;  // from the call to the server's answer
  double change = 0, noise = 0;
};

struct ClientCounts {
  std::int64_t frames = 0, bytes = 0;  // fragments of the video; all messages
  std::int64_t skipped = 0;            // frames that the server has left out for this client
  double longest_gap = 0;              // seconds between two frames
  std::string end;                     // why the connection has ended; empty: it has not
};

struct LoadResult {
  ResourceUse begin, end;     // of the measurement, on the clients' thread
  int width = 0, height = 0;  // of the picture
  double join_seconds = 0;    // from the first hello until each client has a picture
  std::vector<ClientCounts> clients;
  std::vector<PokeTime> pokes;
  int lost_pokes = 0;                       // without a later frame in time
  double frames_made = 0, steps_taken = 0;  // by the server during the measurement
};

// Returns after the measurement. Throws Error if a client cannot connect, or the video cannot be decoded.
LoadResult run_load(const LoadPlan& plan);

}  // namespace perturb
