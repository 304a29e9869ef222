// Names of files on their way: who makes them, and who sweeps up those whose maker is gone.
#pragma once

#include <string>

namespace perturb {

// A file that takes another's place later, made anew and open for writing: ".NAME.perturb-0123456789abcdef.part.h5"
// beside `target`. Sixteen random digits, since process ids repeat (in a container all are 1). The descriptor holds a
// lock until it is closed, which says that the maker lives.
struct TemporaryFile {
  std::string path;
  int file = -1;    // -1: it could not be made
  int failure = 0;  // then errno
};
TemporaryFile make_temporary(const std::string& target, unsigned mode);

// "NAME-0123456789abcdef.h5" beside `target`: as good as certain to be new.
std::string fallback_name(const std::string& target);

// Removes what killed runs left in this folder ("" is the current one): files with such names that nobody holds a lock
// on. Where the disk knows no locks, those that nobody wrote to for a day.
void remove_stale_temporaries(const std::string& folder);

}  // namespace perturb
