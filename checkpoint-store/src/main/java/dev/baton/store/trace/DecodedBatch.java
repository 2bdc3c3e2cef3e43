/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The decoded records of one poll, in log order within each partition.
 *
 * @param spans by partition, the covered offsets
 */
record DecodedBatch(
    List<EventRow> events,
    List<CutRow> cuts,
    List<PoisonRecord> poison,
    Map<Integer, OffsetRange> spans) {

  DecodedBatch {
    events = List.copyOf(events);
    cuts = List.copyOf(cuts);
    poison = List.copyOf(poison);
    spans = Map.copyOf(spans);
  }

  /**
   * Returns the part of the batch at or after these offsets. Drops partitions that are not named
   * and those with no remaining records.
   */
  DecodedBatch from(Map<Integer, Long> offsets) {
    if (spans.entrySet().stream()
        .allMatch(e -> isAfter(e.getKey(), e.getValue().first(), offsets))) {
      return this;
    }
    Map<Integer, OffsetRange> rest = new HashMap<>();
    spans.forEach(
        (partition, span) -> {
          long from = offsets.getOrDefault(partition, Long.MAX_VALUE);
          if (span.next() > from) {
            rest.put(partition, new OffsetRange(Math.max(span.first(), from), span.next()));
          }
        });
    return new DecodedBatch(
        events.stream().filter(e -> isAfter(e.partition(), e.record().offset(), offsets)).toList(),
        cuts.stream()
            .filter(c -> isAfter(c.event().partition(), c.event().record().offset(), offsets))
            .toList(),
        poison.stream()
            .filter(p -> isAfter(p.record().partition(), p.record().offset(), offsets))
            .toList(),
        rest);
  }

  /** Returns the distinct lease tokens of its runner events. */
  Set<String> leases() {
    Set<String> leases = new HashSet<>();
    for (EventRow event : events) {
      String lease = event.lease();
      if (lease != null && !event.id().lane().isControl()) {
        leases.add(lease);
      }
    }
    return leases;
  }

  /**
   * Moves the refused events to the poison records.
   *
   * @param refusal returns the reason in one line; null to keep the event
   */
  DecodedBatch without(Function<EventRow, @Nullable String> refusal) {
    List<EventRow> kept = new ArrayList<>(events.size());
    List<PoisonRecord> bad = new ArrayList<>();
    Set<EventRow> refused = Collections.newSetFromMap(new IdentityHashMap<>());
    for (EventRow event : events) {
      String reason = refusal.apply(event);
      if (reason == null) {
        kept.add(event);
      } else {
        refused.add(event);
        bad.add(new PoisonRecord(event.record(), event.id() + ": " + reason));
      }
    }
    if (bad.isEmpty()) {
      return this;
    }
    bad.addAll(poison);
    return new DecodedBatch(
        kept, cuts.stream().filter(cut -> !refused.contains(cut.event())).toList(), bad, spans);
  }

  private static boolean isAfter(int partition, long offset, Map<Integer, Long> offsets) {
    return offset >= offsets.getOrDefault(partition, Long.MAX_VALUE);
  }

  /** Returns the part of the batch up to its first {@code many} events, without poison. */
  DecodedBatch head(int many) {
    List<EventRow> first = events.subList(0, many);
    Map<Integer, OffsetRange> covered = new HashMap<>();
    for (EventRow event : first) {
      covered.merge(
          event.partition(),
          new OffsetRange(event.record().offset(), event.position()),
          (old, now) -> old.plus(event.record().offset()));
    }
    return new DecodedBatch(
        first,
        cuts.stream().filter(cut -> isCovered(cut.event(), covered)).toList(),
        List.of(),
        covered);
  }

  /** Returns the same positions without events, cuts and poison. */
  DecodedBatch withoutEvents() {
    return new DecodedBatch(List.of(), List.of(), List.of(), spans);
  }

  private static boolean isCovered(EventRow event, Map<Integer, OffsetRange> covered) {
    OffsetRange span = covered.get(event.partition());
    return span != null && event.record().offset() < span.next();
  }

  /** Returns the offset of the first record of each partition. */
  Map<Integer, Long> first() {
    return offsets(OffsetRange::first);
  }

  /** Returns the next offset of each partition after this batch. */
  Map<Integer, Long> next() {
    return offsets(OffsetRange::next);
  }

  private Map<Integer, Long> offsets(ToLongFunction<OffsetRange> of) {
    Map<Integer, Long> offsets = new HashMap<>();
    spans.forEach((partition, span) -> offsets.put(partition, of.applyAsLong(span)));
    return offsets;
  }

  boolean isEmpty() {
    return spans.isEmpty();
  }

  /** Returns the runs that ended or started to wait with an event of this batch. */
  Set<String> resting() {
    return events.stream()
        .filter(event -> RunsQuiescedEvent.TYPES.contains(event.type()))
        .map(event -> event.id().run())
        .collect(Collectors.toSet());
  }

  Set<String> runs() {
    return events.stream().map(e -> e.id().run()).collect(Collectors.toSet());
  }
}
