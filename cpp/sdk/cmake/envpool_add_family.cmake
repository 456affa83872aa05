# Adds a family of environments: a library that envpool loads at run time, and Python finds in the
# package DESTINATION as the module _<name>.
#
#   envpool_add_family(<name> DESTINATION <folder> [SOURCES <file>...] [LIBRARIES <library>...])
#
# SOURCES are all *.cpp of the current folder if left out. DESTINATION is where the library is
# installed, a folder in the wheel. The library has no Python in it, so one serves all versions.
function(envpool_add_family name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION" "SOURCES;LIBRARIES")
  set(call "envpool_add_family(${name} ...)")
  if(NOT name MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${call}: the name becomes that of a Python module, so it must be letters, \
digits and _, and begin with a letter")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call} does not know '${arg_UNPARSED_ARGUMENTS}', but DESTINATION, \
SOURCES and LIBRARIES")
  endif()
  if(NOT arg_DESTINATION OR IS_ABSOLUTE "${arg_DESTINATION}")
    message(FATAL_ERROR "${call}: DESTINATION is '${arg_DESTINATION}', expected the folder in the \
wheel that gets the library, as in DESTINATION walkenv")
  endif()
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${call}: there is no .cpp in ${CMAKE_CURRENT_SOURCE_DIR}; name the files \
after SOURCES")
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE envpool::sdk ${arg_LIBRARIES})
  # Nothing but the door is to be seen from outside: nothing of a library that is linked in, nor what
  # the compiler makes of the standard library's templates, which are visible by their own attribute.
  if(APPLE)
    target_link_options(${name} PRIVATE -Wl,-exported_symbol,_envpool_abi
                                        -Wl,-exported_symbol,_envpool_family)
  else()
    set(exports "${CMAKE_CURRENT_BINARY_DIR}/${name}.exports")
    file(CONFIGURE OUTPUT "${exports}" CONTENT "{ global: envpool_abi; envpool_family; local: *; };\n")
    target_link_options(${name} PRIVATE "-Wl,--version-script=${exports}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${exports}")
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "_${name}"
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  install(TARGETS ${name} LIBRARY DESTINATION "${arg_DESTINATION}")
endfunction()
