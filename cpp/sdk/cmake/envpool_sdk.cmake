# envpool::sdk: the headers, the numbers of numpy.random, and how all code that includes them is
# compiled.

# Makes the target. `obstacle` becomes a sentence if that is not possible here, or else empty.
function(envpool_find_sdk obstacle)
  set(${obstacle} "" PARENT_SCOPE)
  if(TARGET envpool::sdk)
    return()
  endif()
  envpool_check_compiler(problem)
  if(NOT problem)
    envpool_find_numpy_random(library problem)
  endif()
  if(problem)
    set(${obstacle} "${problem}" PARENT_SCOPE)
    return()
  endif()
  # Global: it is used in other folders than the one that asks for it.
  add_library(envpool::sdk INTERFACE IMPORTED GLOBAL)
  get_filename_component(include "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include" ABSOLUTE)
  target_include_directories(envpool::sdk INTERFACE "${include}")
  target_compile_features(envpool::sdk INTERFACE cxx_std_20)
  # Results must equal NumPy's bit for bit, so no operations may be fused.
  target_compile_options(envpool::sdk INTERFACE -ffp-contract=off)
  target_link_libraries(envpool::sdk INTERFACE "${library}" m)
endfunction()

# Can the headers be compiled? They say themselves what they need (platform.h).
function(envpool_check_compiler problem)
  set(${problem} "" PARENT_SCOPE)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CXX" IN_LIST languages)
    set(${problem} "environments are written in C++, and this project is not: it needs \
project(... LANGUAGES CXX)" PARENT_SCOPE)
    return()
  endif()
  set(compiler "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})")
  if(NOT "cxx_std_20" IN_LIST CMAKE_CXX_COMPILE_FEATURES)
    set(${problem} "${compiler} has no C++20: use g++ 11 or clang++ 14, or a later one, by \
-DCMAKE_CXX_COMPILER=... or the variable CXX" PARENT_SCOPE)
    return()
  endif()
  if(NOT envpool_compiler_works)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    unset(envpool_compiler_works CACHE)
    try_compile(envpool_compiler_works "${CMAKE_BINARY_DIR}/envpool_try_compile"
                SOURCES "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/platform.cpp"
                CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include"
                CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
                OUTPUT_VARIABLE output)
    if(NOT envpool_compiler_works)
      string(REGEX MATCH "error: (#error )?\"([^\"\n]*)" ignored "${output}")
      set(reason "${CMAKE_MATCH_2}")
      if(NOT reason)
        set(reason "it does not compile the headers of the C++20 library:\n${output}")
      endif()
      set(${problem} "${compiler} cannot build environments: ${reason}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# The distributions of numpy.random, as the static library that NumPy's wheel ships. That of the
# Python that builds, which need not be the one that the environments are used with.
function(envpool_find_numpy_random library problem)
  set(${problem} "" PARENT_SCOPE)
  if(NOT Python_EXECUTABLE)
    find_package(Python 3.11 QUIET COMPONENTS Interpreter)
  endif()
  if(NOT Python_EXECUTABLE)
    set(${problem} "no Python 3.11 or later was found, whose NumPy is needed: activate its virtual \
environment, or say -DPython_EXECUTABLE=..." PARENT_SCOPE)
    return()
  endif()
  # Found like a module but not imported, which takes longer.
  string(CONCAT find "import importlib.util as u; s = u.find_spec('numpy');"
                     "print(s.origin if s else '', end='')")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "${find}"
    OUTPUT_VARIABLE numpy COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(folder "${numpy}" DIRECTORY)
  set(path "${folder}/random/lib/libnpyrandom.a")
  if(NOT EXISTS "${path}")
    set(${problem} "${Python_EXECUTABLE} has no NumPy with ${path}: pip install numpy for it, and \
add numpy to the `requires` of [build-system] in pyproject.toml" PARENT_SCOPE)
    return()
  endif()
  set(${library} "${path}" PARENT_SCOPE)
endfunction()

# Makes envpool::NAME for each of the components that are asked for.
function(envpool_find_components names problem)
  set(${problem} "" PARENT_SCOPE)
  get_filename_component(include "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/envpool" ABSOLUTE)
  foreach(name IN LISTS names)
    if(IS_DIRECTORY "${include}/${name}")
      if(NOT TARGET envpool::${name})
        add_library(envpool::${name} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(envpool::${name} INTERFACE envpool::sdk)
      endif()
      set(envpool_${name}_FOUND TRUE PARENT_SCOPE)
    elseif(envpool_FIND_REQUIRED_${name})
      file(GLOB known RELATIVE "${include}" LIST_DIRECTORIES TRUE "${include}/*")
      list(FILTER known EXCLUDE REGEX "\\.h$")
      list(JOIN known ", " known)
      set(${problem} "this envpool has no component ${name}, but these: ${known}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
