/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the newest report of each run, and when its status was written, for the resources that
 * exist. Thread-safe.
 */
final class RunReportCache {
  private final Map<String, RunReport> reports = new ConcurrentHashMap<>();
  private final Map<String, Long> writes = new ConcurrentHashMap<>();

  /** Returns the newest report: the given one unless another has arrived since it was read. */
  RunReport newest(RunReport read) {
    RunReport known = reports.putIfAbsent(read.resource().uid(), read);
    return known == null ? read : known;
  }

  /** Stores a report; a later one replaces it. */
  void put(RunReport report) {
    reports.put(report.resource().uid(), report);
  }

  Optional<RunReport> get(String uid) {
    return Optional.ofNullable(reports.get(uid));
  }

  void written(String uid) {
    writes.put(uid, System.nanoTime());
  }

  /** Returns the time since the last write; empty when there was none. */
  Optional<Duration> sinceWrite(String uid) {
    @Nullable Long at = writes.get(uid);
    return at == null ? Optional.empty() : Optional.of(Duration.ofNanos(System.nanoTime() - at));
  }

  void remove(String uid) {
    reports.remove(uid);
    writes.remove(uid);
  }
}
