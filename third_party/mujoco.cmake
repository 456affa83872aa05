# mujoco::mujoco: MuJoCo's headers and library, from the wheel `mujoco` of the build environment. It
# is found like a module but not imported, because that would need a complete installation.
# Exact, because each version has its own SONAME and struct layouts; pyproject.toml has the number.
set(project_file "${PROJECT_SOURCE_DIR}/pyproject.toml")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${project_file}")
file(STRINGS "${project_file}" requirement REGEX "^mujoco = ")
string(REGEX MATCH "[0-9]+[.][0-9.]*[0-9]" MUJOCO_VERSION "${requirement}")
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c
          "import importlib.util as u; s = u.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '', end='')"
  OUTPUT_VARIABLE mujoco_dir COMMAND_ERROR_IS_FATAL ANY)
set(mujoco_library "${mujoco_dir}/libmujoco.so.${MUJOCO_VERSION}")
if(NOT EXISTS "${mujoco_library}")
  message(FATAL_ERROR "MuJoCo ${MUJOCO_VERSION} is not installed for ${Python_EXECUTABLE}: "
                      "pip install mujoco==${MUJOCO_VERSION}")
endif()

# Global: the target is used in other folders than the one that includes this.
add_library(mujoco SHARED IMPORTED GLOBAL)
set_target_properties(mujoco PROPERTIES
  IMPORTED_LOCATION "${mujoco_library}"
  IMPORTED_SONAME "libmujoco.so.${MUJOCO_VERSION}"
  INTERFACE_INCLUDE_DIRECTORIES "${mujoco_dir}/include")
add_library(mujoco::mujoco ALIAS mujoco)
