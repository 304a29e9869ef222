// Writes large texts to standard output, whose reader may be slow, full or closed.
#pragma once

#include <string>
#include <string_view>

#include "cuda/core/backend/stop.h"

namespace perturb {

enum class PrintResult { all, reader_closed, cancelled };

// Writes all of `text`, after any output still buffered in std::cout, and waits for a slow reader. Requests `stop` if
// the reader has closed the pipe. Returns after a part of the text if a stop was requested elsewhere. SIGPIPE must be
// ignored. Throws Error if the output cannot be written, for example to a full disk.
PrintResult print_text(std::string_view text, StopRequest& stop);

}  // namespace perturb
