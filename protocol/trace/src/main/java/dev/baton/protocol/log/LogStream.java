/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import java.util.Arrays;
import java.util.Optional;

/** Where a line comes from. */
public enum LogStream {
  STDOUT,
  STDERR,
  /** What the runner itself says. */
  BATON;

  private final String word = name().toLowerCase(java.util.Locale.ROOT);

  /** As topics and answers name it. */
  public String word() {
    return word;
  }

  /** The stream of this name, if there is one. */
  public static Optional<LogStream> of(String word) {
    return Arrays.stream(values()).filter(stream -> stream.word.equals(word)).findFirst();
  }
}
