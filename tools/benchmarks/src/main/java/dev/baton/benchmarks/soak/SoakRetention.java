/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.soak;

import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The settings with which a stack keeps a bounded amount of data. */
final class SoakRetention {
  private static final long MEBIBYTE = 1 << 20;

  /** Bytes of a step's events in one of eight partitions, for a twentieth of all steps. */
  private static final long BYTES_FOR_STEP = 6;

  private static final long LEAST = 4 * MEBIBYTE;
  private static final long MOST = 16 * MEBIBYTE;
  private static final int SEGMENTS = 8;

  private SoakRetention() {}

  /**
   * Returns how much of its log a partition keeps, in bytes: about the events of half a tenth, so
   * that the bound is reached before the first sample, but at most 16 MiB: heartbeats need millions
   * of steps for more, and would look like growth until then.
   */
  static long partitionBytes(long steps) {
    return Math.clamp(steps * BYTES_FOR_STEP, LEAST, MOST);
  }

  /** Returns the settings of the broker, as lines of a properties file. */
  static List<String> broker(long steps) {
    long kept = partitionBytes(steps);
    return List.of(
        "log.retention.bytes=" + kept,
        "log.segment.bytes=" + Math.max(MEBIBYTE, kept / SEGMENTS),
        "log.retention.check.interval.ms=2000",
        "log.segment.delete.delay.ms=1000");
  }

  /**
   * Returns the variables of each component. Given ones take precedence.
   *
   * @param folder for the file with the settings of the broker
   */
  static Map<String, Map<String, String>> environment(
      Path folder, long steps, Map<String, Map<String, String>> given) throws IOException {
    Path file = folder.resolve("broker.properties");
    Files.write(file, broker(steps));
    Map<String, Map<String, String>> all = new HashMap<>(given);
    put(all, StackComponent.KAFKA, Map.of("BATON_KAFKA_SERVER_PROPERTIES", file.toString()));
    // The services refuse a trace that keeps less than 1 GiB.
    put(
        all,
        StackComponent.ORCHESTRATOR,
        Map.of("BATON_TOPICS_ALLOW_UNSAFE", "true", "BATON_AUDIT_RETENTION", "1h"));
    put(
        all,
        StackComponent.STORE,
        Map.of(
            "BATON_TOPICS_ALLOW_UNSAFE",
            "true",
            "BATON_RETENTION_INTERVAL",
            "10s",
            "BATON_RETENTION_MAX_CHECKPOINTS",
            "1",
            "BATON_GC_INTERVAL",
            "30s",
            "BATON_GC_GRACE",
            "4m",
            "BATON_OBJECT_STORE_URL_LIFE",
            "2m"));
    return all;
  }

  private static void put(
      Map<String, Map<String, String>> all,
      StackComponent component,
      Map<String, String> variables) {
    Map<String, String> merged = new HashMap<>(variables);
    merged.putAll(all.getOrDefault(component.label(), Map.of()));
    all.put(component.label(), merged);
  }
}
