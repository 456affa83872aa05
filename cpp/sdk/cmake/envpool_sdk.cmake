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

# The folder of a package of the Python that builds, which need not be the one that the environments
# are used with; empty if that does not have it.
function(envpool_find_python_package name folder problem)
  set(${problem} "" PARENT_SCOPE)
  if(NOT Python_EXECUTABLE)
    find_package(Python 3.11 QUIET COMPONENTS Interpreter)
  endif()
  if(NOT Python_EXECUTABLE)
    set(${problem} "no Python 3.11 or later was found, whose ${name} is needed: activate its virtual \
environment, or say -DPython_EXECUTABLE=..." PARENT_SCOPE)
    return()
  endif()
  # Found like a module but not imported, which takes longer.
  string(CONCAT find "import importlib.util as u; s = u.find_spec('${name}');"
                     "print(s.origin if s and s.origin else '', end='')")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "${find}"
    OUTPUT_VARIABLE module COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(path "${module}" DIRECTORY)
  set(${folder} "${path}" PARENT_SCOPE)
  set(Python_EXECUTABLE "${Python_EXECUTABLE}" PARENT_SCOPE) # for messages
endfunction()

# The distributions of numpy.random, as the static library that NumPy's wheel ships.
function(envpool_find_numpy_random library problem)
  envpool_find_python_package(numpy folder obstacle)
  set(path "${folder}/random/lib/libnpyrandom.a")
  if(NOT obstacle AND NOT EXISTS "${path}")
    set(obstacle "${Python_EXECUTABLE} has no NumPy with ${path}: pip install numpy for it, and add \
numpy to the `requires` of [build-system] in pyproject.toml")
  endif()
  set(${library} "${path}" PARENT_SCOPE)
  set(${problem} "${obstacle}" PARENT_SCOPE)
endfunction()

# Makes envpool::NAME for each of the components that are asked for: of headers, include/envpool/NAME,
# or of sources, src/NAME, which may say themselves how they are built.
function(envpool_find_components names problem)
  set(${problem} "" PARENT_SCOPE)
  get_filename_component(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/.." ABSOLUTE)
  foreach(name IN LISTS names)
    if(TARGET envpool::${name})
      set(envpool_${name}_FOUND TRUE PARENT_SCOPE)
    elseif(IS_DIRECTORY "${root}/include/envpool/${name}")
      add_library(envpool::${name} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(envpool::${name} INTERFACE envpool::sdk)
      set(envpool_${name}_FOUND TRUE PARENT_SCOPE)
    elseif(IS_DIRECTORY "${root}/src/${name}")
      set(obstacle "")
      if(EXISTS "${root}/src/${name}/component.cmake")
        include("${root}/src/${name}/component.cmake")
      else()
        envpool_add_sources(${name} "${root}/src")
      endif()
      if(NOT obstacle)
        set(envpool_${name}_FOUND TRUE PARENT_SCOPE)
      elseif(envpool_FIND_REQUIRED_${name})
        set(${problem} "${obstacle}" PARENT_SCOPE)
        return()
      endif()
    elseif(envpool_FIND_REQUIRED_${name})
      file(GLOB known LIST_DIRECTORIES TRUE "${root}/include/envpool/*" "${root}/src/*")
      list(FILTER known EXCLUDE REGEX "\\.h$")
      list(TRANSFORM known REPLACE ".*/" "")
      list(JOIN known ", " known)
      set(${problem} "this envpool has no component ${name}, but these: ${known}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# envpool::NAME of the sources in folder/NAME: a static library that is built with the family which
# uses it, by the same compiler and with its settings.
function(envpool_add_sources name folder)
  file(GLOB_RECURSE sources "${folder}/${name}/*.cpp")
  add_library(envpool_${name} STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(envpool::${name} ALIAS envpool_${name})
  target_include_directories(envpool_${name} SYSTEM PUBLIC "${folder}")
  target_link_libraries(envpool_${name} PUBLIC envpool::sdk)
  set_target_properties(envpool_${name} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
