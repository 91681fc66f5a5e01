# Where `cmake --install` and CPack put headers, libraries, tools and the plugin, and the files by which
# CMake and pkg-config find them. The Python package has rules of its own (python/CMakeLists.txt).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY "${CMAKE_SOURCE_DIR}/runtime/Library/include/systole"
                  "${CMAKE_BINARY_DIR}/runtime/Library/include/systole"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(TARGETS systole_shared EXPORT SystoleSharedTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS systole_static EXPORT SystoleStaticTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS systole_pjrt LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS systole systole-opt systole-lsp-server
        RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE"
        DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/systole" RENAME copyright)

set(_package "${CMAKE_INSTALL_LIBDIR}/cmake/Systole")
foreach(_kind Shared Static)
  install(EXPORT Systole${_kind}Targets NAMESPACE Systole:: DESTINATION "${_package}")
endforeach()
configure_package_config_file(
  "${CMAKE_SOURCE_DIR}/cmake/SystoleConfig.cmake.in" SystoleConfig.cmake
  INSTALL_DESTINATION "${_package}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(SystoleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/SystoleConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/SystoleConfigVersion.cmake"
        DESTINATION "${_package}")

# Relative to the file, so that the prefix can be moved.
file(RELATIVE_PATH SYSTOLE_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file("${CMAKE_SOURCE_DIR}/cmake/systole.pc.in" systole.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/systole.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME systole)
set(CPACK_PACKAGE_CONTACT "The Systole authors <systole@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tensor compiler for a TPU-like machine, and its emulator")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Those of the binaries, as dpkg-shlibdeps finds them; those of the headers and of libsystole.a are
# for who builds with them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libabsl-dev)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libmlir-22-dev, llvm-22-dev, libprotobuf-dev, libzip-dev")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
