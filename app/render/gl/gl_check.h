// Turns OpenGL errors into exceptions.
#pragma once

#include <string>

namespace perturb {

// Throws Error if an earlier OpenGL call failed, with the current activity, OpenGL's error text and, when memory ran
// out, a remedy. Called where objects are created, not in every frame: the query can make the CPU wait for the GPU.
void gl_check(const char* doing);

// Clears the errors of earlier calls.
void gl_forget_errors();

}  // namespace perturb
