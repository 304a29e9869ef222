# The compile options of all files of Perturb, as one target to link: perturb_options.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(PERTURB_CCACHE ccache)
if(PERTURB_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PERTURB_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${PERTURB_CCACHE})
endif()

if(PERTURB_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(DEFINED ENV{PERTURB_CUDA_ARCHITECTURES})
      set(CMAKE_CUDA_ARCHITECTURES $ENV{PERTURB_CUDA_ARCHITECTURES})
    else()
      set(CMAKE_CUDA_ARCHITECTURES all-major)
    endif()
  endif()
  enable_language(CUDA)
  # CMake before 3.27 does not know nvcc's flag for C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  # Static: a CUDA build then starts on a machine without a driver, reports it and uses the CPU.
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
endif()

# Compute code is worth full optimisation; tables, panels, files and tests are not, and compile in half the time without
# it. Under a sanitizer, whose checks all have to be optimised, no optimisation halves the time again.
if(PERTURB_SANITIZE)
  set(perturb_light_flags "$<$<COMPILE_LANGUAGE:C,CXX>:-O0>")
elseif(PERTURB_WEB)
  set(perturb_light_flags -Oz)  # smaller programs load faster
else()
  set(perturb_light_flags "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:C,CXX>>:-O1>")
endif()

add_library(perturb_options INTERFACE)
target_include_directories(perturb_options INTERFACE ${PROJECT_SOURCE_DIR})

# No implicit contraction: cell functions fuse explicitly (multiply_add), so that a kernel's variants, and the CPU and
# the GPU, are bit-identical.
set(perturb_host_flags -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(PERTURB_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR PERTURB_ARCH STREQUAL "native")
  list(APPEND perturb_host_flags -march=${PERTURB_ARCH})
endif()
include(CheckCXXCompilerFlag)
if(PERTURB_WEB)
  target_include_directories(perturb_options SYSTEM INTERFACE ${perturb_web_headers})
  list(APPEND perturb_host_flags ${perturb_web_flags})
else()
  check_cxx_compiler_flag(-mprefer-vector-width=512 PERTURB_HAS_VECTOR_WIDTH)
endif()
if(PERTURB_SANITIZE)
  list(APPEND perturb_host_flags -fsanitize=${PERTURB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(perturb_options INTERFACE -fsanitize=${PERTURB_SANITIZE})
  # Compilers report the sanitizer in different ways, and not to files that are compiled without it.
  if(PERTURB_SANITIZE MATCHES "address")
    target_compile_definitions(perturb_options INTERFACE PERTURB_ADDRESS_SANITIZER)
  elseif(PERTURB_SANITIZE MATCHES "thread")
    target_compile_definitions(perturb_options INTERFACE PERTURB_THREAD_SANITIZER)
  endif()
  if(PERTURB_SANITIZE MATCHES "undefined")
    # UndefinedBehaviorSanitizer takes half of a compiler's time for checking whether every pointer is null, aligned and
    # of the right type. The first two crash anyway or are harmless on x86-64 and ARM, and AddressSanitizer detects
    # accesses beyond an object. Floating-point numbers that overflow an integer need a separate check.
    list(APPEND perturb_host_flags
      -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute,pointer-overflow
      -fsanitize=float-cast-overflow)
  endif()
  if(PERTURB_SANITIZE MATCHES "address")
    # Each test is a process: at a fixed address its 1.5 million pointers to messages need no relocation at start.
    list(APPEND perturb_host_flags -fno-pie)
    target_link_options(perturb_options INTERFACE -no-pie)
  endif()
endif()

# A dozen test programs, each with all of the project: lld needs a fifth of the time.
if(PERTURB_TESTS AND NOT PERTURB_WEB)
  find_program(PERTURB_LLD ld.lld)
  if(PERTURB_LLD)
    target_link_options(perturb_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# GCC repeatedly searches for memory to release. With 2 GB per processor this is unnecessary, and omitting it saves a
# twelfth of its time.
cmake_host_system_information(RESULT perturb_memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT perturb_processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR perturb_memory "${perturb_memory} / ${perturb_processors}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND perturb_memory GREATER 2000)
  list(APPEND perturb_host_flags --param=ggc-min-heapsize=1500000)
endif()
# For each value read, GCC checks up to a thousand stores for whether they wrote it. A hundred are enough for the
# interaction of fibers, whose tensors are in registers: two thirds of the time, with code of the same length.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND perturb_host_flags --param=sccvn-max-alias-queries-per-access=100)
endif()

set(perturb_warnings -Wall -Wextra)
# With unity builds, a local name of one source may legitimately shadow a name of another; clang has no warning that is
# limited to local names.
if(NOT PERTURB_UNITY)
  list(APPEND perturb_warnings -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND perturb_warnings -Wshadow=local)
endif()
# Where PERTURB_INDEPENDENT_ITERATIONS has no effect (-O1 does not vectorise), clang warns about it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND perturb_warnings -Wno-pass-failed)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # False positives about std::string (GCC bug 105651, and its copies inlined at -O1) and std::variant (105593).
  list(APPEND perturb_warnings -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
endif()
# Warnings are errors with the compilers of continuous integration. Others have warnings that no one has checked, and a
# fresh machine must not stop there.
if(PERTURB_WERROR AND NOT "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  message(STATUS "Warnings stay warnings: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is not a compiler of "
    "continuous integration (GCC 12 and clang 14)")
  set(PERTURB_WERROR OFF)
endif()
if(PERTURB_WERROR)
  list(APPEND perturb_warnings -Werror)
endif()

target_compile_options(perturb_options INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:${perturb_host_flags}>"
  "$<$<COMPILE_LANGUAGE:CXX>:${perturb_warnings};-Wpedantic>")
if(PERTURB_CUDA)
  string(REPLACE ";" "," perturb_host_flags_list "${perturb_host_flags};${perturb_warnings}")
  set(perturb_line_numbers -lineinfo)
  # A fifth of the size, for a few milliseconds when a kernel is first used. Drivers of CUDA 12.4 and newer can read it;
  # a program of CUDA 13 needs those anyway.
  set(perturb_device_flags "")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(perturb_device_flags --compress-mode=size)
  endif()
  if(PERTURB_QUICK_DEVICE_CODE)
    set(perturb_line_numbers "")
    set(perturb_device_flags "")
    # CMake cannot test a flag of nvcc here, because before 3.27 it does not know nvcc's flag for C++20 (above).
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --help OUTPUT_VARIABLE nvcc_help)
    if(nvcc_help MATCHES "--Ofast-compile")
      set(perturb_device_flags --Ofast-compile=max)
    endif()
  endif()
  target_compile_options(perturb_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;--ftz=true;${perturb_line_numbers};--expt-relaxed-constexpr;-Xcompiler=${perturb_host_flags_list};${perturb_device_flags}>")
  if(PERTURB_WERROR)
    target_compile_options(perturb_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcudafe;--display_error_number>")
  endif()
endif()

if(PERTURB_PRECOMPILED)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/parsed.cpp CONTENT "")
  add_library(perturb_parsed OBJECT ${CMAKE_BINARY_DIR}/generated/parsed.cpp)
  target_link_libraries(perturb_parsed PRIVATE perturb_options)
  target_compile_options(perturb_parsed PRIVATE ${perturb_light_flags})
  perturb_parse_once(perturb_parsed)
endif()
