/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.DeleteRunResponse;
import dev.baton.protocol.grpc.Finding;
import dev.baton.protocol.grpc.GcReport;
import dev.baton.protocol.grpc.MeasureProjectsRequest;
import dev.baton.protocol.grpc.MeasureProjectsResponse;
import dev.baton.protocol.grpc.ProjectStorage;
import dev.baton.protocol.grpc.ReindexReport;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.grpc.RetentionReport;
import dev.baton.protocol.grpc.RunCounts;
import dev.baton.protocol.grpc.RunGcRequest;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.ScrubReport;
import dev.baton.protocol.grpc.ScrubRequest;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.grpc.VerifyCheckpointResponse;
import dev.baton.protocol.grpc.VerifyEventsRequest;
import dev.baton.protocol.grpc.VerifyEventsResponse;
import dev.baton.store.deletion.RunEraser;
import dev.baton.store.gc.PackGarbageCollector;
import dev.baton.store.objects.ObjectName;
import dev.baton.store.packs.ProjectStorageMeter;
import dev.baton.store.reindex.BucketReindexer;
import dev.baton.store.retention.RetentionService;
import dev.baton.store.scheduling.BlockingExecutor;
import dev.baton.store.verify.CheckpointVerifier;
import dev.baton.store.verify.EventProofReport;
import dev.baton.store.verify.EventProofVerifier;
import dev.baton.store.verify.PackScrubber;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.TreeMap;

/**
 * Runs maintenance (verify, scrub, retention, gc, delete, reindex, measure) on request and returns
 * a report.
 */
@ApplicationScoped
class MaintenanceGrpcHandler {
  private final BlockingExecutor aside;
  private final CheckpointVerifier verifier;
  private final PackScrubber scrub;
  private final RetentionService retention;
  private final PackGarbageCollector collection;
  private final RunEraser deletion;
  private final BucketReindexer reindex;
  private final EventProofVerifier proofs;
  private final ProjectStorageMeter meter;

  MaintenanceGrpcHandler(
      BlockingExecutor aside,
      CheckpointVerifier verifier,
      PackScrubber scrub,
      RetentionService retention,
      PackGarbageCollector collection,
      RunEraser deletion,
      BucketReindexer reindex,
      EventProofVerifier proofs,
      ProjectStorageMeter meter) {
    this.meter = meter;
    this.aside = aside;
    this.verifier = verifier;
    this.scrub = scrub;
    this.retention = retention;
    this.collection = collection;
    this.deletion = deletion;
    this.reindex = reindex;
    this.proofs = proofs;
  }

  Uni<VerifyCheckpointResponse> verify(VerifyCheckpointRequest request) {
    String id = StoreRequestValidator.checkpoint(request.getId());
    return aside.run(
        () -> {
          CheckpointVerifier.Report report = verifier.verify(id);
          return VerifyCheckpointResponse.newBuilder()
              .setVerified(report.findings().isEmpty())
              .addAllFindings(
                  report.findings().stream().map(MaintenanceGrpcHandler::message).toList())
              .setPacks(report.packs())
              .setBytes(report.bytes())
              .build();
        });
  }

  Uni<VerifyEventsResponse> verifyEvents(VerifyEventsRequest request) {
    return Uni.createFrom()
        .item(() -> StoreRequestValidator.run(request.getRun()))
        .chain(proofs::verify)
        .map(MaintenanceGrpcHandler::message);
  }

  private static VerifyEventsResponse message(EventProofReport report) {
    VerifyEventsResponse.Builder response =
        VerifyEventsResponse.newBuilder()
            .setSigned(report.isSigned())
            .setNeedsLease(report.needsLease())
            .setControlEvents(report.controlEvents())
            .setSignedEvents(report.signedEvents())
            .setRunnerEvents(report.runnerEvents())
            .setLeasedEvents(report.leasedEvents())
            .setWrong(report.wrong());
    new TreeMap<>(report.keys())
        .forEach(
            (kid, use) ->
                response
                    .addKeysBuilder()
                    .setKid(kid)
                    .setPublished(use.published())
                    .setControlEvents(use.controlEvents())
                    .setRunnerEvents(use.runnerEvents()));
    for (EventProofReport.Problem problem : report.problems()) {
      response
          .addProblemsBuilder()
          .setEvent(problem.event())
          .setReason(problem.reason())
          .setDetail(problem.detail())
          .setEvents(problem.events());
    }
    for (EventProofReport.Gap gap : report.gaps()) {
      response.addGapsBuilder().setExpected(gap.expected()).setFound(gap.found());
    }
    return response.build();
  }

