# Installs the shared libraries that `binaries` need into `destination`, each once and under its
# soname: wheels cannot contain links. Libraries that every Linux with the same C library has are
# left out.
file(GET_RUNTIME_DEPENDENCIES
  LIBRARIES ${binaries}
  RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so")
set(patterns)
foreach(library IN LISTS libraries)
  get_filename_component(name "${library}" NAME)
  file(REAL_PATH "${library}" file)
  file(INSTALL "${file}" DESTINATION "${CMAKE_INSTALL_PREFIX}/${destination}" RENAME "${name}")
  get_filename_component(name "${file}" NAME)
  list(APPEND patterns "*/${name}")
endforeach()

# Their licences have to be distributed with them. Systems other than Debian keep them elsewhere.
find_program(DPKG_QUERY dpkg-query)
if(DPKG_QUERY)
  execute_process(COMMAND "${DPKG_QUERY}" -S ${patterns} OUTPUT_VARIABLE owners COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n:]+:[^\n]*" owners "${owners}")
  list(TRANSFORM owners REPLACE ":.*" "")
  list(REMOVE_DUPLICATES owners)
  foreach(package IN LISTS owners)
    file(INSTALL "/usr/share/doc/${package}/copyright"
      DESTINATION "${CMAKE_INSTALL_PREFIX}/${destination}/licenses" RENAME "${package}.txt")
  endforeach()
endif()
