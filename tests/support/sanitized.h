// Under a sanitizer everything takes ten times as long, and the hundredth round of a loop touches no memory that the
// first ones did not. So a test that walks over all scenes or sizes takes a few of them there; the release build, where
// the same test runs, takes them all.
#pragma once

#if defined(PERTURB_ADDRESS_SANITIZER) || defined(PERTURB_THREAD_SANITIZER)
#define PERTURB_SANITIZED
#endif

namespace perturb {

#if defined(PERTURB_SANITIZED)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// AddressSanitizer alone: ThreadSanitizer needs loops that are long enough for several threads.
#if defined(PERTURB_ADDRESS_SANITIZER)
inline constexpr bool is_address_sanitized = true;
#else
inline constexpr bool is_address_sanitized = false;
#endif

template <class T>
constexpr T unless_sanitized(T whole, T part) {
  return is_sanitized ? part : whole;
}

}  // namespace perturb
