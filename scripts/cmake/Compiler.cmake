# What every file of Perturb is compiled with, as one target to link: perturb_options.

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
  # Static: a CUDA build then starts on a machine without a driver, says so and uses the CPU.
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  find_package(CUDAToolkit REQUIRED)
endif()

# What computes is worth the optimiser's every effort; a table, a panel, a file and a test are not, and compile in half the
# time. Under a sanitizer, whose checks each have to be optimised, none at all halves it again.
if(PERTURB_SANITIZE)
  set(perturb_light_flags "$<$<COMPILE_LANGUAGE:C,CXX>:-O0>")
elseif(PERTURB_WEB)
  set(perturb_light_flags -Oz)  # what is small is there sooner
else()
  set(perturb_light_flags "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:C,CXX>>:-O1>")
endif()

add_library(perturb_options INTERFACE)
target_include_directories(perturb_options INTERFACE ${PROJECT_SOURCE_DIR})

# No contraction behind our backs: cell functions say where they fuse (multiply_add), so that a kernel's variants, and the
# CPU and the GPU, agree to the bit.
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
  # Compilers tell it in ways of their own, and not to a file that is not watched itself.
  if(PERTURB_SANITIZE MATCHES "address")
    target_compile_definitions(perturb_options INTERFACE PERTURB_ADDRESS_SANITIZER)
  elseif(PERTURB_SANITIZE MATCHES "thread")
    target_compile_definitions(perturb_options INTERFACE PERTURB_THREAD_SANITIZER)
  endif()
  if(PERTURB_SANITIZE MATCHES "undefined")
    # Half of the time that a compiler spends on UndefinedBehaviorSanitizer goes into asking every pointer whether it is
    # null, aligned and of the right kind: the first two stop the program anyway or harm nothing on x86-64 and ARM, and what
    # lies beyond an object AddressSanitizer sees. A number too large for the integer that it becomes is asked for beside.
    list(APPEND perturb_host_flags
      -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute,pointer-overflow
      -fsanitize=float-cast-overflow)
  endif()
  if(PERTURB_SANITIZE MATCHES "address")
    # Each test is a process: at a fixed address its million and a half of pointers to messages need no sum as it starts.
    list(APPEND perturb_host_flags -fno-pie)
    target_link_options(perturb_options INTERFACE -no-pie)
  endif()
endif()

# A dozen programs of tests, each with all of the house: clang's own linker needs a fifth of the time.
if(PERTURB_TESTS AND NOT PERTURB_WEB)
  find_program(PERTURB_LLD ld.lld)
  if(PERTURB_LLD)
    target_link_options(perturb_options INTERFACE -fuse-ld=lld)
  endif()
endif()

# GCC counts the memory that it could give back over and over: with 2 GB for each processor it need not, and saves a twelfth
# of its time.
cmake_host_system_information(RESULT perturb_memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT perturb_processors QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR perturb_memory "${perturb_memory} / ${perturb_processors}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND perturb_memory GREATER 2000)
  list(APPEND perturb_host_flags --param=ggc-min-heapsize=1500000)
endif()
# Of each value that is read GCC asks up to a thousand stores whether they wrote it. A hundred are enough for the interaction of
# fibers, whose tensors lie in registers: two thirds of the time, and code as long.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND perturb_host_flags --param=sccvn-max-alias-queries-per-access=100)
endif()

set(perturb_warnings -Wall -Wextra)
# Of two sources that are compiled together, one's local name hides no name that the other meant; clang has no warning
# that is about local names alone.
if(NOT PERTURB_UNITY)
  list(APPEND perturb_warnings -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND perturb_warnings -Wshadow=local)
endif()
# Where PERTURB_INDEPENDENT_ITERATIONS is of no use to clang (-O1 makes no vectors), it warns that it is not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND perturb_warnings -Wno-pass-failed)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # False alarms about std::string (GCC bug 105651, and its copies inlined at -O1) and std::variant (105593).
  list(APPEND perturb_warnings -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow)
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
  # A fifth of the size, for a few milliseconds when a kernel is first used. Drivers of CUDA 12.4 and newer can read it: those that
  # a program of CUDA 13 needs anyway.
  set(perturb_device_flags "")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(perturb_device_flags --compress-mode=size)
  endif()
  if(PERTURB_QUICK_DEVICE_CODE)
    set(perturb_line_numbers "")
    set(perturb_device_flags "")
    # CMake cannot try a flag of nvcc here, for it does not know nvcc's flag for C++20 before 3.27 (above).
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
