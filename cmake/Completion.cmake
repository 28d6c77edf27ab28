# Completion for shells: what 'perflog completion SHELL' prints, put where the
# shells look for it.
if(NOT CMAKE_CROSSCOMPILING)
  if(PERFLOG_PAPERS STREQUAL "debian")
    set(zsh_dir zsh/vendor-completions)
  else()
    set(zsh_dir zsh/site-functions)
  endif()
  set(made)
  # pl_completion(SHELL FOLDER NAME)
  function(pl_completion shell folder name)
    set(file ${CMAKE_BINARY_DIR}/completion/${shell})
    add_custom_command(OUTPUT ${file}
        COMMAND perflog completion ${shell} > ${file}
        DEPENDS perflog VERBATIM)
    list(APPEND made ${file})
    set(made ${made} PARENT_SCOPE)
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder}
        RENAME ${name})
  endfunction()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completion)
  pl_completion(bash bash-completion/completions perflog)
  pl_completion(zsh ${zsh_dir} _perflog)
  pl_completion(fish fish/vendor_completions.d perflog.fish)
  add_custom_target(completion ALL DEPENDS ${made})
endif()
