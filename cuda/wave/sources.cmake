set(sources
  wave_actions.cpp
  wave_cpu_steps.cpp
  wave_info.cpp
  wave_params.cpp
  wave_saved.cpp
  wave_saved_fields.cpp
  wave_setup.cpp
  wave_source.cpp
  wave_studies.cpp
  wave_verify.cpp)
set(launches
  wave.cpp
  wave_limit.cpp)
set(kernels wave_kernels.cu wave_temporal.cu)
set(fallback wave_no_kernels.cpp)
set(wide_loops wave_cpu_steps.cpp)
