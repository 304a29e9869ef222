// Writing much to the standard output, with a reader that may be slow, full or gone.
#pragma once

#include <string>
#include <string_view>

#include "cuda/core/backend/stop.h"

namespace perturb {

enum class PrintResult { all, reader_closed, cancelled };

// Writes all of `text` at once (what std::cout has kept so far comes before it), waiting for a reader that is slow.
// Asks `stop` when there is no reader any more; gives up, with part of it written, when somebody else has asked.
// SIGPIPE must be ignored. Throws Error in a sentence when what is written to takes no more: a full disk.
PrintResult print_text(std::string_view text, StopRequest& stop);

}  // namespace perturb
