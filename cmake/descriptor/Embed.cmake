# Writes OUT.h and OUT.cpp, the descriptor in OUT.binpb of the messages of STEM.proto.
get_filename_component(NAME "${STEM}" NAME)
file(READ "${OUT}.binpb" BYTES HEX)
string(REGEX REPLACE "(..)" "0x\\1," BYTES "${BYTES}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/Descriptor.h.in" "${OUT}.h" @ONLY)
configure_file("${CMAKE_CURRENT_LIST_DIR}/Descriptor.cpp.in" "${OUT}.cpp" @ONLY)
