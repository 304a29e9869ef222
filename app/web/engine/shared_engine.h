// JSON interface to one run for many clients, each with a role. It does not depend on a server or a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "app/run/backends.h"
#include "app/run/runner.h"
#include "app/web/engine/web_run.h"
#include "cuda/core/backend/message.h"

namespace perturb {

// One thread makes and uses it: on a GPU, the device belongs to that thread.
class SharedEngine {
 public:
  explicit SharedEngine(OwnedBackends backends) : run_(std::move(backends)) {}
  explicit SharedEngine(Experiment& experiment) : run_(experiment) {}  // as SharedRun

  // For the server itself: opens scenes, and has the experiment to save it. Functions of it throw Error.
  SharedRun& run() { return run_; }

  // Returns the client's number, from 1, which is not used again. Any role, but an owner only for tests and for the
  // server's own requests.
  int add_client(Role role, Permissions permissions = {});
  // Ends its gesture, as if it had released the button, and its drag of an object.
  void remove_client(int client);
  // The same for a client that is away for a while; its lesson and its choices stay.
  void end_gesture(int client);
  // Of a pupil; a gesture with a tool that is now locked ends.
  void set_permissions(int client, Permissions permissions);
  // A lesson for all: client `leader` has opened it, and the other follows it to the same step, or closes its own.
  // `begins`: the leader has opened it anew, and earlier answers go.
  void follow_lesson(int client, int leader, bool begins);
  // Of the leader's open step. The clients' answers are judged when they follow it and at the next read().
  void show_results(int leader);
  // Null: no lesson is open.
  const LessonSession* lesson_of(int client);
  // As the call "lesson_look" answers; "null" without a lesson.
  std::string lesson(int client);
  // As WebEngine::call. The language of the program stays that of before.
  std::string call(int client, const std::string& request);

  // Takes up to this many steps in about so many milliseconds, but at least one. Fewer than requested before that time:
  // the run has stopped. Throws Error; under StopScopes also Stopped, inside a step: the run is then that before the
  // step. So do paint() and read().
  SharedRun::Advanced advance(std::int64_t steps, double milliseconds);
  // Shown to all clients, with the next numbers.
  void warn(const Message& warning) { warning_ = warning_ + warning; }
  // The same with the numbers of before: read() could not read new ones.
  void show_warning() { shown_warning_ = std::exchange(warning_, Message()); }
  // RGBA, top row first; valid until the next call. Throws Error.
  std::span<const std::uint32_t> paint(int width, int height) { return run_.paint(width, height); }

  // Reads the numbers of the current state for all clients, and updates their lessons. Throws Error.
  void read();
  // These numbers as text, as the call "look" answers with these arguments. read() must have been called since a scene
  // was opened.
  std::string diagnostics(bool curves, bool scene_units);
  // As the call "status" answers a client that has chosen these units, with the warnings of advance() until the last
  // read().
  std::string status(bool scene_units);

 private:
  WebRun& client(int number);
  // Ends a gesture with a tool that is not open any more.
  static void end_locked_gesture(WebRun& client);

  SharedRun run_;
  WebRun reader_{run_, 0, Role::owner};
  std::map<int, std::unique_ptr<WebRun>> clients_;
  int last_client_ = 0;
  JobResult reading_;
  Message warning_, shown_warning_;
};

}  // namespace perturb
