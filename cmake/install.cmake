# What cmake --install and pip install . put below a prefix. bin/kmbench finds share/kmbench (bench/base/home.cpp), which has what its commands start and read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KM_PAGES ${PROJECT_BINARY_DIR}/kmbench.1 ${PROJECT_BINARY_DIR}/kmbench.bash)
add_custom_command(OUTPUT ${KM_PAGES} DEPENDS kmbench VERBATIM
  COMMAND ${CMAKE_COMMAND} -E env KMBENCH_HOME=${PROJECT_SOURCE_DIR} sh -c "$1 man >kmbench.1 && $1 completion bash >kmbench.bash" - $<TARGET_FILE:kmbench>
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
add_custom_target(kmbench_pages ALL DEPENDS ${KM_PAGES})
install(FILES ${PROJECT_BINARY_DIR}/kmbench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/kmbench.bash DESTINATION share/bash-completion/completions RENAME kmbench)

install(TARGETS kmbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY datasets papers results tuning schema examples include plots impl DESTINATION share/kmbench
  FILES_MATCHING REGEX "\\.(toml|txt|npy\\.xz|md|json|jsonl|py|c|h|hpp|cpp|cu|cuh|j2|css|js|mplstyle)$" PATTERN "__pycache__" EXCLUDE)
install(FILES requirements.txt LICENSE CITATION.cff DESTINATION share/kmbench)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md CITATION.cff CHANGELOG.md DESTINATION share/doc/kmbench)
install(CODE [[  # --help answers at once where nobody may write
  execute_process(COMMAND python3 -m compileall -q --invalidation-mode checked-hash $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/kmbench/plots)]])

configure_package_config_file(cmake/kmbenchConfig.cmake.in kmbenchConfig.cmake INSTALL_DESTINATION share/cmake/kmbench
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(kmbenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kmbenchConfig.cmake ${PROJECT_BINARY_DIR}/kmbenchConfigVersion.cmake DESTINATION share/cmake/kmbench)
