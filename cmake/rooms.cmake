# Flags every target of ours shares, and ralph_room(): a folder of src/ as a static library.

add_library(ralph_flags INTERFACE)
target_include_directories(ralph_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(ralph_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wno-missing-field-initializers -Werror
  -fstack-protector-strong -fPIE)
target_compile_definitions(ralph_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(ralph_flags INTERFACE -pie -Wl,-z,relro,-z,now,--as-needed)

if(RALPH_SANITIZE)
  target_compile_options(ralph_flags INTERFACE
    -fsanitize=${RALPH_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(ralph_flags INTERFACE -fsanitize=${RALPH_SANITIZE})
else()
  target_compile_definitions(ralph_flags INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
  # What nobody calls is left out: a smaller program, and less of it in memory.
  target_compile_options(ralph_flags INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(ralph_flags INTERFACE -Wl,--gc-sections)
endif()

# The standard headers, compiled once for all targets.
add_library(ralph_pch OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(ralph_pch PRIVATE ralph_flags)
target_precompile_headers(ralph_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)

# ralph_room(NAME [ROOMS room...] [LIBS library...])
#   ROOMS: rooms whose headers this one includes (scripts/check_layers holds the same list).
#   LIBS:  third-party libraries its .cpp files use.
function(ralph_room NAME)
  cmake_parse_arguments(ARG "" "" "ROOMS;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${NAME}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${NAME}/*.S)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    add_library(${NAME} INTERFACE)
    return()
  endif()
  add_library(${NAME} STATIC ${sources})
  target_link_libraries(${NAME} PUBLIC ralph_flags ${ARG_ROOMS} PRIVATE ${ARG_LIBS})
  target_precompile_headers(${NAME} REUSE_FROM ralph_pch)
endfunction()
