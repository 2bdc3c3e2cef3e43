/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.capture;

import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.StoredCheckpoint;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.checkpoint.ManifestBuilder;
import dev.baton.runner.config.GrpcAddress;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Performs a runner's work on its workspace, without a run. For one thread. */
final class RunnerSimulator implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration VERIFICATION = Duration.ofMinutes(5);
  private static final long LOOK_MS = 100;
  private static final int CALL_SECONDS = 10;

  private final ManagedChannel channel;
  private final RunnerStoreClient store;
  private @Nullable StoreCaller holder;
  private @Nullable Workspace workspace;
  private @Nullable Cut newest;

  RunnerSimulator(String storeUrl) {
    channel = GrpcChannelFactory.open(GrpcAddress.parseAll("the argument", storeUrl));
    store = new RunnerStoreClient(channel);
  }

  void begin(String project, Path tree) {
    holder = new StoreCaller(RunId.next(), 1, project, "");
    workspace = Workspace.main(tree, store, holder, PATIENCE);
    newest = null;
  }

  void capture() throws IOException, InterruptedException {
    StoreCaller run = Objects.requireNonNull(holder, "begin first");
    Workspace files = Objects.requireNonNull(workspace, "begin first");
    files.touch(null, false);
    ManifestBuilder description =
        new ManifestBuilder(
            run.run(),
            new Manifest.Run(run.project(), "benchmark", null, run.epoch(), "step", 1),
            CheckpointTrigger.STEP,
            List.of());
    newest =
        files
            .cut(description, null)
            .orElseThrow(() -> new IOException("no checkpoint was created; see the log"));
  }

  /**
   * Waits for verification, which costs time of the store that must not be charged to another tool.
   */
  void awaitVerified() throws IOException, InterruptedException {
    String id = checkpoint();
    long end = System.nanoTime() + VERIFICATION.toNanos();
    while (System.nanoTime() - end < 0) {
      StoredCheckpoint stored =
          CheckpointServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
              .getCheckpoint(GetCheckpointRequest.newBuilder().setId(id).build())
              .getCheckpoint();
      if (stored.getVerification().equals("verified")) {
        return;
      }
      if (!stored.getProblem().isEmpty()) {
        throw new IOException("checkpoint " + id + " is not right: " + stored.getProblem());
      }
      Thread.sleep(LOOK_MS);
    }
    throw new IOException("checkpoint " + id + " is not verified after " + VERIFICATION);
  }

  void restore(Path target) throws StoreException, IOException, InterruptedException {
    StoreCaller run = Objects.requireNonNull(holder, "begin first");
    Workspace.main(target, store, run, PATIENCE)
        .restore(Objects.requireNonNull(newest, "capture first"));
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  private String checkpoint() throws IOException {
    String id = Objects.requireNonNull(newest, "capture first").checkpoint();
    if (id == null) {
      throw new IOException("the cut has no checkpoint");
    }
    return id;
  }
}
