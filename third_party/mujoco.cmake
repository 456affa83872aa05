# mujoco::<version>: MuJoCo's headers and library, from its wheels, of each version that there are
# libraries for. They are exact, because each version has its own SONAME and struct layouts.
# From the oldest; the ends of the range are in pyproject.toml.
set(versions 3.17.0 4.0.0)
set(ENVPOOL_MUJOCO_VERSIONS "" CACHE STRING "MuJoCo's versions to build for; all if empty")
if(ENVPOOL_MUJOCO_VERSIONS)
  set(versions ${ENVPOOL_MUJOCO_VERSIONS})
endif()
set_property(GLOBAL PROPERTY ENVPOOL_MUJOCO ${versions})  # for folders that do not include this

foreach(version IN LISTS versions)
  set(package mujoco)
  if(version VERSION_GREATER_EQUAL 4)
    set(package mujoco-core)  # since then, "mujoco" only names its parts
  endif()
  set(folder "${CMAKE_BINARY_DIR}/third_party/mujoco-${version}")
  if(NOT EXISTS "${folder}")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/fetch.py"
              wheel ${package}==${version} "${folder}" mujoco/include/ mujoco/libmujoco.
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  # Global: the target is used in other folders than the one that includes this.
  add_library(mujoco::${version} SHARED IMPORTED GLOBAL)
  set_target_properties(mujoco::${version} PROPERTIES
    IMPORTED_LOCATION "${folder}/mujoco/libmujoco.so.${version}"
    IMPORTED_SONAME "libmujoco.so.${version}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}/mujoco/include")
endforeach()
