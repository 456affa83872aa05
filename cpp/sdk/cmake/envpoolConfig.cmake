# The SDK, with which libraries of environments are built. In a package of environments:
#
#   find_package(envpool CONFIG REQUIRED)
#   envpool_add_family(walk DESTINATION walkenv)
#
# gives the target envpool::sdk and the function envpool_add_family. Components are what one of the
# families here has for others, and LIBRARIES names: COMPONENTS toy_text gives envpool::toy_text, with
# the headers envpool/toy_text/*.h; COMPONENTS minigrid gives envpool::minigrid, which compiles what
# levels are made of, minigrid/*.h. COMPONENTS mujoco gives envpool_add_mujoco_family, which adds one
# on mujoco/*.h, for the MuJoCo that is installed. This project's own families are built with this
# very file.
cmake_minimum_required(VERSION 3.20)

include("${CMAKE_CURRENT_LIST_DIR}/envpool_add_family.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/envpool_sdk.cmake")

envpool_find_sdk(envpool_NOT_FOUND_MESSAGE)
if(NOT envpool_NOT_FOUND_MESSAGE)
  envpool_find_components("${envpool_FIND_COMPONENTS}" envpool_NOT_FOUND_MESSAGE)
endif()
if(envpool_NOT_FOUND_MESSAGE)
  set(envpool_FOUND FALSE)
  return()
endif()

# Environments are there to be fast, and CMake's default is to optimise nothing.
get_property(envpool_has_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT envpool_has_configurations)
  message(STATUS "envpool: CMAKE_BUILD_TYPE is not set, so it is Release")
  set(CMAKE_BUILD_TYPE Release)
endif()
