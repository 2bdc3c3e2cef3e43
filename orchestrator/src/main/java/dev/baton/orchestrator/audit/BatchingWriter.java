/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Writes items in batches: those that arrive while a batch is written share the next one, so that
 * many concurrent calls cost a few commits. Thread-safe.
 */
final class BatchingWriter<T> {
  private static final int MAX_WAITING = 10_000;
  private static final int MAX_BATCH = 1_000;
  private static final long MAX_WAITING_BYTES = 32L << 20;
  private static final long MAX_BATCH_BYTES = 4L << 20;
  private static final Duration SQL = Duration.ofSeconds(10);

  private record Pending<T>(T item, long bytes, CompletableFuture<Void> done) {}

  private final Function<List<T>, Uni<Void>> statement;
  private final ToLongFunction<T> size;
  private final ArrayDeque<Pending<T>> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean busy;

  /**
   * @param statement writes a batch with one commit: up to 1,000 items, and no more after 4 MiB
   * @param size estimates the bytes of an item
   */
  BatchingWriter(Function<List<T>, Uni<Void>> statement, ToLongFunction<T> size) {
    this.statement = statement;
    this.size = size;
  }

  /**
   * Completes when the item is committed. Fails with {@link ProblemKind#BUSY} when 10,000 items or
   * 32 MiB wait, else like the statement.
   */
  Uni<Void> write(T item) {
    return Uni.createFrom()
        .completionStage(
            () -> {
              Pending<T> pending =
                  new Pending<>(item, size.applyAsLong(item), new CompletableFuture<>());
              enqueue(pending);
              return pending.done();
            });
  }

  private void enqueue(Pending<T> pending) {
    synchronized (waiting) {
      if (waiting.size() >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES) {
        throw new ProblemException(
            ProblemKind.BUSY,
            "%d records of the audit log wait for Postgres; try again in a moment"
                .formatted(waiting.size()));
      }
      waiting.add(pending);
      waitingBytes += pending.bytes();
      if (busy) {
        return;
      }
      busy = true;
    }
    next();
  }

  private void next() {
    List<Pending<T>> batch = take();
    if (batch.isEmpty()) {
      return;
    }
    // Deferred: a failure before the first statement must not leave the writer busy.
    Uni.createFrom()
        .deferred(() -> statement.apply(batch.stream().map(Pending::item).toList()))
        .ifNoItem()
        .after(SQL)
        .fail()
        .subscribe()
        .with(
            written -> {
              next();
              batch.forEach(pending -> pending.done().complete(null));
            },
            failure -> {
              next();
              batch.forEach(pending -> pending.done().completeExceptionally(failure));
            });
  }

  private List<Pending<T>> take() {
    synchronized (waiting) {
      List<Pending<T>> batch = new ArrayList<>();
      long bytes = 0;
      while (!waiting.isEmpty() && batch.size() < MAX_BATCH && bytes < MAX_BATCH_BYTES) {
        Pending<T> pending = waiting.remove();
        bytes += pending.bytes();
        batch.add(pending);
      }
      waitingBytes -= bytes;
      busy = !batch.isEmpty();
      return batch;
    }
  }
}
