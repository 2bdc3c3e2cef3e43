/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.LogOwner;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.log.LogStream;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;

/** Reads pages of runs' logs from the checkpoint-store. Blocks. Thread-safe. */
@ApplicationScoped
class StoredLogClient {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long MICROS = 1_000_000;

  private final StoreChannel store;

  StoredLogClient(StoreChannel store) {
    this.store = store;
  }

  /**
   * Reads a page.
   *
   * @param epoch with {@code line}: the first line; 0: the first line of the log, or of the last
   *     {@code tail} lines
   * @param limit maximum number of lines; 0: no limit
   * @throws dev.baton.orchestrator.problem.ProblemException when the store does not answer
   */
  ReadLogResponse read(String run, LogRequest wanted, int epoch, long line, long tail, long limit) {
    ReadLogRequest request =
        ReadLogRequest.newBuilder()
            .setRun(run)
            .setFromEpoch(epoch)
            .setFromLine(line)
            .setStep(wanted.step() == null ? "" : wanted.step())
            .setVisit(wanted.visit())
            .setAttempt(wanted.attempt())
            .setSinceMicros(LogRequest.micros(wanted.since()))
            .setUntilMicros(LogRequest.micros(wanted.until()))
            .setTail(tail)
            .setLimit(limit)
            .build();
    return store
        .within(PATIENCE)
        .snapshots()
        .readLog(request)
        // A store version without logs.
        .onFailure(StoredLogClient::isUnknownCall)
        .recoverWithItem(
            ReadLogResponse.newBuilder()
                .setNextEpoch(epoch)
                .setNextLine(Math.max(1, line))
                .setEnd(true)
                .build())
        .onFailure()
        .transform(store::problem)
        .await()
        .atMost(PATIENCE.plusSeconds(5));
  }

  private static boolean isUnknownCall(Throwable failure) {
    return failure instanceof StatusRuntimeException refused
        && refused.getStatus().getCode() == Status.Code.UNIMPLEMENTED;
  }

  /** Converts a line of a page. */
  static LogLineView line(ReadLogResponse page, dev.baton.protocol.grpc.LogLine of) {
    LogOwner owner = page.getOwners(of.getOwner());
    return new LogLineView(
        owner.getStep(),
        owner.getVisit(),
        owner.getAttempt(),
        of.getEpoch(),
        of.getLine(),
        LogStream.values()[of.getStream()].word(),
        Instant.ofEpochSecond(of.getMicros() / MICROS, of.getMicros() % MICROS * 1_000),
        of.getText().toString(UTF_8),
        of.getCut() ? Boolean.TRUE : null,
        of.getMissingLines() == 0 ? null : (Long) of.getMissingLines(),
        of.getMissingBytes() == 0 ? null : (Long) of.getMissingBytes());
  }
}
