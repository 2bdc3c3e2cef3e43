/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.DeleteRunRequest;
import dev.baton.protocol.grpc.OpenPack;
import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.grpc.RunGcRequest;
import dev.baton.protocol.grpc.RunRetentionRequest;
import dev.baton.protocol.grpc.ScrubRequest;
import dev.baton.protocol.grpc.VerifyCheckpointRequest;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.Cut;
import dev.baton.snapshot.Pack;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.OtherS3TestProfile;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Uses a second implementation of S3 that fails every tenth request or never responds to it. */
@QuarkusTest
@TestProfile(OtherS3TestProfile.class)
class FailingS3Test extends StoreTest {
  private static final int CHECKPOINTS = 12;
  private static final int TRIES = 20;

  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();
  private final String project = "failing-" + run.substring(20).toLowerCase(Locale.ROOT);

  @AfterEach
  void failNoMore() {
    OtherS3TestProfile.fail(0);
  }

  @Test
  void shouldDoEverythingThoughEveryTenthRequestFails() throws Exception {
    CheckpointUploader runner = new CheckpointUploader(client, run, project, 1);
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    client.snapshot(run, 1);
    OtherS3TestProfile.fail(0.1);
    List<String> made = new ArrayList<>();
    for (int i = 0; i < CHECKPOINTS; i++) {
      PackedTestTree tree =
          PackedTestTree.of(
              Map.of("same", "same".getBytes(UTF_8), "own", (run + i).getBytes(UTF_8)));
      for (Pack pack : tree.packs()) {
        insist(() -> runner.put(pack));
      }
      Manifest manifest =
          tree.manifest(
              run, project, "flow", 1, CheckpointTrigger.STEP, Instant.now().minusSeconds(60 - i));
      runner.commit(manifest, tree.packs());
      made.add(manifest.id());
      log.send(trace.saved(1, manifest.id(), cut(tree, manifest)));
      assertReadable(runner.open(manifest.id()).getPacksList(), tree);
    }

    for (String id : made) {
      var verified =
          client
              .checkpoints()
              .verifyCheckpoint(VerifyCheckpointRequest.newBuilder().setId(id).build());
      assertThat(verified.getVerified()).as("%s", verified).isTrue();
    }
    insist(
        () ->
            assertThat(
                    client.maintenance().scrub(ScrubRequest.getDefaultInstance()).getFindingsList())
                .isEmpty());
    insist(
        () ->
            assertThat(
                    client
                        .maintenance()
                        .reindex(ReindexRequest.newBuilder().setProject(project).build())
                        .getProblemsList())
                .isEmpty());
    // Those whose events are not stored yet are kept.
    client.until(() -> client.events(run, false).size(), size -> size == 3 + CHECKPOINTS);
    assertThat(
            client
                .maintenance()
                .runRetention(RunRetentionRequest.newBuilder().setRun(run).build())
                .getDeletedList())
        .containsExactlyInAnyOrderElementsOf(made.subList(0, CHECKPOINTS - 10));
    log.send(trace.completed(1, "build", TraceBuilder.cut(run)), trace.ended(1));
    client.idsUntilEnd(run);
    var proof =
        client
            .maintenance()
            .deleteRun(DeleteRunRequest.newBuilder().setRun(run).setNow(true).build());
    assertThat(proof.getDeleted().getCheckpoints()).isEqualTo(10);
    assertThat(proof.getLeft()).isEqualTo(dev.baton.protocol.grpc.RunCounts.getDefaultInstance());
    insist(() -> client.maintenance().runGc(RunGcRequest.getDefaultInstance()));
  }

  private static Cut cut(PackedTestTree tree, Manifest manifest) {
    return new Cut(tree.root().toString(), "baton-tree-2", 1, 1, 1, manifest.id());
  }

  private static void assertReadable(List<OpenPack> packs, PackedTestTree tree) throws Exception {
    assertThat(packs).hasSize(tree.packs().size());
    Pack pack = tree.packs().getFirst();
    byte[][] read = new byte[1][];
    insist(
        () -> {
          try (InputStream in = URI.create(packs.getFirst().getGetUrl()).toURL().openStream()) {
            read[0] = in.readAllBytes();
          }
          assertThat(read[0]).hasSize(pack.length());
        });
    assertThat(read[0]).isEqualTo(Arrays.copyOf(pack.bytes(), pack.length()));
  }

  private interface Work {
    void run() throws IOException;
  }

  /** Retries as a runner does, and as a client that receives UNAVAILABLE does. */
  private static void insist(Work work) throws IOException {
    for (int i = 1; ; i++) {
      try {
        work.run();
        return;
      } catch (IOException | UncheckedIOException | AssertionError e) {
        if (i == TRIES) {
          throw e;
        }
      } catch (StatusRuntimeException e) {
        if (i == TRIES || e.getStatus().getCode() != Status.Code.UNAVAILABLE) {
          throw e;
        }
      }
    }
  }
}
