# Writes a source with the commit of SOURCE_DIR to FILE, only if it has changed. Called in every build.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --abbrev=10 --exclude=* --dirty=-changed
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${FILE} CONTENT "#include \"app/cli/version.h\"\n\nnamespace perturb {\n\nconst char* const build_commit = \"${commit}\";\n\n}  // namespace perturb\n")
