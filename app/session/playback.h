// Playback of the run: play and pause, steps per frame, speed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/session/instrument_readings.h"
#include "app/session/run_client.h"

namespace perturb {

// The keys for the past go this share of it.
inline constexpr double past_share = 0.05;

// Number of steps per frame: the requested number, or fewer if the frame rate would suffer. The simulation does not
// depend on it: the state after step s is the same however the steps were spread over frames.
class Pace {
 public:
  // Unit in which the speed is given and held. Steps per frame are for experts; the other units do not depend on the
  // frame rate.
  enum class Unit { per_frame, per_second, real_time };

  static constexpr double target_frame = 1.0 / 60;  // seconds

  explicit Pace(int requested) { set_requested(requested); }

  // Steps per frame as the user chose them; at least 1.
  int requested() const { return requested_; }
  void set_requested(int steps);
  Unit unit() const { return unit_; }
  // Keeps the current speed, assuming 60 frames per second.
  void set_unit(Unit unit);
  void next_unit() { set_unit(static_cast<Unit>((static_cast<int>(unit_) + 1) % 3)); }
  // In the current unit: steps per frame, steps per second, or simulated time per second (0: not known yet).
  double speed() const;
  // Sets the simulated time per step; a speed relative to real time is held when it changes.
  void set_time_per_step(double time);

  // Doubles or halves the speed.
  void faster();
  void slower();

  // Steps to take in this frame.
  int steps() const { return allowed_ < requested_ ? allowed_ : requested_; }
  // Takes the steps that became due since the last call (elapse()); may be 0.
  int take();
  // Adds elapsed time.
  void elapse(double seconds);
  // Steps per frame for videos with evenly spaced frames, however long each takes: at least 1.
  int even_steps() const;
  bool is_throttled() const { return allowed_ < requested_; }

  // For backends whose step() returns when it is done: the duration of the steps is known.
  void observe_steps(int steps, double stepping_seconds, double other_seconds);
  // For backends that queue steps: only the duration of whole frames is known, with `steps` steps in each.
  void observe_frame(int steps, double frame_seconds);
  // Discards what was measured: another simulation.
  void forget();

  // Seconds per step if measured (observe_steps), else 0.
  double seconds_per_step() const { return seconds_per_step_; }

 private:
  int requested_ = 1;
  Unit unit_ = Unit::per_frame;
  double rate_ = 60, due_ = 0, time_per_step_ = 0;  // steps per second; steps; simulated time
  int allowed_ = 1 << 30;
  double seconds_per_step_ = 0, other_seconds_ = 0;
  // observe_frame: sum over the frames of the current mean.
  double sum_ = 0;
  int frames_ = 0, stable_periods_ = 0, cooldown_ = 0;
  double before_cut_ = 0;  // mean frame time before the limit was last lowered; 0: no such change is being evaluated
  int allowed_before_cut_ = 0;
};

// Rates of frames and steps, averaged over half a second so that they are readable. Zero if not known yet.
struct Rates {
  double frames_per_second = 0, steps_per_second = 0;
  double seconds_per_step = 0;
  bool is_bound = false;  // the time per step is an upper bound (steps are queued without waiting for them)
};

class RateCounter {
 public:
  // Call at the end of a frame with the steps completed since the last one; `computes`: more are running. `queued`:
  // steps are asynchronous, so the frame time only bounds their duration; otherwise it is measured.
  void add(double frame_seconds, std::int64_t steps, bool computes, bool queued, double seconds_per_step);
  const Rates& rates() const { return rates_; }

 private:
  Rates rates_;
  double seconds_ = 0, step_seconds_ = 0;  // of the frames and of the steps counted so far
  std::int64_t steps_ = 0;
  int frames_ = 0;
};

// Progress of a video export.
struct FilmProgress {
  std::int64_t frames = 0, all = 0;
  double seconds_left = 0;  // wall-clock time; 0: not known yet
};

// Requests the steps of each frame: play, pause, number of steps and speed.
class Playback {
 public:
  // `steps_per_frame` 0: the default of the scene, else of the program.
  // `on_returned`: called whenever the run is at another step of its past.
  Playback(RunClient& client, InstrumentReadings& readings, int steps_per_frame,
           std::function<void(bool leaves_end)> on_returned);

  bool playing() const { return playing_; }
  bool is_returning() const { return wanted_.has_value(); }
  void set_playing(bool playing) {
    playing_ = playing;
    if (playing) wanted_.reset();
  }
  // None: no video is being recorded. Frames of a video are evenly spaced in time, however long each takes.
  const std::optional<FilmProgress>& film() const { return film_; }
  void set_film(const std::optional<FilmProgress>& film) { film_ = film; }
  Pace& pace() { return pace_; }
  const Pace& pace() const { return pace_; }
  const Rates& rates() const { return rates_.rates(); }
  // How long the current job has been running, in seconds; 0: the run is idle.
  double waiting() const { return waiting_; }

  // Requests the steps of this frame if the run is playing.
  void advance();
  // `frame_seconds`: duration of the frame; `busy_seconds`: its part that was work, not waiting for the display.
  void end_frame(double frame_seconds, double busy_seconds);

  // Pauses, and takes one step.
  void take_one_step();
  // Pauses, and goes to this step of the past that is kept, in this frame and the next ones. The picture shows the
  // steps on the way.
  void return_to(std::int64_t step);
  // Goes this share of the past forward or, below zero, back; 0: one step back.
  void move_in_past(double share);
  // Cancels the current step, if any, and pauses.
  void cancel_step();
  void choose_kernel(const ChooseKernel& kernel);
  void on_run_replaced(bool new_scene);

 private:
  void pause_when_complete();
  void go_on_returning();

  RunClient& client_;
  InstrumentReadings& readings_;
  int steps_per_frame_;
  std::function<void(bool leaves_end)> on_returned_;
  std::optional<std::int64_t> wanted_;  // step to which the run returns
  bool returns_ = false;                // a part of the way is being computed
  bool playing_ = true;
  bool is_complete_ = false;  // RunStatus::completion at the end of the last frame; the opening of a run sets it too
  std::optional<FilmProgress> film_;
  Pace pace_;
  RateCounter rates_;
  double waiting_ = 0;
  // Steps done since the end of the last frame.
  std::int64_t steps_now_ = 0;
  double stepping_seconds_ = 0;
  // Step of the run at the end of the last frame.
  std::int64_t paced_step_ = 0;
  double paced_time_ = 0;
};

}  // namespace perturb
