/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.GetCheckpointRequest;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.ListCutsRequest;
import dev.baton.protocol.grpc.ObjectKind;
import dev.baton.protocol.grpc.ObjectRef;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.grpc.PrepareUploadRequest;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/**
 * Records the event loops with the JDK Flight Recorder while every endpoint and the consumer are in
 * use. A loop may be busy, but it must never sleep, park, or wait for a monitor, a socket or a
 * disk.
 */
@QuarkusTest
class NoBlockingTest extends StoreTest {
  private static final List<String> WAITS =
      List.of(
          "jdk.ThreadSleep",
          "jdk.ThreadPark",
          "jdk.JavaMonitorWait",
          "jdk.SocketRead",
          "jdk.FileForce");

  @Test
  void shouldNeverBlockAnEventLoop() throws IOException {
    warmUp();
    Path file = Files.createTempFile("baton-no-blocking", ".jfr");
    try (Recording recording = new Recording()) {
      WAITS.forEach(event -> recording.enable(event).withThreshold(Duration.ZERO).withStackTrace());
      recording.start();
      warmUp();
      recording.stop();
      recording.dump(file);
    }

    List<RecordedEvent> all = RecordingFile.readAllEvents(file);
    Files.delete(file);
    assertThat(all).as("the recorder records the waits of other threads").isNotEmpty();
    assertThat(all).filteredOn(NoBlockingTest::isBlockedEventLoop).isEmpty();
  }

  private static boolean isBlockedEventLoop(RecordedEvent event) {
    var thread = event.getThread();
    String name = thread == null ? null : thread.getJavaName();
    return name != null
        && name.startsWith("vert.x-eventloop-thread")
        && !isContendedLock(event)
        && !isReadWithoutWaiting(event);
  }

  /** A contended lock: its holder releases it soon, without waiting for another event. */
  private static boolean isContendedLock(RecordedEvent event) {
    return event.hasField("parkedClass")
        && event.getClass("parkedClass") != null
        && event.getClass("parkedClass").getName().contains("Reentrant");
  }

  /** Netty reads available bytes; the recorder does not distinguish this from a blocking read. */
  private static boolean isReadWithoutWaiting(RecordedEvent event) {
    return event.getStackTrace() != null
        && event.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getName().equals("doReadBytes"));
  }

  private void warmUp() {
    TraceBuilder trace = new TraceBuilder();
    List<ProducerRecord<String, byte[]>> steps = new ArrayList<>();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    for (int i = 0; i < 1500; i++) {
      steps.add(trace.completed(1, "step" + i, TraceBuilder.cut("step" + i)));
    }
    log.send(steps);
    log.send(new ProducerRecord<>("baton.trace", trace.run(), new byte[] {1}));
    log.send(trace.ended(1));
    client.idsUntilEnd(trace.run());
    client.snapshot(trace.run(), 0);
    client.snapshot(trace.run(), 1);
    client.snapshots().listCuts(ListCutsRequest.newBuilder().setRun(trace.run()).build());
    client
        .checkpoints()
        .prepareUpload(
            PrepareUploadRequest.newBuilder()
                .setCaller(Caller.newBuilder().setRun(trace.run()))
                .addObjects(
                    ObjectRef.newBuilder()
                        .setDigest(TraceBuilder.cut("x").digest())
                        .setKind(ObjectKind.OBJECT_KIND_BLOB))
                .build());
    checkpoint(trace.run());
    for (String path : List.of("/events", "/snapshot", "/checkpoints")) {
      assertThat(client.get("/runs/" + trace.run() + path).statusCode()).isEqualTo(200);
    }
    assertThat(client.get("/q/health/ready").statusCode()).isEqualTo(200);
  }

  private void checkpoint(String run) {
    CheckpointUploader runner = new CheckpointUploader(client, run, "default", 1);
    PackedTestTree tree = PackedTestTree.with("no blocking " + run);
    runner.find(tree.chunks());
    tree.packs().forEach(runner::put);
    runner.register(tree.packs());
    String id = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    runner.open(id);
    client.checkpoints().listCheckpoints(ListCheckpointsRequest.newBuilder().setRun(run).build());
    client.checkpoints().getCheckpoint(GetCheckpointRequest.newBuilder().setId(id).build());
    client
        .checkpoints()
        .pinCheckpoint(PinCheckpointRequest.newBuilder().setId(id).setPinned(true).build());
    client.checkpoints().verifyCheckpoint(VerifyCheckpointRequest.newBuilder().setId(id).build());
    client.maintenance().runRetention(RunRetentionRequest.newBuilder().setRun(run).build());
  }
}
