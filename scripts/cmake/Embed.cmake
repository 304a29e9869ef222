# Embeds files into the binary, so that none can be missing at run time.

set(PERTURB_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/EmbedFiles.cmake)

# perturb_embed(TARGET FUNCTION BASE file...): adds to TARGET a source that defines
#   std::span<const perturb::EmbeddedFile> perturb::FUNCTION()        (cuda/core/simulation/embedded.h)
# with the files' texts, named by their path relative to BASE.
function(perturb_embed target function base)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${function}.cpp)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/embedded/${function}.list)
  list(JOIN ARGN "\n" lines)
  file(GENERATE OUTPUT ${list} CONTENT "${lines}\n")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${function} -DBASE=${base} -DLIST=${list} -DOUTPUT=${output} -P ${PERTURB_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${list} ${PERTURB_EMBED_SCRIPT}
    VERBATIM)
  # A separate library: a custom command must be in the folder of the target that compiles its output.
  add_library(embed_${target}_${function} OBJECT ${output})
  target_link_libraries(embed_${target}_${function} PRIVATE perturb_options)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:embed_${target}_${function}>)
endfunction()
