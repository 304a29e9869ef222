// Files of gettext's format, as translators' tools write them: msgid, what is said in English; msgstr, the same in
// another language. Of the format's other words, comments and msgctxt are passed over; what gettext does for plurals
// is done by entries of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perturb {

struct PoEntry {
  std::string english, translated;
  int line = 0;  // of its msgid
};

// Entries in the order of the file, without the heading (the empty msgid) and what is not translated yet. Throws
// InputError that names `name` and the line of what is no such file.
std::vector<PoEntry> read_po(std::string_view text, const std::string& name);

}  // namespace perturb
