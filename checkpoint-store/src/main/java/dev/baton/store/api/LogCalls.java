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
import dev.baton.store.background.Aside;
import dev.baton.store.failure.StoreFailure;
import dev.baton.store.logs.LogChunks;
import dev.baton.store.logs.LogName;
import dev.baton.store.logs.LogPage;
import dev.baton.store.logs.LogPages;
import dev.baton.store.logs.LogQuery;
import dev.baton.store.objects.ObjectKind;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.snapshot.Holder;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.LinkedHashMap;
import java.util.Map;

/** The calls about runs' logs. */
@ApplicationScoped
class LogCalls {
  private static final long MOST_LINES = 1_000_000_000_000L;

  private final LogChunks chunks;
  private final LogPages pages;
  private final Holder holder;
  private final Aside aside;

  LogCalls(LogChunks chunks, LogPages pages, Holder holder, Aside aside) {
    this.chunks = chunks;
    this.pages = pages;
    this.holder = holder;
    this.aside = aside;
  }

  Uni<PrepareLogChunkResponse> prepare(PrepareLogChunkRequest request) {
    String run = Requests.run(request.getRun());
    ObjectName object = object(request.getProject(), request.getDigest(), request.getSizeBytes());
    int epoch = epoch(request.getLogEpoch(), request.getEpoch());
    long first = Requests.between("first_line", request.getFirstLine(), 1, MOST_LINES);
    LogName name = LogName.of(object.project(), run, epoch, first, object.hash());
    return holder
        .requireLogWriter(run, request.getEpoch(), object.project(), request.getLease())
        .map(
            none ->
                PrepareLogChunkResponse.newBuilder()
                    .setPutUrl(chunks.putUrl(name))
                    .putAllHeaders(chunks.putHeaders(name))
                    .build());
  }

  Uni<CommitLogChunkResponse> commit(CommitLogChunkRequest request) {
    String run = Requests.run(request.getRun());
    ObjectName object = object(request.getProject(), request.getDigest(), request.getSizeBytes());
    return holder
        .requireLogWriter(run, request.getEpoch(), object.project(), request.getLease())
        .chain(
            () -> {
              LogIndex index =
                  LogChunks.index(run, object.sizeBytes(), request.getIndex().toByteArray());
              epoch(index.epoch(), request.getEpoch());
              return chunks.commit(object, index, request.getIndex().toByteArray());
            })
        .replaceWith(CommitLogChunkResponse.getDefaultInstance());
  }

  private static ObjectName object(String project, String digest, long size) {
    Requests.between("size_bytes", size, LogIndex.TRAILER, LogChunks.LARGEST);
    return new ObjectName(project, ObjectKind.BLOB, digest, size);
  }

  /** A runner has its own epoch's lines, and what it found of those before. */
  private static int epoch(int lines, int holder) {
    if (lines < 1 || (holder > 0 && lines > holder)) {
      throw StoreFailure.invalid(
          "log_epoch is %d, allowed is 1 to the runner's own, %d".formatted(lines, holder));
    }
    return lines;
  }

  Uni<ReadLogResponse> read(ReadLogRequest request) {
    LogQuery query =
        new LogQuery(
            Requests.run(request.getRun()),
            (int) Requests.atLeastZero("from_epoch", request.getFromEpoch()),
            Requests.atLeastZero("from_line", request.getFromLine()),
            request.getStep(),
            (int) Requests.atLeastZero("visit", request.getVisit()),
            (int) Requests.atLeastZero("attempt", request.getAttempt()),
            Requests.atLeastZero("since_micros", request.getSinceMicros()),
            Requests.atLeastZero("until_micros", request.getUntilMicros()),
            Requests.between("tail", request.getTail(), 0, MOST_LINES),
            Requests.atLeastZero("limit", request.getLimit()));
    if (query.tail() > 0 && query.untilMicros() > 0) {
      throw StoreFailure.invalid("tail and until_micros exclude each other");
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
