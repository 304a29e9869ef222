# A simulation is a folder of cuda/ and one line: add_simulation(name).

# perturb_simulation_sources(TARGET FOLDER): adds the simulation in FOLDER, an absolute path, to TARGET. Every source of
# the folder belongs to it:
#   *.cu              CUDA kernels, compiled only if CUDA is on
#   *no_kernels.cpp   replace the kernels if CUDA is off
#   *.cpp             everything else
#
# The folder's sources.cmake sets lists that file names do not show:
#   device_sources    .cpp files that launch functors (parallel_for, parallel_tasks, a Reduction), or include a header
#   that
#                     does: compiled as CUDA if CUDA is on (scripts/check_rules reports missing ones)
#   wide_loops        .cpp files whose plain loops are faster with the widest vectors of the machine
#   editable_sources  optional: files that an edited kernel is compiled from (cuda/core/simulation/edited_kernel.h),
#                     relative to the folder, or to the project if they begin with cuda/core: the function
#                     embedded_NAME_kernel() has their texts
# An optional third argument is the id of the simulation, if it is not the folder's name.
function(perturb_simulation_sources target folder)
  perturb_read_simulation(${folder})
  get_filename_component(name ${folder} NAME)
  set(id ${name})
  if(ARGN)
    set(id ${ARGN})
  endif()
  # Tables, texts and checks run once or rarely: they are compiled with less optimisation, in half the time. They form a
  # separate library, because CMake's unity builds exclude sources with their own options.
  set(tables ${sources})
  set(light "/(info|parameters)\\.cpp$|/verify/|/state/(saved_fields|text)\\.cpp$|/measure/describe\\.cpp$")
  list(FILTER tables INCLUDE REGEX "${light}")
  list(FILTER sources EXCLUDE REGEX "${light}")
  add_library(${target}_${name}_tables OBJECT ${tables})
  target_link_libraries(${target}_${name}_tables PRIVATE perturb_options)
  target_include_directories(${target}_${name}_tables PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_options(${target}_${name}_tables PRIVATE ${perturb_light_flags})
  perturb_parse_once(${target}_${name}_tables FROM perturb_parsed)

  target_sources(${target} PRIVATE ${sources} $<TARGET_OBJECTS:${target}_${name}_tables>)
  perturb_unite(${target} ${name} ${sources})
  # Compilers prefer half of AVX-512's width because mixed code runs at a lower clock; these loops contain no other
  # code.
  if(wide_loops AND PERTURB_HAS_VECTOR_WIDTH)
    set_source_files_properties(${wide_loops} PROPERTIES COMPILE_OPTIONS "-mprefer-vector-width=512;-falign-loops=64" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  perturb_device_sources(${target} ${name})
  if(editable_sources)
    list(TRANSFORM editable_sources PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^cuda/core/")
    list(TRANSFORM editable_sources PREPEND ${folder}/ REGEX "^[^/]")
    get_filename_component(parent ${folder}/../.. ABSOLUTE)
    perturb_embed(${target} embedded_${id}_kernel ${parent} ${editable_sources})
  endif()
endfunction()

# perturb_study_sources(TARGET FOLDER): adds the studies of a simulation, which are in FOLDER, to TARGET. Its
# sources.cmake sets device_sources.
function(perturb_study_sources target folder)
  perturb_read_simulation(${folder})
  get_filename_component(name ${folder} NAME)
  target_sources(${target} PRIVATE ${sources})
  perturb_unite(${target} ${name}_study ${sources})
  perturb_device_sources(${target} ${name}_study)
endfunction()

# Sets sources, device_sources, kernels, fallback and wide_loops to the absolute paths of the files in FOLDER.
macro(perturb_read_simulation folder)
  set(device_sources "")
  set(wide_loops "")
  set(editable_sources "")
  include(${folder}/sources.cmake)
  list(TRANSFORM device_sources PREPEND ${folder}/)
  list(TRANSFORM wide_loops PREPEND ${folder}/)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${folder}/*.cu)
  set(fallback ${sources})
  list(FILTER fallback INCLUDE REGEX "no_kernels\\.cpp$")
  list(REMOVE_ITEM sources ${fallback} ${device_sources})
endmacro()

# Adds the sources that are compiled as CUDA if CUDA is on, and by the host compiler otherwise.
macro(perturb_device_sources target name)
  if(PERTURB_CUDA)
    perturb_cuda_sources(${target} ${name} ${device_sources} KERNELS ${kernels})
  else()
    target_sources(${target} PRIVATE ${device_sources} ${fallback})
    perturb_unite(${target} ${name}_device ${device_sources} ${fallback})
  endif()
endmacro()

# Registers cuda/NAME, which must define  const SimulationInfo& perturb::<name>::<name>_simulation()  and const
# std::vector<SavedField>& perturb::<name>::<name>_saved_fields(), and, if there is a folder cuda/studies/NAME,
# std::vector<Study> perturb::<name>::<name>_studies().
function(add_simulation name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  perturb_simulation_sources(perturb_compute ${folder})
  set_property(GLOBAL APPEND PROPERTY PERTURB_SIMULATIONS ${name})
  set(studies ${CMAKE_CURRENT_SOURCE_DIR}/studies/${name})
  if(TARGET perturb_studies AND EXISTS ${studies})
    perturb_study_sources(perturb_studies ${studies})
    set_property(GLOBAL APPEND PROPERTY PERTURB_STUDIES ${name})
  endif()
endfunction()

# Writes catalog.inc and study_catalog.inc with a line SIMULATION(name), or STUDIES(name), for each. Naming them keeps
# the linker from dropping any.
function(perturb_write_catalog)
  foreach(kind IN ITEMS SIMULATION STUDIES)
    if(kind STREQUAL "SIMULATION")
      get_property(names GLOBAL PROPERTY PERTURB_SIMULATIONS)
      set(file catalog.inc)
    else()
      get_property(names GLOBAL PROPERTY PERTURB_STUDIES)
      set(file study_catalog.inc)
    endif()
    set(text "")
    foreach(name IN LISTS names)
      string(APPEND text "${kind}(${name})\n")
    endforeach()
    file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/${file} CONTENT "${text}")
  endforeach()
  target_include_directories(perturb_compute PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
  if(TARGET perturb_studies)
    target_include_directories(perturb_studies PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
  endif()
endfunction()
