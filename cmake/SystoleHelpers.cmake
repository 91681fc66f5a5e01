# The project's CMake functions.
# See docs/decisions/build-and-folders.md.

# systole_add_precompiled(NAME HEADER [OPTIONS option...] [LINK lib...]): cmake/precompiled/HEADER.h,
# precompiled once for all targets that `systole_use_precompiled` names. GCC's are of no use there:
# it has to find all includes anyway, which the other preset checks.
function(systole_add_precompiled name header)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINK" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/precompiled/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Has a precompiled header.\n")
  add_library(${name} OBJECT "${source}")
  target_compile_options(${name} PRIVATE -fpch-instantiate-templates ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/precompiled/${header}.h")
endfunction()

function(systole_use_precompiled name from)
  if(TARGET ${from})
    target_compile_options(${name} PRIVATE -fpch-instantiate-templates)
    target_precompile_headers(${name} REUSE_FROM ${from})
  endif()
endfunction()

# systole_add_library(NAME source... [LINK lib...] [DEPENDS target...]) A static
# library of the compiler. Executables choose whether it links MLIR and LLVM as
# shared libraries or archives: tests the shared ones, tools the archives.
function(systole_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  systole_use_precompiled(${name} ${SYSTOLE_PRECOMPILED})
endfunction()

# systole_add_tool(NAME source... [LINK lib...]): a program that users run, with MLIR and LLVM
# linked statically. Relocating the two shared libraries takes 30 ms of every start, linking
# the archives 2 s of a build; those of abseil and protobuf take another 4 ms (a start is 4 ms
# without).
file(GLOB SYSTOLE_MLIR_ARCHIVES "${LLVM_LIBRARY_DIR}/libMLIR*.a")
get_filename_component(_directory "${Protobuf_LIBRARY}" DIRECTORY)
file(GLOB SYSTOLE_TOOL_ARCHIVES "${_directory}/libprotobuf.a" "${_directory}/libabsl_*.a")
function(systole_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_options(${name} PRIVATE -Wl,--gc-sections,--as-needed)
  # By path: CMake's targets of MLIR's archives depend on the shared LLVM. The archives of abseil
  # and protobuf come before libraries that depend on the shared ones, which are then not needed.
  target_link_libraries(${name} PRIVATE ${SYSTOLE_TOOL_ARCHIVES} ${ARG_LINK}
                        ${SYSTOLE_MLIR_ARCHIVES} LLVMCore LLVMRemarks LLVMSupport LLVMSupportLSP)
endfunction()

# systole_add_plugin(NAME exports.map source... [LINK lib...]): a shared library that other
# processes load, with MLIR and LLVM linked statically and only the symbols of `exports.map`
# visible. abseil and protobuf stay shared: Debian's archives of them are for programs only.
function(systole_add_plugin name exports)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  get_filename_component(map "${exports}" ABSOLUTE)
  add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  target_link_options(${name} PRIVATE -Wl,--gc-sections,--as-needed -Wl,-z,nodelete
                      "-Wl,--version-script=${map}")
  # The runtime of sanitizers is in the program that loads the library.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${SYSTOLE_MLIR_ARCHIVES} LLVMCore LLVMRemarks LLVMSupport)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${map}" LINKER_LANGUAGE CXX)
endfunction()

# systole_add_plain_library(NAME source... [LINK lib...] [DEPENDS target...])
# A static library that needs no MLIR header (runtime, emulator, tools' parts).
function(systole_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  systole_use_precompiled(${name} ${SYSTOLE_PLAIN_PRECOMPILED})
endfunction()

# systole_link_closure(NAME LIBRARIES PACKAGES): sets the first variable to the static library NAME and
# all libraries of the project that it links, directly or indirectly, the second to the libraries of
# other packages that these link.
function(systole_link_closure name libraries packages)
  set(found)
  set(outside)
  set(todo ${name})
  while(todo)
    list(POP_FRONT todo library)
    get_target_property(links ${library} LINK_LIBRARIES)
    list(APPEND found ${library})
    foreach(link IN LISTS links)
      if(link MATCHES "^Systole")
        if(NOT link IN_LIST found AND NOT link IN_LIST todo)
          list(APPEND todo ${link})
        endif()
      elseif(link)
        list(APPEND outside ${link})
      endif()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES outside)
  set(${libraries} ${found} PARENT_SCOPE)
  set(${packages} ${outside} PARENT_SCOPE)
endfunction()

# systole_add_unit_test(NAME source... [LINK lib...]): one GoogleTest binary,
# registered with ctest under its name.
function(systole_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM GTest::gmock_main GTest::gtest)
  systole_use_precompiled(${name} ${SYSTOLE_TEST_PRECOMPILED})
  # Tests of the runtime need neither, and start faster without.
  target_link_options(${name} PRIVATE -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/test/unit")
  add_test(NAME unit.${name} COMMAND ${name})
endfunction()

# systole_add_proto_library(NAME file.proto [DESCRIPTOR]): the messages of one .proto of this
# folder; included as "folder/file.pb.h" from the root. They are lite: others register themselves
# once for each process, which ends one that loads two of our libraries. With DESCRIPTOR
# "folder/file.descriptor.h" has `systole::fileDescriptor()`, for what needs the names of fields.
function(systole_add_proto_library name proto)
  cmake_parse_arguments(ARG "DESCRIPTOR" "" "" ${ARGN})
  file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${proto}")
  string(REGEX REPLACE "\\.proto$" "" stem "${path}")
  set(sources "${CMAKE_BINARY_DIR}/${stem}.pb.cc" "${CMAKE_BINARY_DIR}/${stem}.pb.h")
  add_custom_command(
    OUTPUT ${sources}
    COMMAND protobuf::protoc --cpp_out=lite:${CMAKE_BINARY_DIR} -I ${CMAKE_SOURCE_DIR} ${path}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${proto}"
    COMMENT "Generating the messages of ${path}")
  if(ARG_DESCRIPTOR)
    set(embedded "${CMAKE_BINARY_DIR}/${stem}.descriptor")
    add_custom_command(
      OUTPUT "${embedded}.cpp" "${embedded}.h"
      COMMAND protobuf::protoc --descriptor_set_out=${embedded}.binpb -I ${CMAKE_SOURCE_DIR} ${path}
      COMMAND "${CMAKE_COMMAND}" -D STEM=${stem} -D OUT=${embedded} -P cmake/descriptor/Embed.cmake
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${proto}" "${CMAKE_SOURCE_DIR}/cmake/descriptor/Embed.cmake"
              "${CMAKE_SOURCE_DIR}/cmake/descriptor/Descriptor.cpp.in"
              "${CMAKE_SOURCE_DIR}/cmake/descriptor/Descriptor.h.in"
      COMMENT "Embedding the descriptor of ${path}")
    list(APPEND sources "${embedded}.cpp" "${embedded}.h")
  endif()
  add_library(${name} STATIC ${sources})
  set_property(GLOBAL APPEND PROPERTY SYSTOLE_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()
