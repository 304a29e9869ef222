// An instrument in the picture: what it is and where it lies. Plain data; it measures, and changes no bit of the run.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cuda/core/paint/camera.h"

namespace perturb {

enum class InstrumentKind { probe, cut, ruler, protractor, stopwatch };
inline constexpr InstrumentKind instrument_kinds[] = {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                                      InstrumentKind::protractor, InstrumentKind::stopwatch};

// "probe", "cut", ...: on the command line.
const char* name_of(InstrumentKind kind);
// "Probe", "Line cut", ...: in the window.
const char* label_of(InstrumentKind kind);
// Places that it has: 1, 2, 2, 3 and 0.
int point_count(InstrumentKind kind);

struct Instrument {
  int id = 0;  // unique in a session, from 1
  InstrumentKind kind = InstrumentKind::probe;
  int number = 1;                     // "Probe 2": of its kind
  std::vector<Camera::Point> places;  // fractions of the domain; a protractor's vertex is the second one
  std::string quantity;               // that a probe and a cut read: an id of the simulation's
  int count = 1;                      // a ruler's: intervals that it spans, and tells the length of one
  bool averaged = false;              // a cut's: the mean over time since it was asked for, not this moment
  double started = 0;                 // a stopwatch's: the time at which it was started
  double stopped = std::numeric_limits<double>::quiet_NaN();  // the same when it was stopped; none: it runs

  std::string name() const;
  bool runs() const { return stopped != stopped; }
  double elapsed(double now) const { return (runs() ? now : stopped) - started; }
};

// The extent of the domain in its length unit.
struct DomainSize {
  double width = 1, height = 1;
};
// From one place to another, in length units.
double length_between(const Camera::Point& from, const Camera::Point& to, const DomainSize& domain);
// A ruler's or a cut's length; a ruler's by its count: the length of one interval.
double length_of(const Instrument& instrument, const DomainSize& domain);
// Between a protractor's two arms, degrees in [0, 180].
double angle_of(const Instrument& protractor, const DomainSize& domain);

// "probe 0.5 0.5 height", "cut 0.1 0.2 0.9 0.2 average", "ruler 0.1 0.2 0.9 0.2 4", "protractor ...", "stopwatch": a
// kind, its places, and what else it has (a quantity, for the caller to check). Throws InputError in a sentence.
Instrument parse_instrument(const std::string& text);

}  // namespace perturb
