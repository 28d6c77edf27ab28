# Run by a build: writes the scripts FILES one after another into OUT, as one
# function, so that their names are not the browser's.
set(text "\"use strict\";\n(function () {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  string(APPEND text "${part}\n")
endforeach()
file(WRITE ${OUT} "${text}})();\n")
