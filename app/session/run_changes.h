// Puts another run in this one's place: another scene or state, or the same run begun anew, or gone back. One place,
// because whatever was learnt of the run before is void then, and all parts of the session have to hear of it.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "app/session/conversation.h"

namespace perturb {

class RunChanges {
 public:
  // Called when another run has come; `scene`: another scene too, with a view and tools of its own.
  using Meet = std::function<void(bool scene)>;
  using Fail = std::function<void(const std::string& sentence)>;

  RunChanges(Conversation& conversation, UiState& state, Meet meet)
      : conversation_(conversation), state_(state), meet_(std::move(meet)) {}

  // Asked before an undo or redo that leads to another scene: a lesson keeps its own.
  void stay_while(std::function<bool()> stays) { stays_ = std::move(stays); }

  // Asks for the run of the scene or the file of this path. Once it is there, `then` is called, and has everybody
  // meet() it. Where none came `fail` hears why; null: the user is told.
  void open(const std::string& path, job::Open open, std::function<void()> then, Fail fail = {});
  void meet(bool scene) { meet_(scene); }

  // The path of the scene that will be shown when all is answered; a state file's own, while it is being opened.
  std::string scene_asked_for() const;
  // How long each undo and redo took the run, in seconds.
  const std::vector<double>& undo_seconds() const { return undo_seconds_; }

  bool hear(UiCommand command);
  void hear(const RestoreLastGood& wanted);

 private:
  void undo_or_redo(bool back);

  Conversation& conversation_;
  UiState& state_;
  Meet meet_;
  std::function<bool()> stays_;
  std::deque<std::string> opening_;  // scenes and files that are not answered yet, by path
  std::vector<double> undo_seconds_;
};

}  // namespace perturb
