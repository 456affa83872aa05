# The SDK's component mujoco: envpool::mujoco, the sources of this folder, compiled for the MuJoCo that
# the Python has which builds; and envpool_add_mujoco_family. `obstacle` becomes a sentence if that is
# not possible.
include("${CMAKE_CURRENT_LIST_DIR}/mujoco.cmake")

envpool_find_python_package(mujoco folder obstacle)
list(JOIN envpool_mujoco_versions " or " known)
set(found "")
file(GLOB libraries "${folder}/libmujoco.*")
if(libraries MATCHES "libmujoco[.](so[.])?([0-9.]*[0-9])([.]dylib)?$")
  set(found "${CMAKE_MATCH_2}")
endif()
if(NOT obstacle AND NOT found IN_LIST envpool_mujoco_versions)
  set(obstacle "${Python_EXECUTABLE} needs MuJoCo ${known}, and has '${found}': pip install \
'envpool-next[mujoco]' for it, and add that to the `requires` of [build-system] in pyproject.toml")
endif()
if(NOT obstacle)
  envpool_add_mujoco(${found} "${folder}")
  set(engine envpool_mujoco-${found})
  add_library(envpool::mujoco ALIAS ${engine})
  target_include_directories(${engine} SYSTEM INTERFACE "${CMAKE_CURRENT_LIST_DIR}/..")
  # Compiled together, the sources take a third of the time.
  set_target_properties(${engine} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endif()
