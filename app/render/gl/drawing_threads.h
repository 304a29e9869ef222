// The threads that OpenGL in software starts for itself.
#pragma once

namespace perturb {

// Mesa draws in software with a thread for each processor, and waits for ever for one that the system did not start
// (ulimit -u, pids.max). Where not all of them start, it is told to draw in the calling thread, which is slower. Call
// before a context is made.
void limit_drawing_threads();

}  // namespace perturb
