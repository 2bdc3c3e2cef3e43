# Sourced by ./mvnw, ./baton and benchmarks/run: selects C.UTF-8 if the present locale has another character set.
# A JVM takes the character set of arguments, environments and file names from the locale at its start; no option changes it later.
# Replaces only the variable that decides: LC_ALL if it is set, else LC_CTYPE. Languages, sort orders and formats do not change.
# Sets $baton_charmap to the character set of the present locale.
baton_find_charmap() {
  baton_charmap=
  if command -v locale >/dev/null 2>&1; then
    # As the C library resolves it: a locale that is set but not installed is treated as C.
    baton_charmap=$(locale charmap 2>/dev/null) || baton_charmap=
  else
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
    *.[Uu][Tt][Ff]-8* | *.[Uu][Tt][Ff]8*) baton_charmap=UTF-8 ;;
    esac
  fi
}

baton_find_charmap
if [ "$baton_charmap" != UTF-8 ] && [ -z "${LC_ALL:-}" ]; then
  LC_CTYPE=C.UTF-8
  export LC_CTYPE
  baton_find_charmap
fi
# If another variable names a locale that is not installed, the C library ignores all of them.
if [ "$baton_charmap" != UTF-8 ]; then
  LC_ALL=C.UTF-8
  export LC_ALL
fi
