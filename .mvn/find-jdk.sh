# Sourced by ./mvnw and ./baton: sets JAVA_HOME to a JDK of at least $BATON_JDK, or prints what to install and exits with 78.
# Searches JAVA_HOME, the javac on PATH, the usual system folders and SDKMAN; the newest matching JDK of a folder wins.
BATON_JDK=25

# Sets $baton_version to a JDK's version as a comparable number (25.0.1 is 25000001); 0 if the folder has no JDK.
baton_jdk_version() { # DIR
  baton_version=0
  [ -x "$1/bin/javac" ] || return 0
  baton_text=
  if [ -r "$1/release" ]; then
    # Read by the shell: one process per JDK would slow down every call of ./baton.
    while IFS== read -r baton_key baton_value; do
      [ "$baton_key" != JAVA_VERSION ] || baton_text=$baton_value
    done <"$1/release"
  else
    baton_text=$("$1/bin/java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')
  fi
  baton_text=${baton_text#\"}
  baton_text=${baton_text%\"}
  baton_text=${baton_text%%[!0-9.]*}
  for baton_unused in 1 2 3; do
    baton_number=${baton_text%%.*}
    case $baton_text in *.*) baton_text=${baton_text#*.} ;; *) baton_text= ;; esac
    # Strip leading zeros, which would make it octal.
    while [ "${baton_number#0}" != "$baton_number" ]; do baton_number=${baton_number#0}; done
    baton_version=$((baton_version * 1000 + ${baton_number:-0}))
  done
}

# Sets JAVA_HOME to the newest matching JDK of these folders; fails if none matches.
baton_newest_of() { # DIR…
  baton_best=$((BATON_JDK * 1000000 - 1))
  baton_home=
  for baton_dir in "$@"; do
    [ -d "$baton_dir" ] || continue
    baton_jdk_version "$baton_dir"
    if [ "$baton_version" -gt "$baton_best" ]; then
      baton_best=$baton_version
      baton_home=$baton_dir
    fi
  done
  [ -n "$baton_home" ] || return 1
  JAVA_HOME=$baton_home
  export JAVA_HOME
}

baton_find_jdk() {
  [ -z "${JAVA_HOME:-}" ] || ! baton_newest_of "$JAVA_HOME" || return 0
  baton_path_java=$(command -v javac 2>/dev/null) || baton_path_java=
  [ -z "$baton_path_java" ] || ! baton_newest_of "$(dirname "$(dirname "$(readlink -f "$baton_path_java")")")" || return 0
  baton_newest_of /usr/lib/jvm/* || baton_newest_of /usr/java/* || baton_newest_of /opt/java/* /opt/jdk* ||
    baton_newest_of /usr/local/jdk* ||
    baton_newest_of "${SDKMAN_DIR:-${HOME:-/nonexistent}/.sdkman}"/candidates/java/* ||
    baton_newest_of "${HOME:-/nonexistent}"/.jdks/* ||
    baton_newest_of /Library/Java/JavaVirtualMachines/*/Contents/Home ||
    baton_newest_of /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home
}

if ! baton_find_jdk; then
  {
    echo "Baton needs a JDK $BATON_JDK or newer and found none (a JRE is not enough)."
    echo "Searched JAVA_HOME (${JAVA_HOME:-not set}), PATH, /usr/lib/jvm, /usr/java, /opt, SDKMAN and ~/.jdks."
    echo "Install one and try again, for example:"
    echo "  Debian/Ubuntu   apt-get install temurin-25-jdk    (repository: https://adoptium.net/installation/linux)"
    echo "  SDKMAN          sdk install java 25-tem"
    echo "or set JAVA_HOME to the folder of a JDK $BATON_JDK."
  } >&2
  exit 78
fi
