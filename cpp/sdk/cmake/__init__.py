"""The SDK's CMake files: scikit-build-core finds them through the entry point ``cmake.root``."""
