# Elements that a grid leaves out, and what is wrong on the host's side: in calls, between streams, in memory shared with the device.
add_executable(test_coverage test_coverage.c)
target_link_libraries(test_coverage PRIVATE warpgrind_shared PkgConfig::JANSSON)
wg_compile_options(test_coverage)
foreach(sm 80 90)
  add_test(NAME checks_coverage_sm_${sm} COMMAND test_coverage ${CMAKE_CURRENT_SOURCE_DIR}/coverage.cu
           ${CMAKE_CURRENT_SOURCE_DIR}/coverage.sm_${sm}.cubin)
  set_tests_properties(checks_coverage_sm_${sm} PROPERTIES LABELS "sanitize")
endforeach()

# A program without nvcc, as those of the runtime's tests.
set(cudart_tests ${PROJECT_SOURCE_DIR}/tests/cudart)
if(NOT WG_SANITIZE)
  set_property(SOURCE ${cudart_tests}/program.c PROPERTY OBJECT_DEPENDS ${cudart_tests}/kernels_sm80.cubin)
  foreach(name host streams shared nvtx)
    add_executable(checks_${name} ${name}.c ${cudart_tests}/program.c)
    target_compile_definitions(checks_${name} PRIVATE KERNELS="${cudart_tests}/kernels_sm80.cubin")
    target_include_directories(checks_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(checks_${name} PRIVATE cudart Threads::Threads)
    wg_compile_options(checks_${name})
    add_test(NAME checks_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_host $<TARGET_FILE:checks_${name}>)
    set_tests_properties(checks_${name} PROPERTIES LABELS "sanitize" TIMEOUT 120)
    add_test(NAME checks_${name}_same_report COMMAND ${PROJECT_SOURCE_DIR}/tests/same_report $<TARGET_FILE:warpgrind> --cases -- $<TARGET_FILE:checks_${name}>)
    set_tests_properties(checks_${name}_same_report PROPERTIES TIMEOUT 300)
  endforeach()
  add_test(NAME checks_options COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_options $<TARGET_FILE:warpgrind> $<TARGET_FILE:checks_streams>
           $<TARGET_FILE:checks_host> $<TARGET_FILE:checks_nvtx> ${CMAKE_CURRENT_BINARY_DIR}/options)
  set_tests_properties(checks_options PROPERTIES LABELS "sanitize" TIMEOUT 120)
endif()
