/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.checkpoint.ManifestBuilder;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.TreeDeleter;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.transfer.PresignedObjectClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.jboss.logging.Logger;

/**
 * Loads and links the code of a first run, and connects to the services: calls the
 * checkpoint-store, captures and restores a few files, executes a small workflow. Packs and events
 * stay in memory and files in a temporary folder. Outside of the process only two heartbeats of an
 * unknown run are visible, the second of which ends it, and two requests that the checkpoint-store
 * refuses. For one thread at a time.
 */
final class RunnerWarmup {
  private static final Logger LOG = Logger.getLogger(RunnerWarmup.class);

  /** Prefix of the temporary folder's name. */
  static final String FOLDER = "baton-warm-up";

  private static final Manifest.Run NO_STEP =
      new Manifest.Run("default", "warm-up", null, 1, null, null);

  private static final Duration TRANSFER_WITHIN = Duration.ofSeconds(3);

  private final RunnerStoreClient store;
  private final RunnerConfig config;
  private final StepExecutorRegistry executors;
  private final Producer<String, byte[]> producer;

  /**
   * @param producer sends the heartbeats
   */
  RunnerWarmup(
      RunnerConfig config,
      RunnerStoreClient store,
      StepExecutorRegistry executors,
      Producer<String, byte[]> producer) {
    this.config = config;
    this.store = store;
    this.executors = executors;
    this.producer = producer;
  }

  /**
   * Blocks for about a second, at most 30. A failure is logged; the first run is then only slower.
   *
   * @return whether everything was executed
   */
  boolean run() throws InterruptedException {
    try {
      Path data = Files.createTempDirectory(FOLDER);
      try {
        captureAndRestore(data);
        new WarmupRunExecutor(config, store, executors, producer, data).run();
        store.maxStateBytes();
        transfer();
        return true;
      } finally {
        TreeDeleter.deleteFully(data);
      }
    } catch (IOException
        | StoreException
        | ExecutionException
        | TimeoutException
        | RuntimeException e) {
      LOG.warnf("warm-up: failed; the first run will be slower: %s", e);
      return false;
    }
  }

  /**
   * Sends requests like those to an object store. No object has this URL, so any answer will do.
   */
  private void transfer() throws InterruptedException {
    String url = "http://" + config.store().getFirst() + "/warm-up";
    PresignedObjectClient objects = PresignedObjectClient.withStallLimit(TRANSFER_WITHIN);
    byte[] bytes = {0};
    try {
      objects.put(url, Map.of(), bytes, bytes.length);
    } catch (IOException refused) {
      LOG.debugf("warm-up: %s", refused.getMessage());
    }
    try {
      objects.get(url, bytes.length, 0, bytes, bytes.length);
    } catch (IOException refused) {
      LOG.debugf("warm-up: %s", refused.getMessage());
    }
  }

  private static void captureAndRestore(Path data) throws IOException, InterruptedException {
    Path tree = data.resolve("tree");
    Path folder = Files.createDirectories(tree.resolve("folder"));
    Path file = Files.writeString(folder.resolve("file"), "content");
    Files.createSymbolicLink(folder.resolve("link"), file.getFileName());
    Files.createLink(folder.resolve("same"), file);
    Path restored = data.resolve("restored");
    MemoryPackStore packs = new MemoryPackStore();
    TreeSnapshotter tracked = new TreeSnapshotter(ExcludePolicy.defaults());
    CapturedTree captured = tracked.capture(tree, packs);
    byte[] manifest =
        new ManifestBuilder(RunId.next(), NO_STEP, CheckpointTrigger.STEP, List.of())
            .manifest(RunId.next(), tree, tree, captured, List.of());
    Manifest.Workspace stored = ManifestCodec.read(manifest).workspace();
    if (!stored.digest().equals(captured.snapshot().root().toString())) {
      throw new IOException("the manifest has another digest: " + stored.digest());
    }
    tracked.restore(captured.snapshot(), packs, restored, RestoreOptions.defaults());
    tracked.capture(restored, packs);
  }
}
