/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of foreign bytes with its corpus, {@code src/test/resources/corpus/NAME}.
 *
 * @param name in lower case, with hyphens
 */
record FuzzTarget(String name, FuzzedDecoder decoder) {
  /** Processor time of one input of at most 64 KiB, with the instrumentation of a fuzzer. */
  static final long MAX_CPU_NANOS = 10_000_000_000L;

  /** Bytes that the decoding of one input may allocate. */
  static final long MAX_ALLOCATED_BYTES = 1L << 30;

  private static final Path CORPUS = Path.of("src/test/resources/corpus");

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** The folder with the inputs that are kept. */
  Path corpus() {
    return CORPUS.resolve(name).toAbsolutePath();
  }

  /** Returns the inputs that are kept, in the order of their names. */
  List<Path> inputs() throws IOException {
    try (Stream<Path> files = Files.list(corpus())) {
      return files.sorted().toList();
    }
  }

  /**
   * Decodes an input.
   *
   * @throws Exception of any kind: a fault
   * @throws AssertionError when a property does not hold, or a bound is exceeded
   */
  void run(byte[] input) throws Exception {
    // The first input also loads classes, which a fuzzer instruments.
    if (excess(input) != null) {
      String excess = excess(input);
      if (excess != null) {
        throw new AssertionError(excess);
      }
    }
  }

  private @Nullable String excess(byte[] input) throws Exception {
    long cpu = THREADS.getCurrentThreadCpuTime();
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    decoder.accept(input.clone());
    long usedCpu = THREADS.getCurrentThreadCpuTime() - cpu;
    long usedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    return usedCpu <= MAX_CPU_NANOS && usedBytes <= MAX_ALLOCATED_BYTES
        ? null
        : "%s: %d bytes of input took %d ms and allocated %d bytes"
            .formatted(name, input.length, usedCpu / 1_000_000, usedBytes);
  }

  @Override
  public String toString() {
    return name;
  }
}
