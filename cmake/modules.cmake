# Flags every target of ours shares, and ralph_module(): a folder of src/ as a static library.

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

# Headers that nearly every source includes, compiled once: ralph_pch for every module, ralph_json_pch for modules that read JSON
# documents, ralph_test_pch for tests. A source still names what it includes: lint compiles without them.
function(ralph_pch NAME)
  cmake_parse_arguments(ARG "" "" "LIBS;OPTIONS" ${ARGN})
  add_library(${NAME} OBJECT ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
  target_link_libraries(${NAME} PRIVATE ralph_flags ${ARG_LIBS})
  target_compile_options(${NAME} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${NAME}.h)
endfunction()
ralph_pch(ralph_pch)
ralph_pch(ralph_json_pch LIBS nlohmann_json::nlohmann_json)

# Compiles the sources of a target in batches, so that headers are read and templates instantiated once per batch. Names in
# anonymous namespaces must therefore be unique in their module.
function(ralph_batches TARGET)
  if(RALPH_BATCHES)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    target_compile_options(${TARGET} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Third-party libraries by the name under which their headers are included; scripts/check_layers knows the same names.
set(RALPH_LIBRARY_fmt fmt::fmt)
set(RALPH_LIBRARY_nlohmann nlohmann_json::nlohmann_json)
set(RALPH_LIBRARY_simdjson simdjson::simdjson)
set(RALPH_LIBRARY_yaml-cpp $<IF:$<BOOL:${YAML_CPP_STATIC}>,${YAML_CPP_STATIC},yaml-cpp>)
set(RALPH_LIBRARY_pcre2 ${PCRE2})
set(RALPH_LIBRARY_curl ${CMAKE_DL_LIBS})  # loaded by the first request

# ralph_module(GROUP/NAME "what lives there" [USES module...] [LIBS library...])
#   Makes the static library NAME of the sources in src/GROUP/NAME.
#   USES: modules whose headers this one may include; all may include base.
#   LIBS: third-party libraries whose headers its .cpp files may include.
# This is the only list of who may include whom: scripts/check_layers reads it, and writes the table of ARCHITECTURE.md from it.
function(ralph_module PATH ABOUT)
  cmake_parse_arguments(ARG "" "" "USES;LIBS" ${ARGN})
  get_filename_component(name ${PATH} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${PATH}/*.cpp
       ${PROJECT_SOURCE_DIR}/src/${PATH}/*.S)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(${name} STATIC ${sources})
  set(libraries Threads::Threads)
  foreach(library ${ARG_LIBS})
    list(APPEND libraries ${RALPH_LIBRARY_${library}})
  endforeach()
  if(NOT name STREQUAL base)
    list(APPEND ARG_USES base)
  endif()
  target_link_libraries(${name} PUBLIC ralph_flags ${ARG_USES} PRIVATE ${libraries})
  if(nlohmann IN_LIST ARG_LIBS)
    target_precompile_headers(${name} REUSE_FROM ralph_json_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM ralph_pch)
  endif()
  ralph_batches(${name})
endfunction()
