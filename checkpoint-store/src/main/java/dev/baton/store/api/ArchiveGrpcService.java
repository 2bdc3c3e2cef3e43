/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.grpc.ArchiveServiceGrpc;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ListArchiveResponse;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;

/** Serves the git archive. */
@GrpcService
class ArchiveGrpcService extends ArchiveServiceGrpc.ArchiveServiceImplBase {
  private final ArchiveGrpcHandler archiveCalls;

  ArchiveGrpcService(ArchiveGrpcHandler archiveCalls) {
    this.archiveCalls = archiveCalls;
  }

  @Override
  public void listArchive(
      ListArchiveRequest request, StreamObserver<ListArchiveResponse> observer) {
    UnaryAnswer.send(observer, () -> archiveCalls.list(request));
  }
}
