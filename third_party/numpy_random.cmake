# numpy::random: the distributions of numpy.random, as the static library that NumPy's wheel ships.
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
          "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parent / 'random/lib', end='')"
  OUTPUT_VARIABLE numpy_random_dir COMMAND_ERROR_IS_FATAL ANY)
find_library(NUMPY_RANDOM_LIBRARY npyrandom PATHS "${numpy_random_dir}" NO_DEFAULT_PATH NO_CACHE REQUIRED)

add_library(numpy_random STATIC IMPORTED)
set_target_properties(numpy_random PROPERTIES IMPORTED_LOCATION "${NUMPY_RANDOM_LIBRARY}")
target_link_libraries(numpy_random INTERFACE m)
add_library(numpy::random ALIAS numpy_random)
