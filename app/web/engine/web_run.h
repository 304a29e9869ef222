// A client's access to the run that it shares, and what is its own: gestures, lesson, units. Calls get it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/instruments/probe_sound.h"
#include "app/lessons/lesson_session.h"
#include "app/run/pitch.h"
#include "app/web/engine/roles.h"
#include "app/web/engine/shared_run.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/simulation/object.h"

namespace perturb {

class WebRun {
 public:
  // `client`: its number, as in Experiment::perform.
  WebRun(SharedRun& run, int client, Role of, Permissions allowed = {});
  ~WebRun();
  WebRun(const WebRun&) = delete;
  WebRun& operator=(const WebRun&) = delete;

  SharedRun& shared;
  const int number;
  const Role role;
  Permissions permissions;  // of a pupil

  Experiment& experiment() { return shared.experiment(); }
  std::shared_ptr<const RunStatus> status() { return shared.status(); }
  // As a job of this client.
  JobResult run_job(RunJob job);
  // The scene's units, or the simulation's; a lesson shows the scene's. None while no scene is open.
  const DisplayUnits& display_units(bool of_scene);
  bool shows_scene_units = true;  // the client's last choice

  // Throw InputError if the lesson's step, the teacher or another client keeps this client from it.
  void require_tool(const std::string& id) const;
  void require_parameter(const Parameter& parameter) const;
  void require_objects() const;
  void require_action(const SimulationInfo& info, const Action& action) const;
  // The same for a kernel: only the page's own engine takes the text of one.
  void require_kernel(const std::string& id) const;
  // Whether it may change the run as a whole: open scenes, restart, choose a kernel.
  bool leads() const { return role >= Role::teacher; }

  std::optional<LessonSession> lesson;
  std::optional<Sonifier> sonifier;      // of the probe that is played
  bool lesson_measures_kernels = false;  // the open step does, and not all are measured yet
  // Input of "load" and "use_image", and output of "save".
  std::vector<std::byte> bytes;
  FieldImage field;  // output of "field"
  // Positions of the press and of the last event of the current gesture.
  Camera::Point pressed{0, 0}, last{0, 0};
  std::optional<Gesture> gesture;  // its last event; none: no button is down

  // A handle of an object on its way. The object is as it was at the start, so that rounding does not add up.
  struct ObjectDrag {
    SceneObject object;
    ObjectHandle handle;
    Camera::Point from{0, 0};  // of the press
    Action last{};
    bool merges = false;  // the next change belongs to the undo step of the previous one
  };
  std::optional<ObjectDrag> object_drag;
  void end_drag();
  // Releases the button of its gesture, and the object that it drags, as for a client that is gone.
  void end_gesture();
  PitchDriver singing;
  // Of a page's own engine that takes part in a run of many: the people whose calls it executes, by number
  // (call_for_person).
  std::map<int, std::unique_ptr<WebRun>> people;

 private:
  void require_unlocked() const;

  DisplayUnits units_;  // of the open scene
};

}  // namespace perturb
