#include "app/session/run_switcher.h"

#include <utility>

namespace perturb {

void RunSwitcher::open(const std::string& path, job::Open open, std::function<void()> then, Fail fail) {
  opening_.push_back(path);
  client_.post(std::move(open), [this, then = std::move(then), fail = std::move(fail)](JobResult& result) {
    opening_.pop_front();
    try {
      result.check();
      then();
    } catch (const Error& error) {
      if (fail)
        fail(error.what());
      else
        client_.show_error(error.what());
    }
  });
}

std::string RunSwitcher::pending_scene() const {
  if (!opening_.empty()) return opening_.back();
  const Setup& setup = client_.run().scene->setup;
  return setup.simulation + "/" + setup.preset;
}

bool RunSwitcher::handle(UiCommand command) {
  switch (command) {
    case UiCommand::restart:
    case UiCommand::restart_keeping:
      client_.run_job(job::Restart{command == UiCommand::restart_keeping},
                      [this](JobResult&) { on_run_replaced(false); });
      return true;
    case UiCommand::undo:
    case UiCommand::redo:
      undo_or_redo(command == UiCommand::undo);
      return true;
    default:
      return false;
  }
}

void RunSwitcher::undo_or_redo(bool back) {
  const std::string nothing = back ? "There is nothing to undo." : "There is nothing to do again.";
  const RunStatus& now = client_.run();
  if ((back ? now.undo_opens_scene : now.redo_opens_scene) && blocks_scene_undo_ && blocks_scene_undo_())
    return client_.show_message(nothing);
  client_.run_job(back ? RunJob(job::Undo{}) : RunJob(job::Redo{}),
                  [this, nothing, before = now.opening](JobResult& result) {
                    if (!result.text.empty()) {
                      on_run_replaced(client_.run().opening != before);
                      undo_seconds_.push_back(result.seconds);
                    }
                    client_.show_message(result.text.empty() ? nothing : result.text);
                  });
}

void RunSwitcher::handle(const RestoreLastGood&) {
  state_.playing = false;  // the cause may persist: let the user check first
  client_.run_job(job::RestoreLastGood{}, [this](JobResult&) { on_run_replaced(false); });
}

}  // namespace perturb
