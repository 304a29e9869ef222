# For browsers: emcmake cmake -DPERTURB_WEB=ON (used by scripts/web). Missing libraries are replaced by other sources
# (cuda/core, app/io/image, app/io/state); header-only libraries are those of the host.

if(NOT EMSCRIPTEN)
  message(FATAL_ERROR "PERTURB_WEB needs the compiler of Emscripten: run scripts/web, or configure by \"emcmake cmake\".")
endif()

# Linked into a separate folder: the host's other headers do not work with this compiler.
set(perturb_web_headers ${CMAKE_BINARY_DIR}/headers)
foreach(header IN ITEMS glm/glm.hpp Eigen/Core nlohmann/json.hpp toml++/toml.h xxhash.h)
  string(MAKE_C_IDENTIFIER PERTURB_FOLDER_OF_${header} variable)
  find_path(${variable} ${header} PATHS /usr/include /usr/local/include PATH_SUFFIXES eigen3 NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  string(REGEX REPLACE "/.*" "" linked ${header})  # the folder, or a single header
  file(MAKE_DIRECTORY ${perturb_web_headers})
  file(CREATE_LINK ${${variable}}/${linked} ${perturb_web_headers}/${linked} SYMBOLIC)
endforeach()

# One compilation serves both programs, with threads and without: linked without shared memory, its atomic operations
# become ordinary ones. Exceptions are WebAssembly's own: JavaScript exceptions make throwing code four times as large.
set(perturb_web_flags -fwasm-exceptions -pthread -msimd128)
set(perturb_web_link_flags -fwasm-exceptions)
# Only workers and node run the programs, but without "web" newer Emscripten writes scripts that import node's modules
# in browsers too.
list(APPEND perturb_web_link_flags
  -O2 --no-entry -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=web,worker,node -sALLOW_MEMORY_GROWTH
  -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=64MB -sTOTAL_STACK=1MB -sDEFAULT_PTHREAD_STACK_SIZE=1MB -sWASM_BIGINT -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,HEAPU8
  -sEXPORTED_FUNCTIONS=_malloc,_free -sALLOW_BLOCKING_ON_MAIN_THREAD)
