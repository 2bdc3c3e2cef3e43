/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.smallrye.mutiny.Uni;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Refuses events that are not in the home partition of their run: elsewhere they would have no
 * order with the others. A run that is not known yet gets the partition of its {@code run_created}.
 * Keeps the homes of the runs that were read last in memory. Thread-safe.
 */
final class HomePartitionGuard {
  private static final int KEPT = 20_000;

  private final RunHomeStore store;
  private final Predicate<SinkRecord> isSigned;
  private final Map<String, RunHome> homes =
      Collections.synchronizedMap(
          new LinkedHashMap<>(1024, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, RunHome> eldest) {
              return size() > KEPT;
            }
          });

  /**
   * @param isSigned whether an event has a valid signature
   */
  HomePartitionGuard(RunHomeStore store, Predicate<SinkRecord> isSigned) {
    this.store = store;
    this.isSigned = isSigned;
  }

  /** Fetches the homes that {@link #refusal} needs; a batch of known runs needs no request. */
  Uni<Void> learn(SinkBatch batch) {
    Set<String> unknown = new HashSet<>();
    for (String run : batch.runs()) {
      if (homes.get(run) == null) {
        unknown.add(run);
      }
    }
    if (unknown.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return store
        .read(unknown)
        .chain(
            found -> {
              homes.putAll(found);
              unknown.removeAll(found.keySet());
              Map<String, RunHome> begun = begun(batch, unknown);
              return begun.isEmpty()
                  ? Uni.createFrom().voidItem()
                  : store.claim(begun).invoke(homes::putAll).replaceWithVoid();
            });
  }

  private Map<String, RunHome> begun(SinkBatch batch, Set<String> runs) {
    Map<String, RunHome> begun = new HashMap<>();
    for (SinkRecord record : batch.records()) {
      TraceRecord known = record.known();
      if (known != null
          && known.event() instanceof TraceEvent.RunCreated created
          && runs.contains(known.run())
          && !begun.containsKey(known.run())) {
        boolean signed = isSigned.test(record);
        begun.put(
            known.run(), new RunHome(record.partition(), signed, signed && !created.isExternal()));
      }
    }
    return begun;
  }

  /** Returns the home of a run; null if it is not known. */
  @Nullable RunHome home(String run) {
    return homes.get(run);
  }

  /**
   * Returns in one line why the record must not be applied; null if it is in the home partition of
   * its run, or if that is not known.
   */
  @Nullable String refusal(SinkRecord record) {
    RunHome home = homes.get(record.id().run());
    return home == null || home.partition() == record.partition()
        ? null
        : reason(record.partition(), home.partition());
  }

  /** Returns the reason for a dead letter, without the event's id. */
  static String reason(int partition, int home) {
    return "partition %d is not the run's home partition %d; probably the client's partitioner chose it: name the partition"
        .formatted(partition, home);
  }
}
