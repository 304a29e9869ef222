// What is taken out of a run, to files and to the clipboard: curves, numbers, sounds, states, scripts, and pictures,
// which the window makes.
#pragma once

#include <string>

#include "app/instruments/instruments.h"
#include "app/session/conversation.h"
#include "app/session/measurements.h"
#include "app/session/output_folders.h"
#include "app/session/wishes.h"

namespace perturb {

class Exporter {
 public:
  // All outlive it.
  Exporter(Conversation& conversation, UiState& state, const Measurements& measurements, Instruments& instruments,
           OutputFolders& output, Wishes& wishes)
      : conversation_(conversation),
        state_(state),
        measurements_(measurements),
        instruments_(instruments),
        output_(output),
        wishes_(wishes) {}

  // All that is measured now, as lines of text, below the run's name.
  std::string numbers() const;
  // The run since its last restart as a script; `words` are told when it is there.
  void save_script_to(const std::string& path, const std::string& words);

  bool hear(UiCommand command);
  void hear(const Export& wanted);
  void hear(const StartFilm& wanted);
  void hear(const SaveSound& wanted);

 private:
  void give(ExportKind what);
  void save_curves();
  void save_state();
  void save_script();
  void save_sound(int probe);
  void copy_command_line();

  Conversation& conversation_;
  UiState& state_;
  const Measurements& measurements_;
  Instruments& instruments_;
  OutputFolders& output_;
  Wishes& wishes_;
};

}  // namespace perturb
