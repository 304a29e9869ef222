// Files in gettext's format, as translation tools write them: msgid, the English text; msgstr, its translation.
// Comments and msgctxt are ignored; separate entries replace gettext's plural forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perturb {

struct PoEntry {
  std::string english, translated;
  int line = 0;  // of its msgid
};

// The entries in the order of the file, without the header (the empty msgid) and untranslated entries. Throws
// InputError with `name` and the line if the format is wrong.
std::vector<PoEntry> read_po(std::string_view text, const std::string& name);

}  // namespace perturb
