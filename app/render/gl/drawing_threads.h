// Limits the threads that software OpenGL starts.
#pragma once

namespace perturb {

// Mesa renders in software with one thread per processor, and waits forever for a thread that the system did not start
// (ulimit -u, pids.max). If they cannot all start, this makes Mesa render in the calling thread, which is slower. Call
// before a context is created.
void limit_drawing_threads();

}  // namespace perturb
