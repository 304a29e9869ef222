# A simulation is a folder of cuda/ and one line: add_simulation(name).

# Adds cuda/NAME: its sources.cmake sets
#   sources    .cpp files for both backends: compiled as CUDA where CUDA is on, by the host compiler alone otherwise
#   kernels    .cu files, for CUDA builds
#   fallback   .cpp files that stand in for the kernels where CUDA is off
# The folder's <name>.h or .cpp must define  const SimulationInfo& perturb::<name>_simulation().
function(add_simulation name)
  include(${CMAKE_CURRENT_SOURCE_DIR}/${name}/sources.cmake)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${name}/)
  list(TRANSFORM kernels PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${name}/)
  list(TRANSFORM fallback PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${name}/)
  target_sources(perturb_compute PRIVATE ${sources})
  if(PERTURB_CUDA)
    target_sources(perturb_compute PRIVATE ${kernels})
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA)
  else()
    target_sources(perturb_compute PRIVATE ${fallback})
  endif()
  set_property(GLOBAL APPEND PROPERTY PERTURB_SIMULATIONS ${name})
endfunction()

# Writes catalog.inc with a line SIMULATION(name) for each. Naming them keeps the linker from dropping any.
function(perturb_write_catalog)
  get_property(names GLOBAL PROPERTY PERTURB_SIMULATIONS)
  set(text "")
  foreach(name IN LISTS names)
    string(APPEND text "SIMULATION(${name})\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/catalog.inc CONTENT "${text}")
  target_include_directories(perturb_compute PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
