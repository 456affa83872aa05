# box2d_engine: the physics of Gymnasium's Box2D environments, built from the source distribution of
# pybox2d 2.3.2, whose C++ is that of the wheel 2.3.10 which Gymnasium uses.
include("${CMAKE_CURRENT_LIST_DIR}/engine.cmake")
envpool_fetch_engine(box2d_dir box2d Box2D 2.3.2
                     d1557dffdf9c1d6c796ec5df53e3d93227bb026c14b8411d22c295edaa2fb225)

file(GLOB_RECURSE box2d_sources "${box2d_dir}/Box2D/*.cpp")
# The family of environments is the target box2d.
add_library(box2d_engine STATIC ${box2d_sources})
target_include_directories(box2d_engine SYSTEM PUBLIC "${box2d_dir}")
target_compile_options(box2d_engine PRIVATE -w -ffp-contract=off)
set_target_properties(box2d_engine PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
# Its assertions would end the process; as in the package, they are left out.
target_compile_definitions(box2d_engine PUBLIC NDEBUG)
if(ENVPOOL_SANITIZER)
  target_compile_options(box2d_engine PRIVATE -fno-sanitize=undefined)
else()
  # Nobody asks for errno, and without it a square root is one instruction.
  target_compile_options(box2d_engine PRIVATE -O3 -fno-math-errno)
endif()
