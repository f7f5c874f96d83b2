# What is shown before a launch, against what is watched.
add_executable(test_proofs test_proofs.c)
target_link_libraries(test_proofs PRIVATE warpgrind_shared PkgConfig::JANSSON)
wg_compile_options(test_proofs)
foreach(sm 80 90)
  add_test(NAME checks_proofs_sm_${sm} COMMAND test_proofs ${CMAKE_CURRENT_SOURCE_DIR}/proofs.sm_${sm}.cubin)
  set_tests_properties(checks_proofs_sm_${sm} PROPERTIES LABELS "sanitize")
endforeach()
