// Finds OpenGL's functions; used where contexts are made.
#pragma once

namespace perturb {

using GlFunction = void (*)();

// Loads OpenGL 3.3 for the current context through the window system's own look-up. Throws Error that names the version
// found and a remedy when it is older. Windows and offscreen contexts may follow each other in one process: the
// functions of the vendor-neutral loader serve any context.
void load_gl(GlFunction (*look_up)(const char* name));

}  // namespace perturb
