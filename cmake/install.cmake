# What `cmake --install` and `cpack` put on a machine: the program `verify`, and the libraries that verify schedules,
# for `find_package(onceover)`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(onceover_headers ${CMAKE_INSTALL_INCLUDEDIR}/onceover)
set(onceover_package ${CMAKE_INSTALL_LIBDIR}/cmake/onceover)

foreach(folder base schedules formats verifier programs network)
  set_target_properties(onceover_${folder} PROPERTIES EXPORT_NAME ${folder})
  target_include_directories(onceover_${folder} PUBLIC $<INSTALL_INTERFACE:${onceover_headers}>)
  install(TARGETS onceover_${folder} EXPORT onceover ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${onceover_headers} COMPONENT library
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(EXPORT onceover NAMESPACE onceover:: FILE onceover-targets.cmake DESTINATION ${onceover_package} COMPONENT library)

install(FILES ${CMAKE_CURRENT_LIST_DIR}/onceover_add_check.cmake DESTINATION ${onceover_package} COMPONENT library)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/onceover-config.cmake.in onceover-config.cmake
                              INSTALL_DESTINATION ${onceover_package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/onceover-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/onceover-config.cmake ${CMAKE_BINARY_DIR}/onceover-config-version.cmake
        DESTINATION ${onceover_package} COMPONENT library)

# The manual page and the completions come out of the program itself.
function(onceover_print name output)
  add_custom_command(OUTPUT ${output} COMMAND verify ${ARGN} > ${output} DEPENDS verify VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${output})
endfunction()
set(texts ${CMAKE_BINARY_DIR}/texts)
file(MAKE_DIRECTORY ${texts})
onceover_print(manual ${texts}/verify.1 manual)
foreach(shell bash zsh fish)
  onceover_print(completion_${shell} ${texts}/verify.${shell} completion ${shell})
endforeach()
install(FILES ${texts}/verify.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${texts}/verify.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME verify COMPONENT program)
install(FILES ${texts}/verify.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _verify COMPONENT program)
install(FILES ${texts}/verify.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

install(TARGETS verify verify-check RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# Where there was a Coq to prove it.
if(TARGET verify-kernel)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/verify-kernel DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
# Where it was built; no part of the packages, which then would need an MPI.
if(TARGET verify-distributed)
  install(TARGETS verify-distributed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT distributed OPTIONAL)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Onceover authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME onceover)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "graphviz, librsvg2-bin, gnuplot-nox, gifsicle, cvc5, coq")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "formal verifier for schedules of collective communication
 Proves that an allreduce, reduce-scatter or allgather delivers every
 contribution exactly once, or shows the shortest counterexample.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libonceover-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libfmt-dev, libexpected-dev, nlohmann-json3-dev, libexpat1-dev, libboost-graph-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "formal verifier for schedules of collective communication (library)
 Static libraries and headers, for find_package(onceover).")
include(CPack)
