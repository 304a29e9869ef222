set(sources)
set(launches heat.cpp)
set(kernels)
set(fallback)
