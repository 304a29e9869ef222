set(sources
  wave.cpp
  wave_actions.cpp
  wave_article.cpp
  wave_cpu_steps.cpp
  wave_diffraction.cpp
  wave_doppler.cpp
  wave_droplets.cpp
  wave_info.cpp
  wave_mode.cpp
  wave_params.cpp
  wave_rays.cpp
  wave_relief_columns.cpp
  wave_saved.cpp
  wave_saved_fields.cpp
  wave_screen_curve.cpp
  wave_setup.cpp
  wave_source.cpp
  wave_sponge.cpp
  wave_stepper.cpp
  wave_studies.cpp
  wave_studies_article.cpp
  wave_verify.cpp
  wave_verify_grid.cpp
  wave_verify_rays.cpp
  wave_verify_slits.cpp)
set(launches
  wave_directions.cpp
  wave_limit.cpp
  wave_measure.cpp
  wave_medium.cpp
  wave_picture.cpp
  wave_relief.cpp
  wave_screen.cpp
  wave_surface.cpp)
set(kernels wave_article_kernels.cu wave_kernels.cu wave_temporal.cu)
set(fallback wave_article_no_kernels.cpp wave_no_kernels.cpp)
set(wide_loops wave_cpu_steps.cpp)
