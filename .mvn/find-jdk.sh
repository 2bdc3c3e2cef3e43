# Sourced by ./mvnw and ./baton: sets JAVA_HOME to a JDK of at least $BATON_JDK, or says what to install and exits with 78.
# Looks at JAVA_HOME, the java on PATH, the usual system folders and SDKMAN; the newest matching JDK of a folder wins.
BATON_JDK=25

baton_jdk_major() { # DIR -> its major version, or nothing
  [ -x "$1/bin/javac" ] || return 0
  if [ -r "$1/release" ]; then
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
  else
    "$1/bin/java" -version 2>&1 | sed -n '1s/.*"\([0-9]*\).*/\1/p'
  fi
}

baton_find_jdk() {
  baton_path_java=$(command -v javac 2>/dev/null) || baton_path_java=
  [ -z "$baton_path_java" ] || baton_path_java=$(dirname "$(dirname "$(readlink -f "$baton_path_java")")")
  for baton_dir in "${JAVA_HOME:-}" "$baton_path_java" \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/jdk* \
    "${SDKMAN_DIR:-${HOME:-/nonexistent}/.sdkman}"/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    [ -n "$baton_dir" ] && [ -d "$baton_dir" ] || continue
    baton_major=$(baton_jdk_major "$baton_dir")
    if [ -n "$baton_major" ] && [ "$baton_major" -ge "$BATON_JDK" ]; then
      JAVA_HOME=$baton_dir
      export JAVA_HOME
      return 0
    fi
  done
  return 1
}

if ! baton_find_jdk; then
  {
    echo "Baton needs a JDK $BATON_JDK or newer and found none (a JRE is not enough)."
    echo "Looked at JAVA_HOME (${JAVA_HOME:-not set}), PATH, /usr/lib/jvm, /usr/java, /opt, SDKMAN and ~/.jdks."
    echo "Install one and try again, for example:"
    echo "  Debian/Ubuntu   apt-get install temurin-25-jdk    (repository: https://adoptium.net/installation/linux)"
    echo "  SDKMAN          sdk install java 25-tem"
    echo "or set JAVA_HOME to the folder of a JDK $BATON_JDK."
  } >&2
  exit 78
fi
