# Run by perturb_embed: writes OUTPUT, a C++ source with the files listed in LIST.
file(STRINGS ${LIST} files)
set(arrays "")
set(entries "")
set(index 0)
foreach(file IN LISTS files)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  file(RELATIVE_PATH name ${BASE} ${file})
  string(APPEND arrays "const unsigned char file_${index}[] = {\n${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", std::string_view(reinterpret_cast<const char*>(file_${index}), ${size})},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Generated. Do not edit.
#include \"cuda/core/simulation/embedded.h\"

namespace {
${arrays}
const perturb::EmbeddedFile files[] = {
${entries}};
}  // namespace

namespace perturb {
std::span<const EmbeddedFile> ${FUNCTION}();
std::span<const EmbeddedFile> ${FUNCTION}() { return files; }
}  // namespace perturb
")
