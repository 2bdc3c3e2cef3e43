/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import java.util.Arrays;
import java.util.Optional;

/** The source of a log line. */
public enum LogStream {
  STDOUT,
  STDERR,
  /** Messages of the runner itself. */
  BATON;

  private final String word = name().toLowerCase(java.util.Locale.ROOT);

  /** Returns the name used in topics and responses. */
  public String word() {
    return word;
  }

  /** Returns the stream of this name; empty when there is none. */
  public static Optional<LogStream> of(String word) {
    return Arrays.stream(values()).filter(stream -> stream.word.equals(word)).findFirst();
  }
}
