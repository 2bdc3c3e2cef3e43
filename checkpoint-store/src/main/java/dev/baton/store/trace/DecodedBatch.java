/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one poll brought, in the log's order within each partition.
 *
 * @param next by partition: the offset after the last record of this batch, poison included
 * @param unknown how many of the events are of a type that this version does not know
 */
record DecodedBatch(
    List<EventRow> events,
    List<CutRow> cuts,
    List<Poison> poison,
    Map<Integer, Long> next,
    int unknown) {

  DecodedBatch {
    events = List.copyOf(events);
    cuts = List.copyOf(cuts);
    poison = List.copyOf(poison);
    next = Map.copyOf(next);
  }

  /**
   * The part of the batch that lies at or after these offsets; partitions that are not named are
   * dropped, as are those of which nothing is left.
   */
  DecodedBatch from(Map<Integer, Long> offsets) {
    Map<Integer, Long> rest =
        next.entrySet().stream()
            .filter(e -> e.getValue() > offsets.getOrDefault(e.getKey(), Long.MAX_VALUE))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    return new DecodedBatch(
        events.stream().filter(e -> isAfter(e.partition(), e.offset(), offsets)).toList(),
        cuts.stream()
            .filter(c -> isAfter(c.event().partition(), c.event().offset(), offsets))
            .toList(),
        poison.stream()
            .filter(p -> isAfter(p.record().partition(), p.record().offset(), offsets))
            .toList(),
        rest,
        unknown);
  }

  private static boolean isAfter(int partition, long offset, Map<Integer, Long> offsets) {
    return offset >= offsets.getOrDefault(partition, Long.MAX_VALUE);
  }

  boolean isEmpty() {
    return next.isEmpty();
  }

  Set<String> runs() {
    return events.stream().map(e -> e.id().run()).collect(Collectors.toSet());
  }
}
