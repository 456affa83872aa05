# How libraries on MuJoCo are built, here and in other packages: once for each version of MuJoCo, from
# the same sources. Names of what is built end with the version.

# The versions that the sources were tried with, from the oldest. They are exact, because each has its
# own SONAME and struct layouts; the ends of the range are in pyproject.toml.
set(envpool_mujoco_versions 3.17.0 4.0.0)

# Adds the target mujoco::<version>, the headers and the library in `folder`, that of the package
# mujoco; and, in the current folder, what is built with these: the engine envpool_mujoco-<version> and
# the compiler of models, compile_model-<version>.
function(envpool_add_mujoco version folder)
  set(library libmujoco.so.${version})
  set(system linux)
  if(APPLE)
    set(library libmujoco.${version}.dylib)
    set(system macos)
  endif()
  # Global: the target is used in other folders than the one that adds it.
  add_library(mujoco::${version} SHARED IMPORTED GLOBAL)
  set_target_properties(mujoco::${version} PROPERTIES
    IMPORTED_LOCATION "${folder}/${library}"
    IMPORTED_SONAME "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}/include")

  set(here "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  set(engine envpool_mujoco-${version})
  file(GLOB sources CONFIGURE_DEPENDS "${here}/*.cpp" "${here}/pictures/*.cpp"
                                      "${here}/variations/*.cpp"
                                      "${here}/platform/${system}.cpp")
  add_library(${engine} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${engine} PUBLIC "${here}/..")
  target_link_libraries(${engine} PUBLIC envpool::sdk mujoco::${version} ${CMAKE_DL_LIBS})

  # The compiler of models is a program: found beside the library that needs it, and started with the
  # path of MuJoCo's own. Each family of this engine installs it beside its library.
  set(compiler compile_model-${version})
  add_executable(${compiler} EXCLUDE_FROM_ALL "${here}/compiler/compile_model.cpp"
                                              "${here}/platform/${system}.cpp")
  target_include_directories(${compiler} PRIVATE "${here}/..")
  target_link_libraries(${compiler} PRIVATE mujoco::${version})
  target_compile_features(${compiler} PRIVATE cxx_std_20)
  target_compile_options(${compiler} PRIVATE -Os)  # there are several copies, and MuJoCo does the work
  # The sanitizers' shadow memory would be beyond the limits that it has.
  target_compile_options(${compiler} PRIVATE -fno-sanitize=all)
  target_link_options(${compiler} PRIVATE -fno-sanitize=all)

  set_target_properties(${engine} ${compiler} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY ENVPOOL_MUJOCO ${version})
endfunction()

# Adds a family of this engine, a library for each version of MuJoCo: see envpool_add_family.
#
#   envpool_add_mujoco_family(<name> DESTINATION <folder> [VERSIONS <pattern>]
#                             [SOURCES <file>...] [LIBRARIES <library>...])
#
# VERSIONS are those of MuJoCo with which upstream runs; all if left out. SOURCES are all *.cpp of the
# current folder and the folders in it if left out.
function(envpool_add_mujoco_family name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION;VERSIONS" "SOURCES;LIBRARIES")
  get_property(versions GLOBAL PROPERTY ENVPOOL_MUJOCO)
  if(arg_VERSIONS)
    list(FILTER versions INCLUDE REGEX "^(${arg_VERSIONS})$")
  endif()
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS *.cpp */*.cpp)
  endif()
  add_custom_target(${name})  # for all versions
  string(REGEX REPLACE "[^/]+" ".." up "${arg_DESTINATION}")
  foreach(version IN LISTS versions)
    string(REPLACE . _ suffix ${version})  # the library's name is that of a module
    set(family ${name}_${suffix})
    set(compiler compile_model-${version})
    envpool_add_family(${family} SOURCES ${arg_SOURCES} DESTINATION "${arg_DESTINATION}"
                       LIBRARIES envpool_mujoco-${version} ${arg_LIBRARIES} ${arg_UNPARSED_ARGUMENTS})
    # MuJoCo's library is found beside the package; where that fails, the package has loaded it
    # already (Python does so). On macOS only that works: MuJoCo's library names itself as a part of
    # a framework, which its wheel does not have, and the dynamic linker looks for that name among the
    # loaded libraries first.
    set_target_properties(${family} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
    if(NOT APPLE)
      set_target_properties(${family} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/mujoco")
    endif()
    # They are no faster by -O3, as MuJoCo does the work.
    target_compile_options(${family} PRIVATE $<$<CONFIG:Release>:-O2>)
    add_dependencies(${family} ${compiler})
    add_dependencies(${name} ${family})
    install(TARGETS ${compiler} RUNTIME DESTINATION "${arg_DESTINATION}")
    # In the build folder, too.
    add_custom_command(TARGET ${family} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E copy_if_different
                       "$<TARGET_FILE:${compiler}>" "$<TARGET_FILE_DIR:${family}>")
  endforeach()
endfunction()
