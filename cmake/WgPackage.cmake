# What find_package(warpgrind) finds: the library as warpgrind::warpgrind, the command as warpgrind::command, and
# warpgrind_add_test.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpgrind)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpgrindConfig.cmake.in ${PROJECT_BINARY_DIR}/warpgrindConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpgrindConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT warpgrindTargets NAMESPACE warpgrind:: DESTINATION ${package_dir})
install(FILES ${PROJECT_BINARY_DIR}/warpgrindConfig.cmake ${PROJECT_BINARY_DIR}/warpgrindConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/WarpgrindAddTest.cmake
        DESTINATION ${package_dir})
