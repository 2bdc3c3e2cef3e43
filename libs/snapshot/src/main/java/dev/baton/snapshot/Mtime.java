/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

/**
 * A modification time.
 *
 * @param seconds since 1970, negative before; no bounds
 * @param nanos 0..999999999, counted upwards also before 1970
 */
public record Mtime(long seconds, int nanos) implements Comparable<Mtime> {
  @Override
  public int compareTo(Mtime other) {
    return seconds == other.seconds
        ? Integer.compare(nanos, other.nanos)
        : Long.compare(seconds, other.seconds);
  }
}
