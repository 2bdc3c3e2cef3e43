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
import dev.baton.store.background.Aside;
import dev.baton.store.deletion.RunDeletion;
import dev.baton.store.gc.Collection;
import dev.baton.store.reindex.Reindex;
import dev.baton.store.retention.Retention;
import dev.baton.store.verify.Scrub;
import dev.baton.store.verify.Verifier;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;

/** Work on the store itself, done at once and reported. */
@ApplicationScoped
class MaintenanceCalls {
  private final Aside aside;
  private final Verifier verifier;
  private final Scrub scrub;
  private final Retention retention;
  private final Collection collection;
  private final RunDeletion deletion;
  private final Reindex reindex;

  MaintenanceCalls(
      Aside aside,
      Verifier verifier,
      Scrub scrub,
      Retention retention,
      Collection collection,
      RunDeletion deletion,
      Reindex reindex) {
    this.aside = aside;
    this.verifier = verifier;
    this.scrub = scrub;
    this.retention = retention;
    this.collection = collection;
    this.deletion = deletion;
    this.reindex = reindex;
  }

  Uni<VerifyCheckpointResponse> verify(VerifyCheckpointRequest request) {
    String id = Requests.checkpoint(request.getId());
    return aside.run(
        () -> {
          Verifier.Report report = verifier.verify(id);
          return VerifyCheckpointResponse.newBuilder()
              .setVerified(report.findings().isEmpty())
              .addAllFindings(report.findings().stream().map(MaintenanceCalls::message).toList())
              .setPacks(report.packs())
              .setBytes(report.bytes())
              .build();
        });
  }

  Uni<ScrubReport> scrub(ScrubRequest request) {
    long most = Requests.atLeastZero("max_bytes", request.getMaxBytes());
    return aside.run(
        () -> {
          Scrub.Report report = scrub.run(most);
          return ScrubReport.newBuilder()
              .setPacks(report.packs())
              .setBytes(report.bytes())
              .addAllFindings(report.findings().stream().map(MaintenanceCalls::message).toList())
              .build();
        });
  }

  private static Finding message(dev.baton.store.verify.Finding finding) {
    return Finding.newBuilder()
        .setPack(finding.pack())
        .setWhat(finding.what())
        .addAllCheckpoints(finding.checkpoints())
        .addAllRuns(finding.runs())
        .build();
  }

  Uni<RetentionReport> retention(RunRetentionRequest request) {
    String run = request.getRun().isEmpty() ? "" : Requests.run(request.getRun());
    return aside.run(
        () -> {
          Retention.Report report = retention.run(run, request.getDryRun());
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
          Collection.Report report = collection.run(request.getDryRun());
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
    String run = Requests.run(request.getRun());
    return aside.run(
        () -> {
          RunDeletion.Proof proof = deletion.delete(run, request.getNow(), request.getForce());
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
          Reindex.Report report = reindex.run(request.getProject());
          return ReindexReport.newBuilder()
              .setPacks(report.packs())
              .setChunks(report.chunks())
              .setCheckpoints(report.checkpoints())
              .addAllProblems(report.problems())
              .setLogChunks(report.logChunks())
              .build();
        });
  }
}
