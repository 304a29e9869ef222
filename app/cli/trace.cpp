#include "app/cli/trace.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/cli/terminal.h"
#include "app/io/files/csv.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// With names of devices and loops, whatever they contain.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string metadata(const char* what, int track, const std::string& name) {
  return "{\"name\":\"" + std::string(what) + "\",\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(track) +
         ",\"args\":{\"name\":" + quoted(name) + "}}";
}

std::string microseconds(std::int64_t nanoseconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", 1e-3 * static_cast<double>(nanoseconds));
  return text;
}

}  // namespace

std::string chrome_trace(const std::vector<TimelineTrack>& tracks) {
  std::optional<std::int64_t> start;
  for (const TimelineTrack& track : tracks)
    for (const TimedInterval& interval : track.intervals)
      start = std::min(start.value_or(interval.begin), interval.begin);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + metadata("process_name", 0, "Perturb");
  for (const TimelineTrack& track : tracks) {
    text += ",\n" + metadata("thread_name", track.id, track.name);
    std::vector<TimedInterval> sorted = track.intervals;
    // Outer before inner ones.
    std::stable_sort(sorted.begin(), sorted.end(), [](const TimedInterval& a, const TimedInterval& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    for (const TimedInterval& interval : sorted)
      text += ",\n{\"name\":" + quoted(interval.name.data()) + ",\"cat\":\"" + name_of(interval.use) +
              "\",\"ph\":\"X\",\"ts\":" + microseconds(interval.begin - *start) +
              ",\"dur\":" + microseconds(interval.end - interval.begin) +
              ",\"pid\":1,\"tid\":" + std::to_string(track.id) + "}";
  }
  return text + "\n]}\n";
}

int run_with_trace(const std::string& path, const Backends& backends, bool is_quiet, const std::function<int()>& run) {
  if (path.empty()) return run();
  int code = 1;
  std::exception_ptr failure;
  {
    const Timeline::Recording recording;
    try {
      code = run();
      backends.preferred().synchronize();  // the last loops of a GPU are recorded only now
    } catch (...) {
      failure = std::current_exception();
    }
  }
  try {
    const std::vector<TimelineTrack> tracks = Timeline::tracks();
    save_text(chrome_trace(tracks), path);
    print_line(is_quiet ? std::cerr : std::cout, "Wrote " + path);
    for (const TimelineTrack& track : tracks)
      if (track.omitted > 0)
        print_line(std::cerr, "The trace lacks the oldest " + std::to_string(track.omitted) + " intervals of \"" +
                                  track.name + "\": it keeps the newest " + std::to_string(Timeline::capacity) +
                                  " of each thread. Trace fewer frames or steps.");
  } catch (const Error& error) {
    if (!failure) throw;
    print_line(std::cerr, error.what());
  }
  if (failure) std::rethrow_exception(failure);
  return code;
}

}  // namespace perturb
