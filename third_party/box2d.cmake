# box2d_engine: the physics of Gymnasium's Box2D environments, built from the source distribution of
# pybox2d 2.3.2, whose C++ is that of the wheel 2.3.10 which Gymnasium uses.
set(BOX2D_VERSION 2.3.2)
set(BOX2D_SHA256 d1557dffdf9c1d6c796ec5df53e3d93227bb026c14b8411d22c295edaa2fb225)
# Other edits of it, below, are another directory.
file(SHA256 "${CMAKE_CURRENT_LIST_FILE}" box2d_recipe)
string(SUBSTRING "${box2d_recipe}" 0 8 box2d_recipe)
set(box2d_dir "${CMAKE_BINARY_DIR}/third_party/box2d-${BOX2D_VERSION}-${box2d_recipe}")

# Replaces all places of a piece of one of Box2D's files, of which there must be at least one.
function(box2d_edit file old new)
  set(path "${box2d_dir}.new/Box2D/${file}")
  file(READ "${path}" text)
  string(REPLACE "${old}" "${new}" edited "${text}")
  if(edited STREQUAL text)
    message(FATAL_ERROR "${file} of Box2D ${BOX2D_VERSION} does not contain: ${old}")
  endif()
  file(WRITE "${path}" "${edited}")
endfunction()

if(NOT EXISTS "${box2d_dir}")
  file(REMOVE_RECURSE "${box2d_dir}.new")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${CMAKE_CURRENT_LIST_DIR}/fetch_sdist.py"
            Box2D==${BOX2D_VERSION} ${BOX2D_SHA256} "${box2d_dir}.new"
    COMMAND_ERROR_IS_FATAL ANY)
  # Its assertions raise Python's exceptions, and include Python.h for that.
  box2d_edit(Common/b2Settings.h "#define USE_EXCEPTIONS" "")
  # It uses what malloc returns without a look. When memory is short, an exception must leave it: not
  # with a world that is whole, but with one that can be destroyed. A constructor that throws leaves
  # its entries on the stack of memory, which then are not freed in the reverse order.
  box2d_edit(Common/b2Settings.cpp "#include <cstdlib>" "#include <cstdlib>\n#include <new>")
  box2d_edit(Common/b2Settings.cpp "return malloc(size);"
             "void* mem = malloc(size);\n\tif (mem == NULL) throw std::bad_alloc();\n\treturn mem;")
  box2d_edit(Common/b2StackAllocator.cpp "b2Free(p);" "b2Free(entry->data);")
  box2d_edit(Common/b2StackAllocator.cpp "b2Assert(m_index == 0);"
             "while (m_entryCount > 0) Free(NULL);")
  # In which order a world's tree hands out its nodes is part of a snapshot.
  box2d_edit(Collision/b2DynamicTree.h "private:" "public:")
  box2d_edit(Collision/b2BroadPhase.h "private:" "public:")
  # It counts calls and takes times in variables that all threads would share.
  box2d_edit(Common/b2Timer.h "defined(__linux__)" "0")
  box2d_edit(Common/b2Timer.h "defined (__APPLE__)" "0")
  box2d_edit(Common/b2Timer.cpp "defined(__linux__)" "0")
  box2d_edit(Common/b2Timer.cpp "defined (__APPLE__)" "0")
  box2d_edit(Collision/b2Distance.cpp "++b2_gjkCalls;" "")
  box2d_edit(Collision/b2Distance.cpp "++b2_gjkIters;" "")
  box2d_edit(Collision/b2Distance.cpp "b2_gjkMaxIters = b2Max(b2_gjkMaxIters, iter);" "")
  foreach(counter IN ITEMS "++b2_toiCalls;" "++b2_toiRootIters;" "++b2_toiIters;"
          "b2_toiMaxRootIters = b2Max(b2_toiMaxRootIters, rootIterCount);"
          "b2_toiMaxIters = b2Max(b2_toiMaxIters, iter);"
          "b2_toiMaxTime = b2Max(b2_toiMaxTime, time);" "b2_toiTime += time;")
    box2d_edit(Collision/b2TimeOfImpact.cpp "${counter}" "")
  endforeach()
  file(RENAME "${box2d_dir}.new" "${box2d_dir}")
endif()

file(GLOB_RECURSE box2d_sources "${box2d_dir}/Box2D/*.cpp")
# The family of environments is the target box2d.
add_library(box2d_engine STATIC ${box2d_sources})
target_include_directories(box2d_engine SYSTEM PUBLIC "${box2d_dir}")
target_compile_options(box2d_engine PRIVATE -w -ffp-contract=off)
# Its assertions would end the process; as in the package, they are left out.
target_compile_definitions(box2d_engine PUBLIC NDEBUG)
if(ENVPOOL_SANITIZER)
  target_compile_options(box2d_engine PRIVATE -fno-sanitize=undefined)
else()
  # Nobody asks for errno, and without it a square root is one instruction.
  target_compile_options(box2d_engine PRIVATE -O3 -fno-math-errno)
endif()
