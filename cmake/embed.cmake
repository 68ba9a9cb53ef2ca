# lockstep_embed(TARGET BASE SYMBOL GLOB...): the files below BASE as a table in TARGET. A C++ file
#   extern const EmbeddedFile SYMBOL[]; extern const int SYMBOL_count;   (app/model/embedded.hpp)
# is generated; names are relative to BASE.
function(lockstep_embed target base symbol)
  set(files "")
  foreach(pattern ${ARGN})
    file(GLOB found LIST_DIRECTORIES false CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${pattern})
    list(APPEND files ${found})
  endforeach()
  set(output ${CMAKE_BINARY_DIR}/generated/${symbol}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} -DBASE=${CMAKE_SOURCE_DIR}/${base}
      "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# The folder `assets` beside the program: links to the source tree, and the compiled catalogues.
function(lockstep_assets target)
  set(assets ${CMAKE_BINARY_DIR}/assets)
  file(MAKE_DIRECTORY ${assets}/locale)
  file(GLOB entries RELATIVE ${CMAKE_SOURCE_DIR}/assets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/*)
  list(REMOVE_ITEM entries locale)
  foreach(entry ${entries})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/assets/${entry} ${assets}/${entry} SYMBOLIC)
  endforeach()
  file(GLOB catalogues CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/locale/*.po)
  set(compiled "")
  foreach(catalogue ${catalogues})
    get_filename_component(language ${catalogue} NAME_WE)
    add_custom_command(OUTPUT ${assets}/locale/${language}.mo
      COMMAND ${MSGFMT} -o ${assets}/locale/${language}.mo ${catalogue} DEPENDS ${catalogue} VERBATIM)
    list(APPEND compiled ${assets}/locale/${language}.mo)
  endforeach()
  add_custom_target(lockstep_catalogues ALL DEPENDS ${compiled})
  add_dependencies(${target} lockstep_catalogues)
endfunction()
