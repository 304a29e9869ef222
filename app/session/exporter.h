// Exports of a run to files and to the clipboard: curves, numbers, sounds, states and scripts. The window makes the
// images.
#pragma once

#include <string>

#include "app/instruments/instruments.h"
#include "app/session/measurements.h"
#include "app/session/output_folders.h"
#include "app/session/run_client.h"
#include "app/session/window_requests.h"

namespace perturb {

class Exporter {
 public:
  // All arguments must outlive it.
  Exporter(RunClient& client, UiState& state, const Measurements& measurements, Instruments& instruments,
           OutputFolders& output, WindowRequests& window_requests)
      : client_(client),
        state_(state),
        measurements_(measurements),
        instruments_(instruments),
        output_(output),
        window_requests_(window_requests) {}

  // All current measurements as lines of text, below the name of the run.
  std::string numbers() const;
  // Saves the run since its last restart as a script; shows `words` once it is written.
  void save_script_to(const std::string& path, const std::string& words);

  bool handle(UiCommand command);
  void handle(const Export& request);
  void handle(const StartFilm& request);
  void handle(const SaveSound& request);

 private:
  void give(ExportKind what);
  void save_curves();
  void save_state();
  void save_script();
  void save_sound(int probe);
  void copy_command_line();

  RunClient& client_;
  UiState& state_;
  const Measurements& measurements_;
  Instruments& instruments_;
  OutputFolders& output_;
  WindowRequests& window_requests_;
};

}  // namespace perturb
