/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import com.google.protobuf.UnsafeByteOperations;
import dev.baton.protocol.grpc.ArchivedRun;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ListArchiveResponse;
import dev.baton.store.archive.ArchivedRunReader;
import dev.baton.store.scheduling.BlockingExecutor;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Semaphore;

/**
 * Serves queries about the git archive. They read a disk, so they run on a blocking executor, at
 * most four at a time.
 */
@ApplicationScoped
class ArchiveGrpcHandler {
  private static final int PAGE = 100;

  private final BlockingExecutor aside;
  private final ArchivedRunReader history;
  private final Semaphore readers = new Semaphore(4);

  ArchiveGrpcHandler(BlockingExecutor aside, ArchivedRunReader history) {
    this.aside = aside;
    this.history = history;
  }

  Uni<ListArchiveResponse> list(ListArchiveRequest request) {
    int limit =
        request.getLimit() == 0
            ? PAGE
            : (int)
                StoreRequestValidator.between(
                    "limit", request.getLimit(), 1, ArchivedRunReader.MOST);
    String before =
        request.getCursor().isEmpty() ? "" : StoreRequestValidator.run(request.getCursor());
    return aside.run(
        () -> {
          readers.acquireUninterruptibly();
          try {
            return message(
                history.list(
                    before,
                    limit,
                    request.hasVisible() ? request.getVisible().getProjectsList() : null));
          } finally {
            readers.release();
          }
        });
  }

  private static ListArchiveResponse message(ArchivedRunReader.Page page) {
    ListArchiveResponse.Builder response = ListArchiveResponse.newBuilder();
    for (ArchivedRunReader.Entry run : page.runs()) {
      response.addRuns(
          ArchivedRun.newBuilder()
              .setRun(run.run())
              .setCommit(run.commit())
              .setArchivedAtMicros(ChronoUnit.MICROS.between(Instant.EPOCH, run.at()))
              .setManifest(UnsafeByteOperations.unsafeWrap(run.manifest())));
    }
    if (page.next() != null) {
      response.setNextCursor(page.next());
    }
    return response.build();
  }
}
