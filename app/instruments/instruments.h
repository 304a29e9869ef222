// The instruments of a session, and what they have read.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/instruments/profile.h"
#include "app/instruments/series.h"
#include "app/instruments/spectrum.h"
#include "app/run/jobs.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

class Instruments {
 public:
  static constexpr std::size_t most_instruments = 24;
  static constexpr std::size_t most_cut_places = 400;

  const std::vector<Instrument>& all() const { return all_; }
  const Instrument* find(int id) const;
  // Gives it an id and a number of its kind, and returns the id. Throws InputError when there are too many.
  int add(Instrument instrument);
  // By its id. What it has read of other places or another quantity is forgotten.
  void change(const Instrument& instrument);
  void remove(int id);
  void clear();
  // The run has begun anew, or has gone back: nothing that was read belongs to it.
  void clear_readings();

  // ---- what the run is to read: all probes on its way, and all cuts at a moment
  // Changes with every change of the instruments: answers to questions of before are not taken.
  int generation() const { return generation_; }
  std::vector<SamplePoint> probed() const;
  void take_probed(const std::vector<Sample>& samples, std::int64_t every);
  // `count` places on each cut.
  std::vector<SamplePoint> along_cuts(std::size_t count) const;
  void take_cuts(std::span<const double> values, std::int64_t step);

  // ---- what was read
  // A probe's newest number; none: not a number.
  double latest(int id) const;
  const Series* series(int id) const;
  const Spectrum* spectrum(int id) const;
  const Profile* profile(int id) const;
  // Makes spectra anew of what has come since; `all` of them, or one that is due, so that no frame makes many.
  void refresh(bool all, const SimulationInfo& info);
  // Of every probe what it has read over time and its spectrum, of every cut its profile.
  std::vector<Curve> curves(const SimulationInfo& info, const DomainSize& domain) const;
  // All numbers as lines of text, "Ruler 1: 57.3 length", those that hang on the clock at this time.
  std::string text(const SimulationInfo& info, const DomainSize& domain, double time) const;
  std::string text_of(const Instrument& one, const SimulationInfo& info, const DomainSize& domain, double time) const;

 private:
  struct Record {
    Series series;
    Profile profile;
    Spectrum spectrum;
    std::size_t readings = 0, readings_of_spectrum = 0;  // counted since the beginning
  };
  std::vector<Instrument> all_;
  std::map<int, Record> records_;
  int next_id_ = 1, generation_ = 0, next_refreshed_ = 0;
};

// The quantity of this id, else the first.
const Quantity& quantity_of(const SimulationInfo& info, const std::string& id);
// "57.3 length"
std::string with_unit_of(double value, const std::string& unit, int digits = 4);

}  // namespace perturb
