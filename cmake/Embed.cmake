# cmake -D IN=file -D OUT=file.c -D NAME=symbol -P Embed.cmake: a file as the bytes of a C array.
file(READ ${IN} bytes HEX)
string(LENGTH "${bytes}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "extern const unsigned char ${NAME}[];\nextern const unsigned ${NAME}_size;\n"
                  "const unsigned char ${NAME}[] = {${bytes}};\nconst unsigned ${NAME}_size = ${size};\n")
