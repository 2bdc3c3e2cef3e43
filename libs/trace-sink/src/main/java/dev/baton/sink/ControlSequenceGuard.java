/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import io.smallrye.mutiny.Uni;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Refuses unsigned control events that skip a seq. Accepted, one of a very large seq would end the
 * lane: all true events after it would be duplicates. A signed event proves its seq, so it is
 * accepted after a gap, which the fold notes. Not for concurrent batches.
 */
final class ControlSequenceGuard {
  /** The archive of a run that was resumed in spite of a gap has the gap, too. */
  static final long MOST_MISSING_IN_ARCHIVE = 1_000;

  private record RecordPlace(int partition, long offset) {
    static RecordPlace of(SinkRecord record) {
      return new RecordPlace(record.partition(), record.record().offset());
    }
  }

  private final ControlSeqStore store;
  private volatile Map<RecordPlace, String> refused = Map.of();

  ControlSequenceGuard(ControlSeqStore store) {
    this.store = store;
  }

  /**
   * Decides about the events of a batch; one without unsigned control events needs no request.
   *
   * @param isUnsigned whether a control event is admitted without a signature
   * @param isSigned whether its signature is valid
   */
  Uni<Void> learn(
      SinkBatch batch, Predicate<SinkRecord> isUnsigned, Predicate<SinkRecord> isSigned) {
    Set<String> runs = new HashSet<>();
    for (SinkRecord record : batch.records()) {
      // The first seq skips none.
      if (record.id().lane().isControl() && record.id().seq() > 1 && isUnsigned.test(record)) {
        runs.add(record.id().run());
      }
    }
    if (runs.isEmpty()) {
      refused = Map.of();
      return Uni.createFrom().voidItem();
    }
    return store
        .read(runs)
        .invoke(applied -> refused = refusals(batch, runs, applied, isUnsigned, isSigned))
        .replaceWithVoid();
  }

  private static Map<RecordPlace, String> refusals(
      SinkBatch batch,
      Set<String> runs,
      Map<String, Long> applied,
      Predicate<SinkRecord> isUnsigned,
      Predicate<SinkRecord> isSigned) {
    Map<String, Long> last = new HashMap<>(applied);
    Map<RecordPlace, String> refusals = new HashMap<>();
    for (SinkRecord record : batch.records()) {
      String run = record.id().run();
      long seq = record.id().seq();
      long before = last.getOrDefault(run, 0L);
      if (!record.id().lane().isControl() || !runs.contains(run) || seq <= before) {
        continue;
      }
      long most = before + 1 + (isRestored(record) ? MOST_MISSING_IN_ARCHIVE : 0);
      if (isSigned.test(record) || isUnsigned.test(record) && seq <= most) {
        last.put(run, seq);
      } else if (isUnsigned.test(record)) {
        refusals.put(
            RecordPlace.of(record),
            "sequence refused: lane %s expects seq %d, found %d, and it is not signed"
                .formatted(Lane.CONTROL, before + 1, seq));
      }
    }
    return Map.copyOf(refusals);
  }

  private static boolean isRestored(SinkRecord record) {
    return TraceCodec.isRestored(record.record().headers());
  }

  /** Returns in one line why the record must not be applied; null if it skips no seq. */
  @Nullable String refusal(SinkRecord record) {
    return refused.isEmpty() ? null : refused.get(RecordPlace.of(record));
  }
}
