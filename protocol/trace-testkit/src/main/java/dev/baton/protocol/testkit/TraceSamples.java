/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.testkit;

import dev.baton.protocol.trace.TraceRecord;
import java.util.List;
import java.util.stream.LongStream;

/** Provides records of generated traces, for tests that need arbitrary records. */
public final class TraceSamples {
  private TraceSamples() {}

  /** Returns the records of 40 seeded traces. */
  public static List<TraceRecord> manySeeds() {
    return LongStream.range(0, 40)
        .boxed()
        .flatMap(seed -> new TraceGenerator(seed).clean.stream())
        .toList();
  }
}
