// A log of the errors shown in the window, with the time.
#pragma once

#include <string>

namespace perturb {

// Appends errors to this file from now on; "" (the initial state): nowhere. A file that has grown large is started
// again.
void log_failures_in(const std::string& path);
// Appends a line with the local time and the message. Skips a message that repeats the last one within a minute.
// Ignores write errors: the window already shows the message.
void log_failure(const std::string& sentence);

}  // namespace perturb
