// The instruments of a session and their readings.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/instruments/instrument.h"
#include "app/instruments/readings.h"
#include "app/run/runner.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

// The cells of a run.
struct CutGrid {
  int width = 0, height = 0;
  bool reading_waits = false;  // for a device, at each point
};
CutGrid cut_grid(const Setup& setup, const SimulationInfo& info, bool reading_waits);
// Use of the values along line cuts: a plot of the current ones, the means, or files.
enum class CutPoints { of_plots, of_means, of_files };

class Instruments {
 public:
  static constexpr std::size_t max_instruments = 24;

  const std::vector<Instrument>& all() const { return all_; }
  const Instrument* find(int id) const;
  // Assigns an id and a number within the kind, and returns the id. Throws InputError if there are too many
  // instruments.
  int add(Instrument instrument);
  // Replaces the instrument of the same id. Discards its readings if the points or the quantity changed.
  void change(const Instrument& instrument);
  void remove(int id);
  void clear();
  // Discards all readings: the run was restarted or returned to an earlier state.
  void clear_readings();
  // A copy of all readings, and its return: of the instruments that are still as they were.
  struct Readings;
  std::shared_ptr<const Readings> readings() const;
  void restore_readings(const Readings& kept);
  // Discards the means along cuts, which have no order in time.
  void clear_means();

  // ---- what the run reads: all probes at every interval, and all cuts at one time
  int generation() const { return generation_; }
  std::vector<SamplePoint> probed() const;
  void take_probed(const std::vector<Sample>& samples, std::int64_t every);
  // Points on each cut: one per cell that it crosses. Where each waits for a device, plots and means have fewer of a
  // long cut.
  std::vector<SamplePoint> along_cuts(const CutGrid& grid, CutPoints use) const;
  // The current values at these points.
  void take_cuts(std::span<const double> values, const CutGrid& grid, CutPoints use);
  // Adds values at these points, of cuts that show a mean, to the means.
  void take_means(std::span<const double> values, const CutGrid& grid);

  // ---- readings
  double latest(int id) const;
  const Series* series(int id) const;
  const Spectrum* spectrum(int id) const;
  const Profile* profile(int id) const;
  // Recomputes spectra that have new readings: `all` of them, or only one that is due, to limit the work per frame.
  void refresh(bool all, const SimulationInfo& info);
  // Plots also have what remains of old readings; files have all readings that are kept, at equal numbers of steps.
  enum class For { plots, files };
  // The time series and spectrum of every probe, and the profile of every cut.
  // Their numbers are in the simulation's units; `units`: of the frequency in a spectrum's label.
  std::vector<Curve> curves(const SimulationInfo& info, const DomainSize& domain, const DisplayUnits& units = {},
                            For use = For::plots) const;
  // All numbers as lines of English text, "Ruler 1: 5.73 cm"; those that depend on the clock at this time.
  std::string text(const SimulationInfo& info, const DomainSize& domain, double time, const DisplayUnits& units) const;
  // Its reading, in these displayed units.
  Message text_of(const Instrument& one, const SimulationInfo& info, const DomainSize& domain, double time,
                  const DisplayUnits& units = {}) const;

 private:
  struct Record {
    Series series;
    Profile profile;
    Spectrum spectrum;
    std::size_t readings = 0, readings_of_spectrum = 0;  // counted since the start
  };
  std::vector<Instrument> all_;
  std::map<int, Record> records_;
  int next_id_ = 1, generation_ = 0, next_refreshed_ = 0;
};

// The quantity of this id, or the first one.
const Quantity& quantity_of(const SimulationInfo& info, const std::string& id);
}  // namespace perturb
