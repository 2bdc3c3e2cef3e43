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

/** Records of generated traces, for tests that need any record but no particular one. */
public final class TraceSamples {
  private TraceSamples() {}

  /** The records of 40 seeded traces. */
  public static List<TraceRecord> manySeeds() {
    return LongStream.range(0, 40)
        .boxed()
        .flatMap(seed -> new TraceGenerator(seed).clean.stream())
        .toList();
  }
}
