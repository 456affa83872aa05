# MuJoCo's headers and library, from its wheels, of each version that there are libraries for.
set(ENVPOOL_MUJOCO_VERSIONS "" CACHE STRING "MuJoCo's versions to build for; all if empty")
set(versions ${envpool_mujoco_versions})
if(ENVPOOL_MUJOCO_VERSIONS)
  set(versions ${ENVPOOL_MUJOCO_VERSIONS})
endif()

# Sets the variable `folder` to that of the package mujoco of this version.
function(envpool_fetch_mujoco version folder)
  set(package mujoco)
  if(version VERSION_GREATER_EQUAL 4)
    set(package mujoco-core)  # since then, "mujoco" only names its parts
  endif()
  set(unpacked "${CMAKE_BINARY_DIR}/third_party/mujoco-${version}")
  if(NOT EXISTS "${unpacked}")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch.py"
              wheel ${package}==${version} "${unpacked}" mujoco/include/ mujoco/libmujoco.
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${folder} "${unpacked}/mujoco" PARENT_SCOPE)
endfunction()
