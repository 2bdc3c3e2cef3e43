/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.GcReport;
import dev.baton.protocol.grpc.MaintenanceServiceGrpc;
import dev.baton.protocol.grpc.MeasureProjectsRequest;
import dev.baton.protocol.grpc.MeasureProjectsResponse;
import dev.baton.protocol.grpc.ReindexReport;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.grpc.RetentionReport;
import dev.baton.protocol.grpc.RunGcRequest;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.ScrubReport;
import dev.baton.protocol.grpc.ScrubRequest;
import dev.baton.protocol.grpc.VerifyEventsRequest;
import dev.baton.protocol.grpc.VerifyEventsResponse;
import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;

/** Serves the deletion of runs and the maintenance of the store. */
@GrpcService
class MaintenanceGrpcService extends MaintenanceServiceGrpc.MaintenanceServiceImplBase {
  private final MaintenanceGrpcHandler maintenanceCalls;

  MaintenanceGrpcService(MaintenanceGrpcHandler maintenanceCalls) {
    this.maintenanceCalls = maintenanceCalls;
  }

  @Override
  public void deleteRun(DeleteRunRequest request, StreamObserver<DeleteRunResponse> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.delete(request));
  }

  @Override
  public void runRetention(RunRetentionRequest request, StreamObserver<RetentionReport> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.retention(request));
  }

  @Override
  public void runGc(RunGcRequest request, StreamObserver<GcReport> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.gc(request));
  }

  @Override
  public void scrub(ScrubRequest request, StreamObserver<ScrubReport> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.scrub(request));
  }

  @Override
  public void verifyEvents(
      VerifyEventsRequest request, StreamObserver<VerifyEventsResponse> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.verifyEvents(request));
  }

  @Override
  public void reindex(ReindexRequest request, StreamObserver<ReindexReport> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.reindex(request));
  }

  @Override
  public void measureProjects(
      MeasureProjectsRequest request, StreamObserver<MeasureProjectsResponse> observer) {
    UnaryAnswer.send(observer, () -> maintenanceCalls.measure(request));
  }
}
