# A simulation is a folder of cuda/ and one line: add_simulation(name).

# Adds to TARGET the simulation in FOLDER, an absolute path: its sources.cmake sets
#   sources     .cpp files of the host alone
#   launches    .cpp files that launch functors (parallel_for, parallel_tasks, a Reduction), or include a header that does:
#               compiled as CUDA where CUDA is on, by the host compiler otherwise (scripts/check_rules tells what is missing)
#   kernels     .cu files, for CUDA builds
#   fallback    .cpp files that stand in for the kernels where CUDA is off
#   wide_loops  those of the sources whose plain loops gain from the widest vectors of the machine (may be left out)
# In a build for browsers an empty list, <name>_studies(), takes the place of <name>_studies*.cpp: nobody runs benchmarks
# there, and what is small is there sooner.
# <name>_info, _params and _saved_fields are tables, <name>_describe and _text write sentences, <name>_verify* and _studies* ask
# of others what takes time: they compile without the optimiser's full effort.
function(perturb_simulation_sources target folder)
  set(wide_loops "")
  include(${folder}/sources.cmake)
  get_filename_component(name ${folder} NAME)
  if(PERTURB_WEB)
    list(FILTER sources EXCLUDE REGEX "_studies[_.]")
    list(FILTER launches EXCLUDE REGEX "_studies[_.]")
  endif()
  foreach(list IN ITEMS sources launches kernels fallback wide_loops)
    list(TRANSFORM ${list} PREPEND ${folder}/)
  endforeach()
  if(PERTURB_WEB AND EXISTS ${folder}/${name}_studies.h)
    set(no_studies ${CMAKE_CURRENT_BINARY_DIR}/generated/${name}_no_studies.cpp)
    file(GENERATE OUTPUT ${no_studies} CONTENT "#include \"cuda/${name}/${name}_studies.h\"
namespace perturb::${name} {
std::vector<Study> ${name}_studies() { return {}; }
}  // namespace perturb::${name}
")
    list(APPEND sources ${no_studies})
  endif()
  # A library of their own: CMake unites no sources that have options of their own.
  set(light "_(info|params|saved_fields|describe|text|verify[a-z_]*|studies[a-z_]*)\\.cpp$")
  if(PERTURB_WEB)  # for size, all but the hot loops are as light
    set(light "_(info|${perturb_web_light}|params|saved_fields)\\.cpp$")
  endif()
  set(tables ${sources})
  list(FILTER tables INCLUDE REGEX "${light}")
  list(FILTER sources EXCLUDE REGEX "${light}")
  add_library(${target}_${name}_tables OBJECT ${tables})
  target_link_libraries(${target}_${name}_tables PRIVATE perturb_options)
  target_include_directories(${target}_${name}_tables PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_options(${target}_${name}_tables PRIVATE ${perturb_light_flags})
  perturb_parse_once(${target}_${name}_tables FROM perturb_parsed)
  if(PERTURB_WEB)
    # What is small is there sooner: all but the loops that most of a step's time goes into. (emcc turns inlining off for
    # good where -Os stands before.)
    set(options_of_hot -O2 -finline-functions -fno-unroll-loops)
    set(options_of_hot_in_sums -O3 -finline-functions -fno-unroll-loops)
    set(options_of_hot_in_shapes -finline-functions -Os)
    set(options_of_hot_in_many_shapes -finline-functions -Oz)
    set(options_of_hot_in_steps ${options_of_hot_in_sums} -mllvm -inline-threshold=400)
    # (And clang must look through all of a cell's functions, or it makes no vectors of wide loops at all.)
    set(options_of_wide_loops ${options_of_hot_in_sums} -mllvm -inline-threshold=4000)
    # Nothing of it is compiled as CUDA: a simulation's launches are united with the rest.
    list(APPEND sources ${launches} ${fallback})
    # The first of these that a source is of.
    foreach(kind IN ITEMS wide_loops hot_in_steps hot_in_many_shapes hot_in_shapes hot_in_sums hot)
      set(files ${wide_loops})
      if(NOT kind STREQUAL "wide_loops")
        set(files ${sources})
        list(FILTER files INCLUDE REGEX "${perturb_web_${kind}}")
      endif()
      if(NOT files)
        continue()
      endif()
      list(REMOVE_ITEM sources ${files})
      # What is as small as all else is united with its like. What is not stays alone: the functions of headers that
      # it has, too, took the place of smaller ones, and the page weighed 4 kB more.
      if(kind MATCHES "shapes")
        perturb_web_unite(${target} ${kind} "${options_of_${kind}}" ${files})
      else()
        set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${options_of_${kind}}")
        target_sources(${target} PRIVATE ${files})
      endif()
    endforeach()
    target_sources(${target} PRIVATE ${sources} $<TARGET_OBJECTS:${target}_${name}_tables>)
    perturb_unite(${target} ${name} ${sources})
    return()
  endif()
  target_sources(${target} PRIVATE ${sources} $<TARGET_OBJECTS:${target}_${name}_tables>)
  perturb_unite(${target} ${name} ${sources})
  # Compilers prefer half of AVX-512's width for the sake of code that mixes; these loops do nothing else.
  if(wide_loops AND PERTURB_HAS_VECTOR_WIDTH)
    set_source_files_properties(${wide_loops} PROPERTIES COMPILE_OPTIONS "-mprefer-vector-width=512;-falign-loops=64" SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(PERTURB_CUDA)
    perturb_cuda_sources(${target} ${name} ${launches} KERNELS ${kernels})
  else()
    target_sources(${target} PRIVATE ${launches} ${fallback})
    perturb_unite(${target} ${name}_launches ${launches} ${fallback})
  endif()
endfunction()

# perturb_web_unite(TARGET KIND OPTIONS FILE...): adds the files, with those of other simulations of this kind, as a library
# of their own: CMake unites no sources that have options of their own, whose headers take half of their time.
function(perturb_web_unite target kind options)
  if(NOT TARGET ${target}_${kind})
    add_library(${target}_${kind} OBJECT)
    target_link_libraries(${target}_${kind} PRIVATE perturb_options)
    target_include_directories(${target}_${kind} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_options(${target}_${kind} PRIVATE ${perturb_light_flags} ${options})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${kind}>)
  endif()
  target_sources(${target}_${kind} PRIVATE ${ARGN})
endfunction()

# Registers cuda/NAME, which must define  const SimulationInfo& perturb::<name>::<name>_simulation()  and
# const std::vector<SavedField>& perturb::<name>::<name>_saved_fields().
function(add_simulation name)
  perturb_simulation_sources(perturb_compute ${CMAKE_CURRENT_SOURCE_DIR}/${name})
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
