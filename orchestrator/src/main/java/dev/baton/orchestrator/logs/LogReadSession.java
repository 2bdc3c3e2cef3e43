/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.orchestrator.topics.TopicSizeWatcher;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.topic.TopicName;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads a run's log once: first the lines that the store has, then the newer lines of the live
 * tail. The position is {@code epoch:line}; a line of the tail is returned only at its position, so
 * no line is repeated or out of order. A gap in the tail is read from the store; if the store does
 * not get it in time, a notice line reports it. For one thread.
 */
final class LogReadSession {
  private static final Logger LOG = Logger.getLogger(LogReadSession.class);
  private static final Duration POLL = Duration.ofMillis(250);
  private static final Duration STATE = Duration.ofSeconds(10);

  /** How often the store is read while the tail has no lines. */
  private static final long STORE_LOOK_NANOS = Duration.ofSeconds(1).toNanos();

  /** How often opening the tail is retried while the brokers do not answer. */
  private static final long TAIL_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

  private static final long LOOK_MS = 100;

  /** How long to wait for the first lines after the run has ended. */
  private static final Duration FIRST_LINES = Duration.ofSeconds(1);

  /** How long to wait for the next chunk of an ended run. */
  private static final Duration NEXT_CHUNK = Duration.ofSeconds(10);

  /** How long to wait for a gap of the tail without follow. */
  private static final Duration GAP = Duration.ofSeconds(2);

  // Allows for clock differences between runners and brokers.
  private static final Duration EARLIER = Duration.ofMinutes(1);
  private static final Duration A_LITTLE_EARLIER = Duration.ofSeconds(5);

  private final Map<String, Object> kafka;
  private final TopicSizeWatcher sizes;
  private final RunQueryService runs;
  private final StoredLogClient stored;
  private final LogRequest request;
  private final MultiEmitter<? super Buffer> out;
  private final LogResponseWriter output;
  private RunView run;
  private int epoch;
  private long line;
  private long given;
  private boolean begun;
  private boolean closed;
  private boolean tailed;
  private long lastMicros;
  private long progressNanos = System.nanoTime();

  /** The highest line number that the tail has returned for this epoch. */
  private long seen;

  LogReadSession(
      Map<String, Object> kafka,
      TopicSizeWatcher sizes,
      RunQueryService runs,
      StoredLogClient stored,
      RunView run,
      LogRequest request,
      MultiEmitter<? super Buffer> out,
      LogResponseWriter output) {
    this.kafka = kafka;
    this.sizes = sizes;
    this.runs = runs;
    this.stored = stored;
    this.run = run;
    this.request = request;
    this.out = out;
    this.output = output;
    epoch = request.epoch();
    line = request.line();
  }

  /** Reads to the end, or until the caller disconnects. */
  void run() {
    try {
      readAll();
      output.flush(out);
      out.complete();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      out.complete();
    } catch (ProblemException e) {
      out.fail(e);
    } catch (RuntimeException e) {
      LOG.warnf(e, "log of run %s: read failed", run.id());
      out.fail(
          new ProblemException(ProblemKind.UNAVAILABLE, "cannot read the log: " + e.getMessage()));
    }
  }

  private void readAll() throws InterruptedException {
    readStore();
    if (isFull()) {
      return;
    }
    if (hasEnded()) {
      settle();
    }
    if (isFull() || output.isStopped() || (hasEnded() && closed && epoch >= run.epoch())) {
      return;
    }
    if (hasEnded() || !request.follow()) {
      readTail();
    } else {
      follow();
    }
  }

  private boolean isFull() {
    return request.limit() > 0 && given >= request.limit();
  }

  /** Returns the lines that the store has from the position on. */
  private void readStore() throws InterruptedException {
    while (!output.isStopped() && !isFull()) {
      long tail = tailed ? 0 : request.tail();
      tailed = true;
      long limit = request.limit() == 0 ? 0 : request.limit() - given;
      ReadLogResponse page = stored.read(run.id(), request, epoch, line, tail, limit);
      ArrayDeque<Integer> dead = new ArrayDeque<>(page.getCutOffList());
      for (dev.baton.protocol.grpc.LogLine next : page.getLinesList()) {
        while (!dead.isEmpty() && dead.getFirst() < next.getEpoch()) {
          diedAt(dead.removeFirst());
        }
        give(StoredLogClient.line(page, next));
      }
      while (!dead.isEmpty()) {
        diedAt(dead.removeFirst());
      }
      if (page.getNextEpoch() != epoch || page.getNextLine() > line) {
        progressNanos = System.nanoTime();
      }
      if (page.getNextEpoch() != epoch) {
        seen = 0;
      }
      epoch = page.getNextEpoch();
      line = Math.max(1, page.getNextLine());
      begun |= page.getBegun();
      lastMicros = Math.max(lastMicros, page.getLastMicros());
      if (page.getEnd()) {
        closed = page.getClosed();
        output.flush(out);
        return;
      }
    }
  }

  private void diedAt(int dead) throws InterruptedException {
    give(
        LogLineView.notice(
            dead,
            0,
            "the runner of epoch %d died: lines that it read last may be missing here"
                .formatted(dead),
            null));
  }

  private void give(LogLineView next) throws InterruptedException {
    if (!isFull()) {
      output.add(next, out);
      given++;
    }
  }

  private boolean hasEnded() {
    return RunStatus.valueOf(run.status().toUpperCase(Locale.ROOT)).isTerminal();
  }

  /** Waits for the chunks that have not arrived when a run has ended. */
  private void settle() throws InterruptedException {
    while (!output.isStopped() && !isFull() && !isSettled()) {
      output.pause(LOOK_MS);
      readStore();
    }
  }

