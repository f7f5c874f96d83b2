# wg_stage(NAME SOURCES... DEPENDS targets...): one folder of src/ as a static library wg_NAME.
# Its headers are included as "NAME/file.h" from anywhere above it.
function(wg_compile_options target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -fno-math-errno -fno-trapping-math)
  if(WG_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE WG_VERSION="${PROJECT_VERSION}")
  if(WG_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WG_SANITIZE} -fno-omit-frame-pointer -g)
    target_link_options(${target} PRIVATE -fsanitize=${WG_SANITIZE})
  endif()
  if(WG_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -g)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link,address,undefined)
  endif()
endfunction()

# wg_fuzz(NAME DEPENDS targets...): tests/fuzz/fuzz_NAME.c as a libFuzzer program (WG_FUZZ), and in every build as a
# test that replays the seeds and all that ever crashed it. tests/fuzz/make-seeds NAME FOLDER makes the seeds.
function(wg_fuzz name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  if(WG_FUZZ)
    add_executable(fuzz_${name} fuzz_${name}.c)
    target_link_libraries(fuzz_${name} PRIVATE ${ARG_DEPENDS})
    wg_compile_options(fuzz_${name})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz-targets fuzz_${name})
  endif()
  add_executable(replay_${name} replay.c fuzz_${name}.c)
  target_link_libraries(replay_${name} PRIVATE ${ARG_DEPENDS} wg_base)
  wg_compile_options(replay_${name})
  add_test(NAME replay_${name}
           COMMAND sh -c "rm -rf seeds_${name} && ${CMAKE_CURRENT_SOURCE_DIR}/make-seeds ${name} seeds_${name} && \
                          $<TARGET_FILE:replay_${name}> seeds_${name} ${CMAKE_CURRENT_SOURCE_DIR}/crashes/${name}"
           WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(replay_${name} PROPERTIES LABELS "unit;sanitize" TIMEOUT 300)
endfunction()

function(wg_stage name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(wg_${name} STATIC ${ARG_SOURCES})
  target_include_directories(wg_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(wg_${name} PUBLIC ${ARG_DEPENDS})
  wg_compile_options(wg_${name})
endfunction()

# wg_unit_test(NAME [THREADS] [SLOW] SOURCES... DEPENDS targets...): a cmocka program run by ctest.
# Labels: sanitize (run under address and undefined sanitizers; left out when SLOW), threads (run under
# the thread sanitizer; for tests that start workers).
function(wg_unit_test name)
  cmake_parse_arguments(ARG "THREADS;SLOW" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} cmocka)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE WG_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  wg_compile_options(${name})
  add_test(NAME ${name} COMMAND ${name})
  set(labels unit)
  if(NOT ARG_SLOW)
    list(APPEND labels sanitize)
  endif()
  if(ARG_THREADS)
    list(APPEND labels threads)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 300)
endfunction()
