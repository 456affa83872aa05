# ale: the Arcade Learning Environment's emulator, built from the source distribution of `ale-py`.
#
# ALE is licensed under the GPL, version 2 only. What links this library is therefore, as a binary,
# under the GPL too; only the Atari family does.
set(ALE_VERSION 0.12.1)
set(ALE_SHA256 c503d574c5983e1063b451201ccb779d935919c0f6bf116fb0f4f8aa4c86d249)
# Other edits of it, below, are another directory.
file(SHA256 "${CMAKE_CURRENT_LIST_FILE}" ale_recipe)
string(SUBSTRING "${ale_recipe}" 0 8 ale_recipe)
set(ale_dir "${CMAKE_BINARY_DIR}/third_party/ale_py-${ALE_VERSION}-${ale_recipe}")

# Replaces all places of a piece of one of ALE's files, of which there must be at least one.
# With REGEX, the piece is a regular expression.
function(ale_edit file old new)
  set(path "${ale_dir}.new/src/ale/${file}")
  file(READ "${path}" text)
  string(${ARGN} REPLACE "${old}" "${new}" edited "${text}")
  if(edited STREQUAL text)
    message(FATAL_ERROR "${file} of ALE ${ALE_VERSION} does not contain: ${old}")
  endif()
  file(WRITE "${path}" "${edited}")
endfunction()

if(NOT EXISTS "${ale_dir}")
  file(REMOVE_RECURSE "${ale_dir}.new")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/fetch_sdist.py"
            ale-py==${ALE_VERSION} ${ALE_SHA256} "${ale_dir}.new"
    COMMAND_ERROR_IS_FATAL ANY)

  # ALE's snapshots leave out a part of the picture chip: games that take longer than a frame for
  # what they do go on otherwise after one was restored. These lines complete them.
  ale_edit(emucore/TIA.hxx "#include" "#include \"tia_masks.h\"\n#include")
  ale_edit(emucore/TIA.cxx "    out.putInt(myLastHMOVEClock);"
           "    out.putInt(myLastHMOVEClock);\n#include \"tia_save.inc\"")
  ale_edit(emucore/TIA.cxx "    myLastHMOVEClock = (int) in.getInt();"
           "    myLastHMOVEClock = (int) in.getInt();\n#include \"tia_load.inc\"")

  # They leave out, too, the action that a later frame may repeat. We restore it, perhaps
  # before any was taken, and so before its strength was set.
  ale_edit(environment/stella_environment.hpp
           "stella::Random& getEnvironmentRNG() { return m_random; }"
           "stella::Random& getEnvironmentRNG() { return m_random; }
  Action& getRepeatedAction() { return m_player_a_action; }")
  ale_edit(environment/stella_environment.hpp
           "float m_paddle_a_strength, m_paddle_b_strength;"
           "float m_paddle_a_strength = 1.0F, m_paddle_b_strength = 1.0F;")
  # One game writes numbers as truth values and reads numbers.
  foreach(name IN ITEMS l h)
    ale_edit(games/supported/MiniatureGolf.cpp "ser.putBool(m_${name}" "ser.putInt(m_${name}")
  endforeach()
  # One cartridge rounds a fraction, and another rounding of what was read may give another number.
  foreach(name IN ITEMS Serializer Deserializer)
    ale_edit(emucore/${name}.hxx "#include <sstream>" "#include <bit>\n#include <sstream>")
  endforeach()
  ale_edit(emucore/Serializer.hxx "    void putBool(bool b);"
           "    void putBool(bool b);\n\n#include \"exact_fraction.inc\"")
  ale_edit(emucore/CartDPC.cxx "out.putInt((uint32_t)(myFractionalClocks * 100000000.0))"
           "out.putFraction(myFractionalClocks)")
  ale_edit(emucore/CartDPC.cxx "(double)in.getInt() / 100000000.0" "in.getFraction()")
  # It trusts them, too, and we must not: see checked_numbers.inc.
  ale_edit(emucore/Deserializer.hxx "    bool getBool(void);"
           "    bool getBool(void);\n\n#include \"checked_numbers.inc\"")
  ale_edit(emucore/Deserializer.cxx "  str.resize(" "  checkLength(len);\n  str.resize(")
  ale_edit(emucore/Deserializer.cxx "  for(int i = 0;"
           "  if(!myStream)\n    throw \"Deserializer: end of file\";\n  for(int i = 0;")
  set(length "= \\(uint32_t\\) in\\.getInt\\(\\)")
  set(loop ";([ \n]+for\\([^)]*\\)[ \n]+)(my[A-Za-z]+)\\[")
  foreach(device IN ITEMS M6532 Cart3E CartCV CartDPC CartE0 CartE7 CartF4SC CartF6SC CartF8SC CartFASC)
    ale_edit(emucore/${device}.cxx "${length}${loop}" "= in.getLength(\\2);\\1\\2[" REGEX)
  endforeach()
  foreach(type IN ITEMS F4 F4SC F6 F6SC F8 F8SC FASC MB UA)
    ale_edit(emucore/Cart${type}.cxx "myCurrentBank = \\(uint16_t\\) ?in\\.getInt\\(\\)"
             "myCurrentBank = in.getIndex(sizeof(myImage) / 4096)" REGEX)
  endforeach()
  ale_edit(emucore/CartDPC.cxx "myCurrentBank = (uint16_t) in.getInt()"
           "myCurrentBank = in.getIndex(sizeof(myProgramImage) / 4096)")
  ale_edit(emucore/CartDPC.cxx "myCounters[i] = (uint16_t) in.getInt()"
           "myCounters[i] = in.getIndex(sizeof(myDisplayImage))")
  foreach(type IN ITEMS E0 E7)
    ale_edit(emucore/Cart${type}.cxx "myCurrentSlice[i] = (uint16_t) in.getInt()"
             "myCurrentSlice[i] = in.getIndex(8)")
  endforeach()
  ale_edit(emucore/CartE7.cxx "myCurrentRAM = (uint16_t) in.getInt()"
           "myCurrentRAM = in.getIndex(4)")
  ale_edit(emucore/M6532.cxx "myIntervalShift = (uint32_t) in.getInt()"
           "myIntervalShift = in.getIndex(32)")
  ale_edit(emucore/TIA.cxx "= (int16_t) in.getInt()" "= in.getIndex(160)")
  ale_edit(emucore/TIA.cxx "= (int8_t) in.getInt()" "= in.getIndex(16)")

  # What the processor does most is to read memory. 3 to 6 % faster:
  foreach(access IN ITEMS "uint8_t peek(" "void poke(")
    ale_edit(emucore/System.hxx "inline ${access}" "[[gnu::always_inline]] inline ${access}")
  endforeach()
  foreach(access IN ITEMS "uint8_t M6502Low::peek(" "void M6502Low::poke(")
    ale_edit(emucore/M6502Low.cxx "inline ${access}" "[[gnu::always_inline]] inline ${access}")
  endforeach()
  ale_edit(emucore/System.hxx "PageAccess* myPageAccessTable;"
           "PageAccess myPageAccessTable[myNumberOfPages];")
  ale_edit(emucore/System.cxx "myPageAccessTable = new PageAccess[myNumberOfPages];" "")
  ale_edit(emucore/System.cxx "delete[] myPageAccessTable;" "")
  # Each frame, ALE copies the picture and clears the sound. We take the picture where it is made.
  ale_edit(environment/stella_environment.cpp "  processScreen();\n" "")
  ale_edit(environment/stella_environment.cpp "    processAudio(i);\n" "")

  file(RENAME "${ale_dir}.new" "${ale_dir}")
endif()

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
