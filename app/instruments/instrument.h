// An instrument in the view: its kind and its position. Plain data; it only measures and does not change the run.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cuda/core/backend/message.h"
#include "cuda/core/paint/camera.h"

namespace perturb {

enum class InstrumentKind { probe, cut, ruler, protractor, stopwatch };
inline constexpr InstrumentKind instrument_kinds[] = {InstrumentKind::probe, InstrumentKind::cut, InstrumentKind::ruler,
                                                      InstrumentKind::protractor, InstrumentKind::stopwatch};

// Name on the command line: "probe", "cut", ...
const char* name_of(InstrumentKind kind);
// Label in the window: "Probe", "Line cut", ...
const char* label_of(InstrumentKind kind);
// Number of its points: 1, 2, 2, 3 and 0.
int point_count(InstrumentKind kind);

struct Instrument {
  int id = 0;  // unique in a session, from 1
  InstrumentKind kind = InstrumentKind::probe;
  int number = 1;                     // among those of its kind: "Probe 2"
  std::vector<Camera::Point> places;  // fractions of the domain; a protractor's vertex is the second one
  std::string quantity;               // id of the quantity that a probe or a cut reads
  int count = 1;                      // ruler: number of intervals that it spans; it shows the length of one
  bool averaged = false;              // cut: shows the time average since this was switched on, not the current values
  bool has_started = false;           // stopwatch: otherwise it starts when it is placed
  double started = 0;                 // stopwatch: time of the start
  double stopped = std::numeric_limits<double>::quiet_NaN();  // stopwatch: time of the stop; NaN while it runs

  Message name() const;  // "Probe 2"
  bool runs() const { return stopped != stopped; }
  double elapsed(double now) const { return (runs() ? now : stopped) - started; }
  // Stopwatch: stops, or goes on from the time that it shows; begins again at 0.
  void start_or_stop(double now);
  void restart(double now);
  // Stopwatch of a file or link: goes on if the run has come to its start, otherwise it starts now.
  void resume(double now);
};

// The nearest position in the domain.
Camera::Point inside_domain(const Camera::Point& place);
// Positions that are `right` and `down` of the middle of an instrument on the screen, in lengths of its arms.
using PositionInView = std::function<Camera::Point(double right, double down)>;
// Spreads the points of a new instrument around its middle, with arms long enough to grab; a probe is in the middle.
void spread_points(Instrument& instrument, const Camera::Point& middle, const PositionInView& position_at);

// Size of the domain in its length unit.
struct DomainSize {
  double width = 1, height = 1;
};
// Distance between two points, in length units.
double length_between(const Camera::Point& from, const Camera::Point& to, const DomainSize& domain);
// Length of a ruler or a cut; for a ruler divided by its count: the length of one interval.
double length_of(const Instrument& instrument, const DomainSize& domain);
// Angle between the two arms of a protractor, degrees in [0, 180].
double angle_of(const Instrument& protractor, const DomainSize& domain);

// Parses "probe 0.5 0.5 height", "cut 0.1 0.2 0.9 0.2 average", "ruler 0.1 0.2 0.9 0.2 4", "protractor ...",
// "stopwatch from 2.5 to 4": a kind, its points and its options (the caller checks the quantity). A stopwatch may have
// the times of its start and its stop. Throws InputError.
Instrument parse_instrument(const std::string& text);

// An instrument as a command-line argument, to reproduce a run, "cut,0.55,0,0.55,1,height,average": parse_instrument
// reads it back to the same points.
std::string to_argument(const Instrument& instrument);
// "--instrument" and its argument for each instrument.
std::vector<std::string> to_arguments(const std::vector<Instrument>& instruments);

}  // namespace perturb
