/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.CommitLogChunkRequest;
import dev.baton.protocol.grpc.CommitLogChunkResponse;
import dev.baton.protocol.grpc.LogLine;
import dev.baton.protocol.grpc.LogOwner;
import dev.baton.protocol.grpc.PrepareLogChunkRequest;
import dev.baton.protocol.grpc.PrepareLogChunkResponse;
import dev.baton.protocol.grpc.ReadLogRequest;
import dev.baton.protocol.grpc.ReadLogResponse;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.logs.LogChunkName;
import dev.baton.store.logs.LogChunkService;
import dev.baton.store.logs.LogPage;
import dev.baton.store.logs.LogPageReader;
import dev.baton.store.logs.LogQuery;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.scheduling.BlockingExecutor;
import dev.baton.store.snapshot.EpochGuard;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;

/** Serves the calls that upload and read logs of runs. */
@ApplicationScoped
class LogGrpcHandler {
  private static final long MOST_LINES = 1_000_000_000_000L;

  private final LogChunkService chunks;
  private final LogPageReader pages;
  private final EpochGuard holder;
  private final BlockingExecutor aside;

  LogGrpcHandler(
      LogChunkService chunks, LogPageReader pages, EpochGuard holder, BlockingExecutor aside) {
    this.chunks = chunks;
    this.pages = pages;
    this.holder = holder;
    this.aside = aside;
  }

  Uni<PrepareLogChunkResponse> prepare(PrepareLogChunkRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    ObjectName object =
        object(request.getCaller().getProject(), request.getDigest(), request.getSizeBytes());
    int epoch = epoch(request.getLogEpoch(), request.getCaller().getEpoch());
    long first = StoreRequestValidator.between("first_line", request.getFirstLine(), 1, MOST_LINES);
    LogChunkName name = LogChunkName.of(object.project(), run, epoch, first, object.hash());
    return holder
        .requireLogWriter(
            run, request.getCaller().getEpoch(), object.project(), request.getCaller().getLease())
        .map(
            none ->
                PrepareLogChunkResponse.newBuilder()
                    .setPutUrl(chunks.putUrl(name))
                    .putAllHeaders(chunks.putHeaders(name))
                    .build());
  }

  Uni<CommitLogChunkResponse> commit(CommitLogChunkRequest request) {
    String run = StoreRequestValidator.run(request.getCaller().getRun());
    ObjectName object =
        object(request.getCaller().getProject(), request.getDigest(), request.getSizeBytes());
    return holder
        .requireLogWriter(
            run, request.getCaller().getEpoch(), object.project(), request.getCaller().getLease())
        .chain(
            () -> {
              LogIndex index =
                  LogChunkService.index(run, object.sizeBytes(), request.getIndex().toByteArray());
              epoch(index.epoch(), request.getCaller().getEpoch());
              return chunks.commit(object, index, request.getIndex().toByteArray());
            })
        .replaceWith(CommitLogChunkResponse.getDefaultInstance());
  }

  private static ObjectName object(String project, String digest, long size) {
    StoreRequestValidator.between("size_bytes", size, LogIndex.TRAILER, LogChunkService.LARGEST);
    return new ObjectName(project, ObjectKind.BLOB, digest, size);
  }

  /**
   * Checks that a runner uploads only lines of its own epoch, or lines that it found of earlier
   * epochs.
   */
  private static int epoch(int lines, int holder) {
    if (lines < 1 || (holder > 0 && lines > holder)) {
      throw StoreRequestException.invalid(
          "log_epoch is %d, allowed is 1 to the runner's own, %d".formatted(lines, holder));
    }
    return lines;
  }

  Uni<ReadLogResponse> read(ReadLogRequest request) {
    LogQuery query =
        new LogQuery(
            StoreRequestValidator.run(request.getRun()),
            (int) StoreRequestValidator.atLeastZero("from_epoch", request.getFromEpoch()),
            StoreRequestValidator.atLeastZero("from_line", request.getFromLine()),
            request.getStep(),
            (int) StoreRequestValidator.atLeastZero("visit", request.getVisit()),
            (int) StoreRequestValidator.atLeastZero("attempt", request.getAttempt()),
            StoreRequestValidator.atLeastZero("since_micros", request.getSinceMicros()),
            StoreRequestValidator.atLeastZero("until_micros", request.getUntilMicros()),
            StoreRequestValidator.between("tail", request.getTail(), 0, MOST_LINES),
            StoreRequestValidator.atLeastZero("limit", request.getLimit()));
    if (query.tail() > 0 && query.untilMicros() > 0) {
      throw StoreRequestException.invalid("tail and until_micros exclude each other");
    }
    return aside.run(() -> message(pages.read(query)));
  }

  private static ReadLogResponse message(LogPage page) {
    ReadLogResponse.Builder answer =
        ReadLogResponse.newBuilder()
            .setNextEpoch(page.epoch())
            .setNextLine(page.line())
            .setEnd(page.end())
            .setClosed(page.closed())
            .setLastMicros(page.lastMicros())
            .setBegun(page.begun())
            .addAllCutOff(page.cutOff());
    Map<LogAttempt, Integer> owners = new LinkedHashMap<>();
    for (LogPage.Line line : page.lines()) {
      int owner = owners.computeIfAbsent(line.of(), key -> owners.size());
      answer.addLines(
          LogLine.newBuilder()
              .setEpoch(line.epoch())
              .setLine(line.number())
              .setOwner(owner)
              .setStream(line.record().stream().ordinal())
              .setMicros(line.record().micros())
              .setCut(line.record().cut())
              .setText(UnsafeByteOperations.unsafeWrap(line.record().bytes()))
              .setMissingLines(line.record().missing().lines())
              .setMissingBytes(line.record().missing().bytes()));
    }
    owners
        .keySet()
        .forEach(
            of ->
                answer.addOwners(
                    LogOwner.newBuilder()
                        .setStep(of.step())
                        .setVisit(of.visit())
                        .setAttempt(of.attempt())));
    return answer.build();
  }
}
