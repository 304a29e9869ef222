// How many steps a frame takes: as many as were asked for, or fewer where the frame rate would suffer.
#pragma once

namespace perturb {

// Steps themselves know nothing of this: the state after step s is the same however the steps were spread over frames.
class Pace {
 public:
  // What the speed is counted in, and held at: a frame's steps are for experts, the others are the same at any rate of
  // frames.
  enum class Unit { per_frame, per_second, real_time };

  static constexpr double target_frame = 1.0 / 60;  // seconds

  explicit Pace(int requested) { set_requested(requested); }

  // Steps per frame as the user chose them; at least one.
  int requested() const { return requested_; }
  void set_requested(int steps);
  Unit unit() const { return unit_; }
  // Goes on as fast as before, at 60 frames a second.
  void set_unit(Unit unit);
  void next_unit() { set_unit(static_cast<Unit>((static_cast<int>(unit_) + 1) % 3)); }
  // In the present unit: steps a frame, steps a second, simulated time for each second (0: not known yet).
  double speed() const;
  // Simulated time that a step takes; a speed in times real time is held when it changes.
  void set_time_per_step(double time);

  // Doubles or halves.
  void faster();
  void slower();

  // Steps to take in this frame.
  int steps() const { return allowed_ < requested_ ? allowed_ : requested_; }
  // The same, of what has fallen due since the last call (elapse()); may be none.
  int take();
  // So much time has passed.
  void elapse(double seconds);
  // The same for pictures that are evenly apart, however long each takes: at least one.
  int even_steps() const;
  bool is_throttled() const { return allowed_ < requested_; }

  // A backend whose step() returns when it is done: the step's own time is known.
  void observe_steps(int steps, double stepping_seconds, double other_seconds);
  // A backend that queues: all there is to see is how long whole frames take, `steps` in each.
  void observe_frame(int steps, double frame_seconds);
  // Another simulation: what was learnt is void.
  void forget();

  // Seconds per step where it has been measured (observe_steps), else 0.
  double seconds_per_step() const { return seconds_per_step_; }

 private:
  int requested_ = 1;
  Unit unit_ = Unit::per_frame;
  double rate_ = 60, due_ = 0, time_per_step_ = 0;  // steps a second; steps
  int allowed_ = 1 << 30;
  double seconds_per_step_ = 0, other_seconds_ = 0;
  // observe_frame: the mean of a few frames, judged together.
  double sum_ = 0;
  int frames_ = 0, stable_periods_ = 0, cooldown_ = 0;
  double before_cut_ = 0;  // the mean frame before the last cut, 0: no cut is being judged
  int allowed_before_cut_ = 0;
};

}  // namespace perturb
