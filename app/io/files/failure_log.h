// What went wrong in the window, with the time: for whoever looks for it later.
#pragma once

#include <string>

namespace perturb {

// Failures are written to the end of this file from now on; "": nowhere, as it is until then. One that has grown large
// begins anew.
void log_failures_in(const std::string& path);
// A line: the time here, and the sentence. The same one again within a minute is not written twice. Where it cannot be
// written, nothing is said: it is told in the window already.
void log_failure(const std::string& sentence);

}  // namespace perturb
