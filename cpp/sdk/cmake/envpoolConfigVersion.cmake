# The version in find_package(envpool 10) is the SDK's (kSdkVersion in abi.h): libraries that were
# built for that one can be loaded, and no others. So it fits if it is the same, not if it is newer.
# Of the Python package, whose version 0.1.0 says nothing about that, pip sees to the version.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../include/envpool/abi.h" PACKAGE_VERSION
     REGEX "kSdkVersion = [0-9]+")
string(REGEX REPLACE ".*kSdkVersion = ([0-9]+).*" "\\1" PACKAGE_VERSION "${PACKAGE_VERSION}")

if(PACKAGE_FIND_VERSION_RANGE)
  if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION_MIN
     AND (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX
          OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL "INCLUDE"
              AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
elseif(NOT PACKAGE_FIND_VERSION OR PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
