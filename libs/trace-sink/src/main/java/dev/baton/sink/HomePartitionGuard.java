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
import org.jspecify.annotations.Nullable;

/**
 * Refuses events that are not in the home partition of their run: elsewhere they would have no
 * order with the others. A run that is not known yet gets the partition of its {@code run_created}.
 * Keeps the homes of the runs that were read last in memory. Thread-safe.
 */
public final class HomePartitionGuard {
  private static final int KEPT = 20_000;

  /** Stores home partitions; a home never changes. */
  public interface HomeStore {
    /** Returns the home partitions of these runs; runs without one are absent. */
    Uni<Map<String, Integer>> read(Set<String> runs);

    /**
     * Stores the homes of runs that have none, and returns the stored ones: another consumer may
     * have stored some of them since.
     */
    Uni<Map<String, Integer>> claim(Map<String, Integer> begun);
  }

  private final HomeStore store;
  private final Map<String, Integer> homes =
      Collections.synchronizedMap(
          new LinkedHashMap<>(1024, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
              return size() > KEPT;
            }
          });

  public HomePartitionGuard(HomeStore store) {
    this.store = store;
  }

  /** Fetches the homes that {@link #refusal} needs; a batch of known runs needs no request. */
  public Uni<Void> learn(SinkBatch batch) {
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
              Map<String, Integer> begun = begun(batch, unknown);
              return begun.isEmpty()
                  ? Uni.createFrom().voidItem()
                  : store.claim(begun).invoke(homes::putAll).replaceWithVoid();
            });
  }

  private static Map<String, Integer> begun(SinkBatch batch, Set<String> runs) {
    Map<String, Integer> begun = new HashMap<>();
    for (SinkRecord record : batch.records()) {
      if (runs.contains(record.id().run()) && isCreation(record)) {
        begun.putIfAbsent(record.id().run(), record.partition());
      }
    }
    return begun;
  }

  /** Whether the record opens its run. */
  public static boolean isCreation(SinkRecord record) {
    TraceRecord known = record.known();
    return known != null && known.event() instanceof TraceEvent.RunCreated;
  }

  /**
   * Returns in one line why the record must not be applied; null if it is in the home partition of
   * its run, or if that is not known.
   */
  public @Nullable String refusal(SinkRecord record) {
    Integer home = homes.get(record.id().run());
    return home == null || home == record.partition() ? null : reason(record.partition(), home);
  }

  /** Returns the reason for a dead letter, without the event's id. */
  public static String reason(int partition, int home) {
    return "partition %d is not the run's home partition %d; probably the client's partitioner chose it: name the partition"
        .formatted(partition, home);
  }
}
