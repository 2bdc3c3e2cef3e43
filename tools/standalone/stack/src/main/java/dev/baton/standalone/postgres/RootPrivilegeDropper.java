/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.postgres;

import dev.baton.standalone.process.DetachedCommandFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Detects whether this process runs as root, and starts children as another user. */
final class RootPrivilegeDropper {

  private static final String REFUSAL = "Postgres refuses to run as root, and ";
  private static final String ADVICE =
      "; start Baton as an ordinary user, or allow user namespaces (docker: --security-opt seccomp=unconfined)";

  private static final Duration PROBE = Duration.ofSeconds(10);

  private RootPrivilegeDropper() {}

  static boolean isCurrent() throws IOException {
    Path self = Path.of("/proc/self");
    return Files.exists(self) && Integer.valueOf(0).equals(Files.getAttribute(self, "unix:uid"));
  }

  /**
   * Returns the command prefix.
   *
   * @throws IOException when root cannot become another user on this machine
   */
  static List<String> leave() throws IOException, InterruptedException {
    Path unshare =
        DetachedCommandFactory.onPath("unshare")
            .orElseThrow(
                () ->
                    new IOException(
                        REFUSAL + "unshare (util-linux) is missing on the PATH" + ADVICE));
    List<String> words = List.of(unshare.toString(), "-U");
    Process probe =
        new ProcessBuilder(unshare.toString(), "-U", "true").redirectErrorStream(true).start();
    if (!probe.waitFor(PROBE)) {
      probe.destroyForcibly();
      throw new IOException(
          REFUSAL + String.join(" ", words) + " does not end within " + PROBE.toSeconds() + " s");
    }
    // It has ended, so its output is in the pipe: at most a line.
    String answer =
        new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (probe.exitValue() != 0) {
      throw new IOException(
          REFUSAL + "user namespaces are not allowed here (" + answer + ")" + ADVICE);
    }
    return words;
  }
}
