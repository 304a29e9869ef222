// Prepares OpenGL where a context is created: loads its functions, and limits the threads of software OpenGL.
#pragma once

namespace perturb {

using GlFunction = void (*)();

// Loads OpenGL 3.3 for the current context through the window system's lookup function. Throws Error with the version
// found and a remedy if it is older. Windows and offscreen contexts may follow each other in one process: the functions
// of the vendor-neutral loader work with any context.
void load_gl(GlFunction (*look_up)(const char* name));

// Mesa renders in software with one thread per processor, and waits forever for a thread that the system did not start
// (ulimit -u, pids.max). If they cannot all start, this makes Mesa render in the calling thread, which is slower. Call
// before a context is created.
void limit_drawing_threads();

}  // namespace perturb
