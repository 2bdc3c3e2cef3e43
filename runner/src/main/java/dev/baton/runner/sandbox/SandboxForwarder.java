/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Puts a {@link SandboxForwarderMain} next to the program of a sandbox without a network. */
final class SandboxForwarder {
  private static final Path SOCKET = Path.of("/tmp/.baton-relay");

  /**
   * Starts the forwarder, waits until it listens, and becomes the program: ends with 126 when the
   * forwarder does not start.
   */
  private static final String SCRIPT =
      """
      mkfifo -m 600 /tmp/.baton-ready || exit 126
      "$1" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx32m -Xshare:auto -cp "$2" %s %s $3 \
      </dev/null >/tmp/.baton-ready &
      read -r ready </tmp/.baton-ready || exit 126
      rm /tmp/.baton-ready
      shift 3
      exec "$@"
      """
          .formatted(SandboxForwarderMain.class.getName(), SOCKET);

  private SandboxForwarder() {}

  /** Shows what the forwarder needs. */
  static void show(SandboxMounts mounts, SandboxView view, SandboxRelay relay) throws IOException {
    mounts.readOnly(relay.socket(), SOCKET);
    view.show(mounts, java().toRealPath());
    view.show(mounts, classes());
  }

  /** Returns the command that starts the forwarder and then the program. */
  static List<String> command(SandboxRelay relay, List<String> program) {
    List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sandbox"));
    try {
      words.add(java().toRealPath().resolve("bin/java").toString());
    } catch (IOException e) {
      throw new IllegalStateException("the JDK of this process is gone", e);
    }
    words.add(classes().toString());
    words.add(relay.ports().stream().map(String::valueOf).collect(Collectors.joining(" ")));
    words.addAll(program);
    return words;
  }

  private static Path java() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Path classes() {
    CodeSource source = SandboxForwarderMain.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException("the file of the forwarder is not known");
    }
    try {
      return Path.of(source.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(source + " is not a path", e);
    }
  }
}
