# What cmake --install and pip install . put below a prefix. bin/kmbench finds share/kmbench (bench/base/home.cpp), which has what its commands start and read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS kmbench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY datasets papers results tuning schema examples include plots impl DESTINATION share/kmbench
  FILES_MATCHING REGEX "\\.(toml|txt|npy\\.xz|md|json|jsonl|py|c|h|hpp|cpp|cu|cuh|j2|css|js|mplstyle)$" PATTERN "__pycache__" EXCLUDE)
install(FILES requirements.txt LICENSE CITATION.cff DESTINATION share/kmbench)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md CITATION.cff CHANGELOG.md DESTINATION share/doc/kmbench)
install(CODE [[
  set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
  file(MAKE_DIRECTORY ${prefix}/share/man/man1 ${prefix}/share/bash-completion/completions)
  execute_process(COMMAND ${prefix}/bin/kmbench man OUTPUT_FILE ${prefix}/share/man/man1/kmbench.1 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${prefix}/bin/kmbench completion bash OUTPUT_FILE ${prefix}/share/bash-completion/completions/kmbench COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND python3 -m compileall -q --invalidation-mode checked-hash ${prefix}/share/kmbench/plots)  # --help answers at once where nobody may write
]])

configure_package_config_file(cmake/kmbenchConfig.cmake.in kmbenchConfig.cmake INSTALL_DESTINATION share/cmake/kmbench
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(kmbenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kmbenchConfig.cmake ${PROJECT_BINARY_DIR}/kmbenchConfigVersion.cmake DESTINATION share/cmake/kmbench)
