/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.trace.RunId;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the records of refused calls: of each caller, or address without one, and operation, the
 * first in ten minutes has a record of its own; the others are counted in one record, which is
 * written at the end of the ten minutes. So a flood of refused calls leaves at most 102 records of
 * a replica in ten minutes. Counts that a killed replica has not written are lost. Thread-safe.
 */
@ApplicationScoped
class RefusedCallCounter {
  /** How long calls are counted together. */
  static final Duration WINDOW = Duration.ofMinutes(10);

  /** Groups of calls; further ones share a group. */
  static final int MAX_GROUPS = 50;

  private static final Duration LAST = Duration.ofSeconds(2);
  private static final Logger LOG = Logger.getLogger(RefusedCallCounter.class);

  private record Group(@Nullable String source, String operation) {
    static final Group OTHERS = new Group(null, "*");

    static Group of(AuditRecord record) {
      return new Group(Objects.requireNonNullElse(record.key(), record.peer()), record.operation());
    }
  }

  private static final class Count {
    private final AuditRecord first;
    private int further;

    Count(AuditRecord first) {
      this.first = first;
    }
  }

  private final AuditRepository records;
  private final Counter refused;
  private final Map<Group, Count> groups = new LinkedHashMap<>();
  private final PeriodicTask flushing =
      new PeriodicTask(
          "refused-calls",
          WINDOW,
          "audit: counts of refused calls cannot be written",
          this::flushNow);

  RefusedCallCounter(AuditRepository records, MeterRegistry metrics) {
    this.records = records;
    this.refused =
        Counter.builder("baton.calls.refused")
            .description("calls without a valid API key or without the role that they need")
            .register(metrics);
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    flushing.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    flushing.stop();
    flushNow();
  }

  private void flushNow() {
    flush().await().atMost(LAST.multipliedBy(2));
  }

  /** Counts a refused call; returns whether it gets a record of its own. */
  boolean isFirst(AuditRecord call) {
    refused.increment();
    Group group = Group.of(call);
    synchronized (groups) {
      Count count = groups.get(group);
      if (count == null && groups.size() >= MAX_GROUPS) {
        group = Group.OTHERS;
        count = groups.get(group);
      }
      if (count == null) {
        groups.put(group, new Count(call));
        return true;
      }
      count.further++;
      return false;
    }
  }

  /** Writes the counts, and begins to count again. Never fails. */
  Uni<Void> flush() {
    List<AuditRecord> sums = new ArrayList<>();
    synchronized (groups) {
      groups.forEach(
          (group, count) -> {
            if (count.further > 0) {
              sums.add(sum(group, count));
            }
          });
      groups.clear();
    }
    if (sums.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return Uni.join()
        .all(sums.stream().map(records::add).toList())
        .andFailFast()
        .ifNoItem()
        .after(LAST)
        .fail()
        .onFailure()
        .invoke(failure -> LOG.warnf("audit: counts of refused calls are lost: %s", failure))
        .onFailure()
        .recoverWithNull()
        .replaceWithVoid();
  }

  private static AuditRecord sum(Group group, Count count) {
    AuditRecord first = count.first;
    boolean mixed = group.equals(Group.OTHERS);
    return new AuditRecord(
        RunId.next(),
        first.time(),
        mixed ? null : first.caller(),
        mixed ? null : first.key(),
        mixed ? Map.of() : first.roles(),
        mixed ? null : first.peer(),
        group.operation(),
        List.of(),
        List.of(),
        null,
        first.outcome(),
        mixed ? null : first.status(),
        mixed ? null : first.problem(),
        count.further);
  }
}
