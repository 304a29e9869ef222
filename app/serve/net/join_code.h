// Codes and secrets that let a browser in.
#pragma once

#include <string>
#include <string_view>

namespace perturb {

// Random characters from the system's source of randomness: digits and capital letters that cannot be confused when
// read from a projector (no 0 and O, 1 and I, 2 and Z, 5 and S, 8 and B) and form no words (no vowels). Each character
// has 4.4 bits: 6 are a code that people type, whose guesses must be limited; 30 are a secret. Throws Error if the
// system has no randomness.
std::string make_code(int characters = 6);

// A code as people type it, in the form of make_code(): in capitals, without spaces and hyphens.
std::string tidy_code(std::string_view typed);

// Whether two codes are equal. The time does not depend on where they differ, so it does not help to guess.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace perturb
