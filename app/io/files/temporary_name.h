// Names of temporary files: creates them, and removes those of processes that have ended.
#pragma once

#include <string>

namespace perturb {

// A newly created file that later replaces another one, open for writing: ".NAME.perturb-0123456789abcdef.part.h5" next
// to `target`. The 16 digits are random, because process ids repeat (in a container all are 1). The descriptor holds a
// lock until it is closed, which marks the file as in use.
struct TemporaryFile {
  std::string path;
  int file = -1;    // -1: could not be created
  int failure = 0;  // errno in that case
};
TemporaryFile make_temporary(const std::string& target, unsigned mode);

// "NAME-0123456789abcdef.h5" next to `target`; practically certain to be unused.
std::string fallback_name(const std::string& target);

// Removes temporary files of killed runs in this folder ("" is the current one): those with such names and no lock. On
// disks without locks, those that are unchanged for a day.
void remove_stale_temporaries(const std::string& folder);

}  // namespace perturb
