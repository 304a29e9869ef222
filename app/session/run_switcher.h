// Replaces the run: another scene or state, a restart, undo or redo. All in one place, because everything measured of
// the previous run becomes invalid and all parts of the session must be notified.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "app/session/run_client.h"

namespace perturb {

class RunSwitcher {
 public:
  // Called after the run was replaced; `new_scene`: by another scene, with its own view and tools.
  using OnRunReplaced = std::function<void(bool new_scene)>;
  using Fail = std::function<void(const std::string& sentence)>;

  RunSwitcher(RunClient& client, UiState& state, OnRunReplaced on_run_replaced)
      : client_(client), state_(state), on_run_replaced_(std::move(on_run_replaced)) {}

  // Checked before an undo or redo that leads to another scene: a lesson keeps its scene.
  void block_scene_undo_while(std::function<bool()> blocks) { blocks_scene_undo_ = std::move(blocks); }

  // Requests the run of the scene or file with this path. On success calls `then`, and on_run_replaced() of all parts.
  // On failure passes the reason to `fail`; if that is null, shows it as a message.
  void open(const std::string& path, job::Open open, std::function<void()> then, Fail fail = {});
  void on_run_replaced(bool new_scene) { on_run_replaced_(new_scene); }

  // Path of the scene that is displayed once all jobs are done; the file's path while a state file is being opened.
  std::string pending_scene() const;
  // Duration of each undo and redo in seconds.
  const std::vector<double>& undo_seconds() const { return undo_seconds_; }

  bool handle(UiCommand command);
  void handle(const RestoreLastGood& request);

 private:
  void undo_or_redo(bool back);

  RunClient& client_;
  UiState& state_;
  OnRunReplaced on_run_replaced_;
  std::function<bool()> blocks_scene_undo_;
  std::deque<std::string> opening_;  // paths of scenes and files being opened
  std::vector<double> undo_seconds_;
};

}  // namespace perturb
