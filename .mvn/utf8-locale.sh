# Sourced by ./mvnw, ./baton and benchmarks/run: selects C.UTF-8 where the present locale's character set is another one.
# A JVM takes the character set of arguments, environments and file names from the locale at its start; no option changes it later.
# Only what decides is replaced: LC_ALL where it is set, else LC_CTYPE. Languages, sort orders and formats stay as they are.
# Sets $baton_charmap to the character set of the present locale.
baton_find_charmap() {
  baton_charmap=
  if command -v locale >/dev/null 2>&1; then
    # The C library's own answer: a locale that is named and not installed is C to it.
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
# Another variable may name a locale that is not installed, for which the C library drops them all.
if [ "$baton_charmap" != UTF-8 ]; then
  LC_ALL=C.UTF-8
  export LC_ALL
fi