  private boolean isSettled() {
    Instant end = run.endedAt();
    Duration since = end == null ? NEXT_CHUNK : Duration.between(end, Instant.now());
    if (begun && epoch >= run.epoch()) {
      Duration quiet = Duration.ofNanos(System.nanoTime() - progressNanos);
      return closed || (since.compareTo(NEXT_CHUNK) > 0 && quiet.compareTo(GAP) > 0);
    }
    return since.compareTo(seen > 0 ? NEXT_CHUNK : FIRST_LINES) > 0;
  }

  private LogTailConsumer open() {
    Instant from =
        begun && lastMicros > 0
            ? Instant.ofEpochMilli(lastMicros / 1_000).minus(A_LITTLE_EARLIER)
            : run.createdAt().minus(EARLIER);
    return new LogTailConsumer(
        kafka, run.id(), from, () -> sizes.candidates(TopicName.LOGS, run.id()));
  }

  /** Returns the lines that the tail has now. */
  private void readTail() throws InterruptedException {
    try (LogTailConsumer tail = open()) {
      Map<TopicPartition, Long> end = tail.ends();
      do {
        for (LogLineView next : tail.poll(POLL)) {
          if (isAhead(next)) {
            fill(next);
          }
          take(next);
        }
      } while (!output.isStopped() && !isFull() && !tail.isAt(end));
    } catch (KafkaException e) {
      give(
          LogLineView.notice(
              epoch,
              0,
              "the live tail cannot be read, the newest lines may be missing here: "
                  + e.getMessage(),
              null));
    }
    if (hasEnded() && begun && !closed) {
      diedAt(epoch);
    }
  }

  /** Whether earlier lines, of its epoch or an older one, have not been returned yet. */
  private boolean isAhead(LogLineView next) {
    return next.line() > 0
        && (next.epoch() > epoch ? next.line() > 1 : next.epoch() == epoch && next.line() > line);
  }

  /** Waits for the lines that the tail has skipped; reports the number of missing ones. */
  private void fill(LogLineView next) throws InterruptedException {
    long end = System.nanoTime() + GAP.toNanos();
    while (isAhead(next) && !output.isStopped()) {
      readStore();
      if (!isAhead(next)) {
        return;
      }
      if (System.nanoTime() >= end || hasEnded()) {
        skipTo(next);
        return;
      }
      output.pause(LOOK_MS);
    }
  }

  private void skipTo(LogLineView next) throws InterruptedException {
    if (next.epoch() > epoch) {
      enter(next.epoch());
    }
    long missing = next.line() - line;
    if (missing > 0) {
      give(
          LogLineView.notice(
              epoch,
              line,
              hasEnded()
                  ? missing + " lines are missing here: their runner died"
                  : missing + " lines are not here yet: read again from " + epoch + ":" + line,
              missing));
      line = next.line();
    }
  }

  private void enter(int next) throws InterruptedException {
    if (epoch > 0 && begun && !closed) {
      diedAt(epoch);
    }
    epoch = next;
    line = 1;
    seen = 0;
    closed = false;
    begun = false;
  }

  /** Returns a line of the tail if it is the next one. */
  private void take(LogLineView next) throws InterruptedException {
    if (next.line() <= 0) {
      // A line of a foreign runner has no position.
      if (request.epoch() == 0 && request.wants(next)) {
        give(next);
      }
      return;
    }
    if (next.epoch() > epoch && next.line() == 1) {
      enter(next.epoch());
    }
    if (next.epoch() == epoch) {
      if (next.line() == line) {
        line++;
        if (request.wants(next)) {
          give(next);
        }
      }
      seen = Math.max(seen, next.line());
    }
  }

  /** Returns lines as they arrive, until the run has ended and all of them are returned. */
  private void follow() throws InterruptedException {
    LogTailConsumer tail = null;
    try {
      long tryTailAt = System.nanoTime();
      long lookAt = System.nanoTime() + STORE_LOOK_NANOS;
      while (!output.isStopped() && !isFull()) {
        if (tail == null && System.nanoTime() >= tryTailAt) {
          tail = opened();
          tryTailAt = System.nanoTime() + TAIL_RETRY_NANOS;
        }
        boolean gap = takeNew(tail);
        output.flush(out);
        if (System.nanoTime() >= lookAt || gap) {
          readStore();
        }
        if (System.nanoTime() >= lookAt) {
          lookAt = System.nanoTime() + STORE_LOOK_NANOS;
          run = runs.get(run.id()).await().atMost(STATE);
          if (hasEnded()) {
            settle();
            break;
          }
        }
      }
    } finally {
      if (tail != null) {
        tail.close();
      }
    }
    if (!output.isStopped() && !isFull() && !(closed && epoch >= run.epoch())) {
      readTail();
    }
  }

  private @Nullable LogTailConsumer opened() {
    try {
      return open();
    } catch (KafkaException e) {
      LOG.debugf("log of run %s: live tail unavailable, retrying: %s", run.id(), e.getMessage());
      return null;
    }
  }

  /** Whether there is a gap between the position and the lines of the tail. */
  private boolean takeNew(@Nullable LogTailConsumer tail) throws InterruptedException {
    if (tail == null) {
      output.pause(POLL.toMillis());
      return true;
    }
    boolean gap = false;
    for (LogLineView next : tail.poll(POLL)) {
      if (next.epoch() > epoch && next.line() > 0) {
        // The rest of the previous epoch is in the store, or lost.
        readStore();
      }
      gap |= isAhead(next);
      take(next);
    }
    return gap;
  }
}
