# ale: the Arcade Learning Environment's emulator, built from the source distribution of `ale-py`.
#
# ALE is licensed under the GPL, version 2 only. What links this library is therefore, as a binary,
# under the GPL too; only the Atari family does.
include("${CMAKE_CURRENT_LIST_DIR}/engine.cmake")
envpool_fetch_engine(ale_dir ale ale-py 0.12.1
                     c503d574c5983e1063b451201ccb779d935919c0f6bf116fb0f4f8aa4c86d249)

# Neither sound and windows (SDL), nor the class that ends the process when a ROM is missing.
file(GLOB_RECURSE ale_sources "${ale_dir}/src/ale/common/*.c*" "${ale_dir}/src/ale/emucore/*.cxx"
     "${ale_dir}/src/ale/environment/*.cpp" "${ale_dir}/src/ale/games/*.cpp")
list(FILTER ale_sources EXCLUDE REGEX
     "SDL|DynamicLoad|ScreenExporter|phosphor_blend|CMakeLists")

add_library(ale STATIC ${ale_sources} "${CMAKE_CURRENT_LIST_DIR}/ale/unused_parts.cpp")
target_include_directories(ale SYSTEM PUBLIC "${CMAKE_CURRENT_LIST_DIR}/ale" "${ale_dir}/src")
# The emulator is most of a step's time. Its warnings are not ours to mend, nor is what it leaves
# undefined; and it would take minutes to compile with those checks.
if(ENVPOOL_SANITIZER)
  target_compile_options(ale PRIVATE -w -fno-sanitize=undefined)
else()
  target_compile_options(ale PRIVATE -w -O3)
endif()
# As in the package: one of its assertions fails for half of all seeds.
target_compile_definitions(ale PRIVATE NDEBUG)
target_link_libraries(ale PUBLIC Threads::Threads)
# The hundred games are small files with the same large headers. The emulator's headers cannot be
# joined: the guard of one ends before its namespace does.
set_target_properties(ale PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
file(GLOB ale_emulator_sources "${ale_dir}/src/ale/emucore/*.cxx")
set_source_files_properties(${ale_emulator_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
