# For a browser: emcmake cmake -DPERTURB_WEB=ON (scripts/web does it). What there is no library of is another source there
# (cuda/core, app/pictures, app/states); the libraries that are headers alone are the host's.

if(NOT EMSCRIPTEN)
  message(FATAL_ERROR "PERTURB_WEB needs the compiler of Emscripten: run scripts/web, or configure by \"emcmake cmake\".")
endif()

# Linked into a folder of their own: the host's other headers are not for this compiler.
set(perturb_web_headers ${CMAKE_BINARY_DIR}/headers)
foreach(header IN ITEMS glm/glm.hpp nlohmann/json.hpp toml++/toml.h)
  string(MAKE_C_IDENTIFIER PERTURB_FOLDER_OF_${header} variable)
  find_path(${variable} ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  get_filename_component(folder ${header} DIRECTORY)
  file(MAKE_DIRECTORY ${perturb_web_headers})
  file(CREATE_LINK ${${variable}}/${folder} ${perturb_web_headers}/${folder} SYMBOLIC)
endforeach()

# Of a simulation's sources, what is done once for a start, for a check or for a gauge: as small as tables are.
set(perturb_web_light "actions|article|checks|choice|doppler|gauges|permeability|plan|rates|report|reynolds|\
saved|setup|start|strouhal|text|theory|verify[a-z_]*")
# And those that most of a step's time goes into, or most of a scene's opening (stability): as fast as can be.
set(perturb_web_hot "/(particles|[a-z]+_(cpu|nodes_cpu|cpu_steps|cpu_search|matrix|solver|hierarchy|algebra|solution|assembly|dye|screen|stability|\
inlet_stability)|(lbm|wave)_picture)\\.cpp$")
# Those whose small sums of a known length must become straight lines.
set(perturb_web_hot_in_sums "/membrane_assembly\\.cpp$")

# Of these the ones that stand in several shapes (orders, precisions), whose loops are unrolled by what they say: no larger
# than that. And the one that is most of the program's code, in which the smallest code is as fast.
set(perturb_web_hot_in_shapes "/(fibers_nodes_cpu|lbm_stability|lbm_inlet_stability)\\.cpp$")
set(perturb_web_hot_in_many_shapes "/(fibers_cpu|(fibers|membrane|particles)_picture|(lbm|wave)_measure)\\.cpp$")
# And those whose cells, pairs and rounds call each other in small steps: clang must look through more of them.
set(perturb_web_hot_in_steps "/(particles|lbm_dye)\\.cpp$")

# One compilation serves both programs, with threads and without: linked without shared memory, its atomic operations are
# ordinary ones. Exceptions are WebAssembly's own: those by way of JavaScript take four times the size of what may throw.
set(perturb_web_flags -fwasm-exceptions -pthread -msimd128)
# Of Binaryen's passes those that make the program smaller once it is compressed: its -O2 takes four times as long, and by
# its inlining the program weighs more. (-O1 stands for none of its own.)
set(perturb_web_passes
  --low-memory-unused --zero-filled-memory --optimize-level=2 --shrink-level=2
  --post-emscripten --duplicate-function-elimination --remove-unused-names --remove-unused-brs --precompute
  --optimize-instructions --vacuum --simplify-locals --vacuum --reorder-locals --coalesce-locals --simplify-locals --vacuum
  --reorder-locals --merge-blocks --code-folding --remove-unused-brs --remove-unused-names --merge-blocks --rse
  --optimize-instructions --vacuum --duplicate-function-elimination --simplify-globals --remove-unused-module-elements
  --duplicate-import-elimination)
list(JOIN perturb_web_passes "," perturb_web_passes)
set(perturb_web_link_flags -fwasm-exceptions)
list(APPEND perturb_web_link_flags
  -O1 --profiling-funcs -sBINARYEN_EXTRA_PASSES=${perturb_web_passes} --no-entry -sMODULARIZE -sEXPORT_ES6 -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH
  -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=64MB -sTOTAL_STACK=1MB -sDEFAULT_PTHREAD_STACK_SIZE=1MB -sWASM_BIGINT -sINVOKE_RUN=0 -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,HEAPU8
  -sEXPORTED_FUNCTIONS=_malloc,_free -sALLOW_BLOCKING_ON_MAIN_THREAD)
