// Readings of the instruments, and a probe that is played as sound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/probe_sound.h"
#include "app/session/measurements.h"
#include "app/session/run_client.h"

namespace perturb {

// Reads the instruments: probes, means along cuts and the history of all numbers during the steps, at steps that depend
// on the run only (app/run/sampling.h); the current values along cuts between steps, in a limited share of the time.
class InstrumentReadings {
 public:
  // All arguments must outlive it.
  InstrumentReadings(RunClient& client, Instruments& instruments, DiagnosticsPoller& diagnostics_poller)
      : client_(client), instruments_(instruments), diagnostics_poller_(diagnostics_poller) {}

  // Job for `count` steps with all readings on the way; they belong to the current generation of instruments.
  job::Advance steps(std::int64_t count) const;
  int generation() const { return instruments_.generation(); }
  void take(const JobResult& result, int asked);

  // Reads the cuts if they are due. Call while the run may be idle.
  void read_cuts();
  // The cells of the run, each of which a cut reads; a size of 0: it has none.
  CutGrid grid() const;
  // Reads all instruments of the current state at once: for single images.
  void read_all();
  // Reads the probes, adds to the means along cuts, or samples all numbers now, for front ends that execute the steps
  // themselves. `every`: steps between the readings.
  void read_probes(std::int64_t every);
  void read_means();
  void read_numbers();
  // Recomputes the spectra from new readings at intervals.
  void elapse(double seconds);
  void on_run_replaced() { instruments_.clear_readings(); }

 private:
  void read(std::vector<SamplePoint> points, const std::function<void(JobResult&)>& on_read);

  RunClient& client_;
  Instruments& instruments_;
  DiagnosticsPoller& diagnostics_poller_;
  // Of the cuts requested last.
  std::int64_t cut_step_ = -1;
  int cut_generation_ = -1;
  std::size_t cut_events_ = 0;
  double cut_age_ = 1, cut_seconds_ = 0;  // since they were requested; duration of the reading
  double refresh_age_ = 0;
};

// Plays a probe as sound. The probe is audible during the lifetime of this object.
class ProbePlayer {
 public:
  // Throws Error if there is no audio output.
  ProbePlayer(int probe, const OpenAudio& open);

  int probe() const { return probe_; }
  bool has_begun() const { return sound_.has_begun(); }
  // Fills the free space of the audio output; false: the probe no longer exists. Throws Error if the audio output
  // fails.
  bool update(const Instruments& instruments);

 private:
  int probe_;
  std::unique_ptr<AudioSink> out_;
  Sonifier sound_;
};

// The probe that is played as sound, and its audio output.
class AudioOutput {
 public:
  AudioOutput(RunClient& client, const Instruments& instruments) : client_(client), instruments_(instruments) {}

  // The probe being played; 0: none.
  int probe() const { return player_ ? player_->probe() : 0; }
  // Whether the probe has been audible: it is silent until it has measured enough periods.
  bool has_begun() const { return player_ && player_->has_begun(); }
  // Sets how the audio output is opened; null: no sound is available.
  void set_sound_opener(OpenAudio open) { open_ = std::move(open); }
  // Plays a probe; stops it if it is already being played. Throws Error if there is no audio output.
  void play(int probe);
  // Call at the end of a frame: continues the sound while the probe exists.
  void update();

 private:
  RunClient& client_;
  const Instruments& instruments_;
  OpenAudio open_;
  std::unique_ptr<ProbePlayer> player_;
};

}  // namespace perturb
