# Sets the variable `folder` to where an engine's sources are: those of a source distribution with
# the patches in patches/`name` applied. Other patches are another folder.
function(envpool_fetch_engine folder name package version sha256)
  file(GLOB patches CONFIGURE_DEPENDS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/patches/${name}/*.patch")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patches})
  set(key "")
  foreach(patch IN LISTS patches)
    file(SHA256 "${patch}" hash)
    string(APPEND key ${hash})
  endforeach()
  string(SHA256 key "${key}")
  string(SUBSTRING "${key}" 0 8 key)
  set(sources "${CMAKE_BINARY_DIR}/third_party/${name}-${version}-${key}")
  if(NOT EXISTS "${sources}")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch.py"
              sdist ${package}==${version} "${sources}" ${sha256} ${patches}
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${folder} "${sources}" PARENT_SCOPE)
endfunction()