  Uni<ScrubReport> scrub(ScrubRequest request) {
    long most = StoreRequestValidator.atLeastZero("max_bytes", request.getMaxBytes());
    return aside.run(
        () -> {
          PackScrubber.Report report = scrub.run(most);
          return ScrubReport.newBuilder()
              .setPacks(report.packs())
              .setBytes(report.bytes())
              .addAllFindings(
                  report.findings().stream().map(MaintenanceGrpcHandler::message).toList())
              .build();
        });
  }

  private static Finding message(dev.baton.store.verify.VerificationFinding finding) {
    return Finding.newBuilder()
        .setPack(finding.pack())
        .setWhat(finding.what())
        .addAllCheckpoints(finding.checkpoints())
        .addAllRuns(finding.runs())
        .build();
  }

  Uni<RetentionReport> retention(RunRetentionRequest request) {
    String run = request.getRun().isEmpty() ? "" : StoreRequestValidator.run(request.getRun());
    return aside.run(
        () -> {
          RetentionService.Report report = retention.run(run, request.getDryRun());
          return RetentionReport.newBuilder()
              .setRuns(report.runs())
              .setKept(report.kept())
              .addAllDeleted(report.deleted())
              .setProtectedOnes(report.spared())
              .build();
        });
  }

  Uni<GcReport> gc(RunGcRequest request) {
    return aside.run(
        () -> {
          PackGarbageCollector.Report report = collection.run(request.getDryRun());
          return GcReport.newBuilder()
              .setDoomed(report.doomed())
              .setDeletedPacks(report.deletedPacks())
              .setDeletedBytes(report.deletedBytes())
              .setOrphanObjects(report.orphanObjects())
              .setOrphanBytes(report.orphanBytes())
              .build();
        });
  }

  Uni<DeleteRunResponse> delete(DeleteRunRequest request) {
    String run = StoreRequestValidator.run(request.getRun());
    return aside.run(
        () -> {
          RunEraser.Proof proof = deletion.delete(run, request.getNow(), request.getForce());
          return DeleteRunResponse.newBuilder()
              .setDeleted(message(proof.deleted()))
              .setLeft(message(proof.left()))
              .setPacksWaiting(Math.toIntExact(proof.packsWaiting()))
              .setPacksWaitingBytes(proof.packsWaitingBytes())
              .build();
        });
  }

  private static RunCounts message(dev.baton.store.deletion.RunCounts counts) {
    return RunCounts.newBuilder()
        .setEvents(counts.events())
        .setCuts(counts.cuts())
        .setCheckpoints(counts.checkpoints())
        .setManifests(counts.manifests())
        .setBlobs(counts.blobs())
        .setPacks(counts.packs())
        .setBytes(counts.bytes())
        .setOrigins(counts.origins())
        .setArchived(counts.archived())
        .build();
  }

  Uni<ReindexReport> reindex(ReindexRequest request) {
    return aside.run(
        () -> {
          BucketReindexer.Report report = reindex.run(request.getProject());
          return ReindexReport.newBuilder()
              .setPacks(report.packs())
              .setChunks(report.chunks())
              .setCheckpoints(report.checkpoints())
              .addAllProblems(report.problems())
              .setLogChunks(report.logChunks())
              .build();
        });
  }

  Uni<MeasureProjectsResponse> measure(MeasureProjectsRequest request) {
    return meter
        .measure(request.getProjectsList().stream().map(ObjectName::project).distinct().toList())
        .map(
            bytes -> {
              MeasureProjectsResponse.Builder response = MeasureProjectsResponse.newBuilder();
              bytes.forEach(
                  (project, size) ->
                      response.addProjects(
                          ProjectStorage.newBuilder().setProject(project).setBytes(size)));
              return response.build();
            });
  }
}
