/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.snapshot.SkippedEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/** Logs what happened to paths of a run's files: their number, and the first few of them. */
record PathListLogger(String run) {
  private static final Logger LOG = Logger.getLogger(PathListLogger.class);
  private static final int SHOWN = 5;

  /** Warns of files that were skipped; nothing if there are none. */
  void warnSkipped(Path of, String where, List<SkippedEntry> skipped) {
    warn(
        "files of " + of + " are not in " + where + ", or not for certain",
        skipped.size(),
        skipped.stream()
            .map(file -> file.path() + " (" + file.reason() + ": " + file.detail() + ")"));
  }

  /**
   * @param count number of the paths; nothing is logged if it is 0
   */
  void warn(String what, int count, Stream<String> paths) {
    if (count > 0) {
      LOG.warnf(
          "run %s: %d %s: %s%s",
          run,
          count,
          what,
          paths.limit(SHOWN).collect(Collectors.joining(", ")),
          count > SHOWN ? ", …" : "");
    }
  }
}
