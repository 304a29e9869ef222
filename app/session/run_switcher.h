// Puts another run in this one's place: another scene or state, or the same run begun anew, or gone back. One place,
// because whatever was learnt of the run before is void then, and all parts of the session have to hear of it.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "app/session/run_client.h"

namespace perturb {

class RunSwitcher {
 public:
  // Called when another run has come; `new_scene`: another scene too, with a view and tools of its own.
  using OnRunReplaced = std::function<void(bool new_scene)>;
  using Fail = std::function<void(const std::string& sentence)>;

  RunSwitcher(RunClient& client, UiState& state, OnRunReplaced on_run_replaced)
      : client_(client), state_(state), on_run_replaced_(std::move(on_run_replaced)) {}

  // Asked before an undo or redo that leads to another scene: a lesson keeps its own.
  void block_scene_undo_while(std::function<bool()> blocks) { blocks_scene_undo_ = std::move(blocks); }

  // Asks for the run of the scene or the file of this path. Once it is there, `then` is called, and has everybody
  // on_run_replaced() it. Where none came `fail` hears why; null: the user is told.
  void open(const std::string& path, job::Open open, std::function<void()> then, Fail fail = {});
  void on_run_replaced(bool new_scene) { on_run_replaced_(new_scene); }

  // The path of the scene that will be shown when all is answered; a state file's own, while it is being opened.
  std::string pending_scene() const;
  // How long each undo and redo took the run, in seconds.
  const std::vector<double>& undo_seconds() const { return undo_seconds_; }

  bool handle(UiCommand command);
  void handle(const RestoreLastGood& request);

 private:
  void undo_or_redo(bool back);

  RunClient& client_;
  UiState& state_;
  OnRunReplaced on_run_replaced_;
  std::function<bool()> blocks_scene_undo_;
  std::deque<std::string> opening_;  // scenes and files that are not answered yet, by path
  std::vector<double> undo_seconds_;
};

}  // namespace perturb
