# The files that `cmake --install` copies, and the two Debian packages that `cpack` makes of them: the program, and its
# manual, whose pictures are three quarters of all bytes. Presets, colormaps, font names and the papers' numbers are in
# the program: it needs no other file.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

# No RPATH in the program: its libraries are the system's (HDF5's own folder only contains links for the linker).
set_target_properties(perturb PROPERTIES SKIP_BUILD_RPATH ON)
install(TARGETS perturb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/assets/desktop/perturb.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${PROJECT_SOURCE_DIR}/assets/desktop/perturb.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
install(FILES ${PROJECT_SOURCE_DIR}/assets/icon.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps RENAME perturb.png)
configure_file(${PROJECT_SOURCE_DIR}/assets/desktop/perturb.1 ${PROJECT_BINARY_DIR}/perturb.1 @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/perturb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/docs/manual.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT manual)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/manual ${PROJECT_SOURCE_DIR}/docs/papers ${PROJECT_SOURCE_DIR}/docs/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT manual)

set(CPACK_PACKAGE_NAME perturb)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Perturb authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "interactive physics simulations on the GPU")
set(CPACK_PACKAGE_DESCRIPTION "Water waves, lattice Boltzmann flow, colliding discs, sinking fibers and a membrane, to be poked with the\n"
  "mouse and measured. Without an NVIDIA GPU the same program computes on the CPU.")
string(REPLACE ";" " " CPACK_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_ALL program manual)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME perturb)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)  # library names and versions, as on this system
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ffmpeg, fonts-inter, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS perturb-doc)
set(CPACK_DEBIAN_MANUAL_PACKAGE_NAME perturb-doc)
set(CPACK_DEBIAN_MANUAL_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_MANUAL_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_MANUAL_DESCRIPTION "The manual of Perturb, with pictures.")
include(CPack)
