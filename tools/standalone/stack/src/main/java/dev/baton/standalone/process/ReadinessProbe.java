/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** Detects when a process that was just started is ready. */
public sealed interface ReadinessProbe {

  /** Ready once a line of its own log, since this start, matches. */
  record LogLine(Pattern pattern) implements ReadinessProbe {}

  /** Ready once this address responds with 200. */
  record Http(URI uri) implements ReadinessProbe {}

  /** A response that takes longer counts as "not yet". */
  int PROBE_MILLIS = 1_000;

  /**
   * Returns a check to be polled by one thread.
   *
   * @param log the process's log
   * @param from size of the log when the process was started, in bytes
   */
  default BooleanSupplier probe(Path log, long from) {
    return switch (this) {
      case LogLine(Pattern pattern) -> new LogLineScanner(pattern, log, from)::found;
      case Http(URI uri) -> () -> answers(uri);
    };
  }

  private static boolean answers(URI uri) {
    try {
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setConnectTimeout(PROBE_MILLIS);
      connection.setReadTimeout(PROBE_MILLIS);
      try {
        return connection.getResponseCode() == 200;
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      return false;
    }
  }
}
