// The command "serve": a run that browsers show and disturb together.
#pragma once

#include <string>

namespace perturb {

struct ServeOptions {
  std::string scene;   // empty: the first preset of the first simulation
  std::string kernel;  // empty: the fastest that fits
  std::string backend = "auto";
  int threads = 0;               // 0: one per processor
  bool lan = false;              // for the local network; otherwise for this machine only
  int port = 0;                  // 0: any free one
  std::string certificate, key;  // PEM files for https; both empty: http
  std::string page;              // folder that scripts/web has made; empty: the page in the program
  bool lockstep = false;         // every browser computes the same run; needs such a folder
  bool own_runs = false;         // every browser computes a run of its own; needs such a folder
};

// Serves until Ctrl+C; returns the exit code. Throws InputError and Error.
int serve(const ServeOptions& options);

}  // namespace perturb
