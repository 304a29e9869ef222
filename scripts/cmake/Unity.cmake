# Unity builds: several sources compiled as one, because most of a source's time goes into its includes. Names in
# anonymous namespaces of a module or a simulation must then differ. PERTURB_UNITY=OFF compiles each source separately,
# which shows missing includes.

option(PERTURB_UNITY "Compile several sources at once: a whole build takes little more than half the time, one changed source longer" ON)

set(CMAKE_UNITY_BUILD ${PERTURB_UNITY})
# Maximum number of sources per batch. With more, rebuilding after one change takes longer; with fewer, the same headers
# are parsed more often.
set(perturb_batch 16)
set(perturb_cuda_batch 13)
# Without a device no kernel runs, so rebuilding after one change does not matter.
if(PERTURB_QUICK_DEVICE_CODE)
  set(perturb_cuda_batch 20)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE ${perturb_batch})

# Distributes the files evenly, in order: <out>_0, <out>_1, ... get at most `most` files each, <out>_last is the last
# number.
macro(perturb_deal_out out most)
  set(files ${ARGN})
  list(LENGTH files count)
  math(EXPR batches "(${count} + ${most} - 1) / ${most}")
  math(EXPR ${out}_last "${batches} - 1")
  set(index 0)
  foreach(file IN LISTS files)
    math(EXPR batch "${index} * ${batches} / ${count}")
    list(APPEND ${out}_${batch} ${file})
    math(EXPR index "${index} + 1")
  endforeach()
endmacro()

# perturb_unite(TARGET NAME FILE...): compiles exactly these files of the target together. The target's UNITY_BUILD_MODE
# must be GROUP.
function(perturb_unite target name)
  if(NOT ARGN)
    return()
  endif()
  perturb_deal_out(batch ${perturb_batch} ${ARGN})
  foreach(number RANGE ${batch_last})
    set_source_files_properties(${batch_${number}} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name}_${number})
  endforeach()
endfunction()

# perturb_cuda_sources(TARGET NAME FILE... [KERNELS FILE...]): adds the files, absolute paths, to the target as CUDA.
# CMake supports unity builds for nvcc only since 3.31, so this generates NAME_<number>.cu. Kernels take long to
# optimise and are compiled separately, unless their code is not optimised.
function(perturb_cuda_sources target name)
  cmake_parse_arguments(arg "" "" "KERNELS" ${ARGN})
  set(together ${arg_UNPARSED_ARGUMENTS})
  if(PERTURB_UNITY AND PERTURB_QUICK_DEVICE_CODE)
    list(APPEND together ${arg_KERNELS})
  else()
    target_sources(${target} PRIVATE ${arg_KERNELS})
  endif()
  if(NOT together)
    return()
  endif()
  if(NOT PERTURB_UNITY)
    set_source_files_properties(${together} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA)
    target_sources(${target} PRIVATE ${together})
    return()
  endif()
  perturb_deal_out(batch ${perturb_cuda_batch} ${together})
  foreach(number RANGE ${batch_last})
    set(content "")
    foreach(file IN LISTS batch_${number})
      # A path relative to the source files does not depend on their location, for compiler caches.
      cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${file} NORMALIZE is_within)
      if(is_within)
        file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${file})
      endif()
      string(APPEND content "#include \"${file}\"\n")
    endforeach()
    set(united ${CMAKE_CURRENT_BINARY_DIR}/united/${name}_${number}.cu)
    file(GENERATE OUTPUT ${united} CONTENT "${content}")
    set_source_files_properties(${united} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${united})
  endforeach()
endfunction()

# Precompiled headers of the standard library: saves a seventh of a build's time. Missing includes are then not
# detected. For builds that continue with tests: a compiler cache needs CCACHE_SLOPPINESS=pch_defines,time_macros.
option(PERTURB_PRECOMPILED "Parse the standard library's headers once" OFF)

# perturb_parse_once(TARGET [FROM other]): `other` has the precompiled headers, and the same flags.
function(perturb_parse_once target)
  cmake_parse_arguments(arg "" "FROM" "" ${ARGN})
  if(NOT PERTURB_PRECOMPILED)
    return()
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
    return()
  endif()
  set(headers algorithm array atomic chrono cmath cstdint cstring filesystem fstream functional limits map memory mutex
    optional set sstream string thread utility variant vector)
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
