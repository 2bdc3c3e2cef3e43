/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The decoded records of one poll, in log order within each partition. Immutable.
 *
 * @param poison records that are not applied
 * @param spans by partition, the covered offsets
 */
public record SinkBatch(
    List<SinkRecord> records, List<PoisonRecord> poison, Map<Integer, OffsetRange> spans) {

  public SinkBatch {
    records = List.copyOf(records);
    poison = List.copyOf(poison);
    spans = Map.copyOf(spans);
  }

  /**
   * Returns the part of the batch at or after these offsets. Drops partitions that are not named
   * and those with no remaining records.
   */
  public SinkBatch from(Map<Integer, Long> offsets) {
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
    return new SinkBatch(
        records.stream().filter(r -> isAfter(r.partition(), r.record().offset(), offsets)).toList(),
        poison.stream()
            .filter(p -> isAfter(p.record().partition(), p.record().offset(), offsets))
            .toList(),
        rest);
  }

  private static boolean isAfter(int partition, long offset, Map<Integer, Long> offsets) {
    return offset >= offsets.getOrDefault(partition, Long.MAX_VALUE);
  }

  /** Returns the distinct lease tokens of its runner events. */
  public Set<String> leases() {
    Set<String> leases = new HashSet<>();
    for (SinkRecord record : records) {
      String lease = record.lease();
      if (lease != null && !record.id().lane().isControl()) {
        leases.add(lease);
      }
    }
    return leases;
  }

  /** Returns the distinct signatures of its control events. */
  public Set<String> signatures() {
    Set<String> signatures = new HashSet<>();
    for (SinkRecord record : records) {
      if (record.id().lane().isControl()) {
        String signature = record.signature();
        if (signature != null) {
          signatures.add(signature);
        }
      }
    }
    return signatures;
  }

  /**
   * Moves the refused records to the poison.
   *
   * @param refusal returns the reason in one line; null to keep the record
   */
  SinkBatch without(Function<SinkRecord, @Nullable String> refusal) {
    List<SinkRecord> kept = new ArrayList<>(records.size());
    List<PoisonRecord> bad = new ArrayList<>();
    for (SinkRecord record : records) {
      String reason = refusal.apply(record);
      if (reason == null) {
        kept.add(record);
      } else {
        bad.add(
            new PoisonRecord(
                record.record(), PoisonRecord.Kind.REFUSED, record.id() + ": " + reason));
      }
    }
    if (bad.isEmpty()) {
      return this;
    }
    bad.addAll(poison);
    return new SinkBatch(kept, bad, spans);
  }

  /** Returns the part of the batch up to its first {@code many} records, without poison. */
  public SinkBatch head(int many) {
    List<SinkRecord> first = records.subList(0, many);
    Map<Integer, OffsetRange> covered = new HashMap<>();
    for (SinkRecord record : first) {
      covered.merge(
          record.partition(),
          new OffsetRange(record.record().offset(), record.position()),
          (old, now) -> old.plus(record.record().offset()));
    }
    return new SinkBatch(first, List.of(), covered);
  }

  /** Returns the same positions without records and poison. */
  SinkBatch withoutRecords() {
    return new SinkBatch(List.of(), List.of(), spans);
  }

  /** Returns the offset of the first record of each partition. */
  Map<Integer, Long> first() {
    return offsets(OffsetRange::first);
  }

  /** Returns the next offset of each partition after this batch. */
  public Map<Integer, Long> next() {
    return offsets(OffsetRange::next);
  }

  private Map<Integer, Long> offsets(ToLongFunction<OffsetRange> of) {
    Map<Integer, Long> offsets = new HashMap<>();
    spans.forEach((partition, span) -> offsets.put(partition, of.applyAsLong(span)));
    return offsets;
  }

  /** Returns the runs of its records. */
  public Set<String> runs() {
    return records.stream().map(record -> record.id().run()).collect(Collectors.toSet());
  }
}
