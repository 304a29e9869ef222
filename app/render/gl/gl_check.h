// OpenGL's errors as sentences.
#pragma once

#include <string>

namespace perturb {

// Throws Error with what was being done, OpenGL's words and, when memory ran out, a remedy, if an OpenGL call before
// this one failed. It is called where objects are made, not in every frame: asking can make the CPU wait for the GPU.
void gl_check(const char* doing);

// Forgets the errors of calls before this one.
void gl_forget_errors();

}  // namespace perturb
