# football_engine: the game of Google Research Football, built from the source distribution of
# gfootball 2.10.2 without Python, and without what draws it.
include("${CMAKE_CURRENT_LIST_DIR}/engine.cmake")
envpool_fetch_engine(football_dir football gfootball 2.10.2
                     1b0fdcfa78b7fadc3730585ee7f0f412ba825c27e422b2b85ea0cf7ba57800b6)
find_path(ENVPOOL_BOOST boost/signals2.hpp DOC "Where Boost's headers are")
if(NOT ENVPOOL_BOOST)
  message(FATAL_ERROR "ENVPOOL_FOOTBALL is ON, and its engine needs Boost's headers, which are not \
here: install them (Debian's libboost-dev), name their folder in ENVPOOL_BOOST, or set \
ENVPOOL_FOOTBALL=OFF")
endif()

set(engine "${football_dir}/third_party/gfootball_engine")
set(parts "${CMAKE_CURRENT_LIST_DIR}/football")
file(GLOB_RECURSE football_sources "${engine}/src/*.cpp")
list(FILTER football_sources EXCLUDE REGEX
     "/(opengl_renderer3d|proceduralpitch|perlin|backtrace|empty)\\.cpp$")

# Each header of SDL that the sources ask for is the one that we have.
set(headers "${CMAKE_BINARY_DIR}/third_party/football-headers")
foreach(name SDL SDL2_rotozoom SDL_endian SDL_keyboard SDL_keycode SDL_surface SDL_ttf)
  file(CONFIGURE OUTPUT "${headers}/SDL2/${name}.h" CONTENT "#include \"no_pictures.h\"\n")
endforeach()

# The family of environments is the target football.
add_library(football_engine STATIC ${football_sources} "${parts}/no_stacktrace.cpp")
target_include_directories(football_engine SYSTEM PUBLIC
  "${parts}" "${headers}" "${engine}/src" "${engine}/src/cmake" "${ENVPOOL_BOOST}")
target_compile_definitions(football_engine PUBLIC BOOST_BIND_GLOBAL_PLACEHOLDERS)
# With vectors, g++ 12 leaves out the rounding of a double to float if it becomes a double again.
target_compile_options(football_engine PRIVATE -w -ffp-contract=off PUBLIC -fno-tree-vectorize)
target_link_options(football_engine INTERFACE -w)  # of what is compiled when it is linked
set_target_properties(football_engine PROPERTIES CXX_STANDARD 17 FOOTBALL_DATA "${engine}/data")
if(ENVPOOL_SANITIZER)
  target_compile_options(football_engine PRIVATE -fno-sanitize=undefined)
endif()
