/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Starts commands in a session of their own where util-linux is there. */
final class Session {
  private static final Optional<String> SETSID =
      Stream.of("/usr/bin/setsid", "/bin/setsid")
          .filter(path -> Files.isExecutable(Path.of(path)))
          .findFirst();

  private Session() {}

  /** Does not fork: a child of the JVM leads no process group, so the process keeps its id. */
  static List<String> leading(List<String> command) {
    List<String> all = new ArrayList<>();
    SETSID.ifPresent(all::add);
    all.addAll(command);
    return all;
  }
}
