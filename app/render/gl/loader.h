// Loads OpenGL's functions; used where contexts are created.
#pragma once

namespace perturb {

using GlFunction = void (*)();

// Loads OpenGL 3.3 for the current context through the window system's lookup function. Throws Error with the version
// found and a remedy if it is older. Windows and offscreen contexts may follow each other in one process: the functions
// of the vendor-neutral loader work with any context.
void load_gl(GlFunction (*look_up)(const char* name));

}  // namespace perturb
