/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.FindChunksResponse;
import dev.baton.protocol.grpc.OpenCheckpointResponse;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.format.Hash;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.ManifestVariant;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.grpc.Status;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CheckpointTest extends StoreTest {
  @Inject BucketClient bucket;

  private final String run = RunId.next();
  private final PackedTestTree tree = PackedTestTree.with("content of " + run);

  @Test
  void shouldGiveBackWhatWasCommitted() throws Exception {
    CheckpointUploader runner = runner("default");
    tree.packs().forEach(runner::put);
    Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
    byte[] bytes = ManifestCodec.write(manifest);

    runner.commit(bytes, tree.packs());

    OpenCheckpointResponse opened = runner.open(manifest.id());
    assertThat(opened.getManifest().toByteArray()).isEqualTo(bytes);
    assertThat(opened.getPacksCount()).isEqualTo(tree.packs().size());
    Pack pack = tree.packs().getFirst();
    assertThat(opened.getPacks(0).getDigest().toByteArray()).isEqualTo(pack.ref().id().toBytes());
    assertThat(opened.getPacks(0).getIndexBytes()).isEqualTo(pack.ref().indexBytes());
    assertThat(range(opened.getPacks(0).getGetUrl(), pack.length() - 44, pack.length()))
        .isEqualTo(Arrays.copyOfRange(pack.bytes(), pack.length() - 44, pack.length()));
  }

  @Test
  void shouldFindTheChunksOfTheRunsOwnPacks() {
    CheckpointUploader runner = runner("default");
    Hash absent = Hash.of(run.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    tree.packs().forEach(runner::put);
    assertThat(runner.find(tree.chunks()).getPlacesList()).containsOnly(0);

    runner.register(tree.packs());
    assertThat(runner.find(List.of(absent)).getNothing()).isFalse();

    List<Hash> asked = new ArrayList<>(tree.chunks());
    asked.add(1, absent);
    FindChunksResponse found = runner.find(asked);
    assertThat(found.getPacksCount()).isEqualTo(1);
    assertThat(found.getPacks(0).getDigest())
        .isEqualTo(ByteString.copyFrom(tree.packs().getFirst().ref().id().toBytes()));
    assertThat(found.getPlacesList()).hasSize(asked.size()).startsWith(1, 0, 1);
    assertThat(runner.prepare(tree.packs().getFirst()).getPresent()).isTrue();
  }

  @Test
  void shouldKeepProjectsApart() {
    runner("one").checkpoint(tree, CheckpointTrigger.STEP, Instant.now());

    FindChunksResponse absent = runner("never-captured").find(tree.chunks());
    assertThat(absent.getPlacesList()).hasSize(tree.chunks().size()).containsOnly(0);
    assertThat(absent.getNothing()).isTrue();
    assertThat(runner("two").find(tree.chunks()).getPlacesList()).containsOnly(0);
    assertThat(runner("two").prepare(tree.packs().getFirst()).getPresent()).isFalse();
    assertStatus(
        () -> runner("two").register(tree.packs()),
        Status.Code.INVALID_ARGUMENT,
        "its object is not there");
    assertStatus(
        () -> runner("two").open(RunId.next()), Status.Code.NOT_FOUND, "project two has no");
  }

  @Test
  void shouldCommitTheSameTwiceAndNothingElseUnderItsId() {
    CheckpointUploader runner = runner("default");
    tree.packs().forEach(runner::put);
    Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
    runner.commit(manifest, tree.packs());

    runner.commit(manifest, tree.packs());
    runner.commit(manifest, List.of());

    byte[] other = ManifestVariant.write(manifest.id(), manifest);
    assertStatus(
        () -> runner.commit(other, List.of()),
        Status.Code.INVALID_ARGUMENT,
        "with another manifest");
    assertThat(runner.open(manifest.id()).getManifest().toByteArray())
        .isEqualTo(ManifestCodec.write(manifest));
  }

  @Test
  void shouldRefuseACheckpointWhosePacksAreNotThere() {
    CheckpointUploader runner = runner("default");
    Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());

    assertStatus(
        () -> runner.commit(manifest, List.of()),
        Status.Code.FAILED_PRECONDITION,
        "packs_gone: [" + tree.packs().getFirst().ref().id());
    assertStatus(() -> runner.open(manifest.id()), Status.Code.NOT_FOUND, manifest.id());
    assertThat(hasManifest(manifest)).isFalse();
    assertStatus(
        () -> runner.commit(manifest, tree.packs()),
        Status.Code.INVALID_ARGUMENT,
        "its object is not there");
    assertThat(hasManifest(manifest)).isFalse();
  }

  private boolean hasManifest(Manifest manifest) {
    return bucket
        .list(new CheckpointName("default", run, manifest.id()).objectPrefix())
        .iterator()
        .hasNext();
  }

  @Test
  void shouldTakeTheSameCommitFromManyAtOnce() throws Exception {
    CheckpointUploader runner = runner("default");
    tree.packs().forEach(runner::put);
    Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());

    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> commits = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        commits.add(threads.submit(() -> runner.commit(manifest, tree.packs())));
      }
      for (Future<?> commit : commits) {
        commit.get(20, TimeUnit.SECONDS);
      }
    }

    assertThat(hasManifest(manifest)).isTrue();
    assertThat(runner.open(manifest.id()).getManifest().toByteArray())
        .isEqualTo(ManifestCodec.write(manifest));
  }

  @Test
  void shouldRefuseAFencedRunner() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1), trace.assigned(2));
    client.snapshot(trace.run(), 2);
    CheckpointUploader old = new CheckpointUploader(client, trace.run(), "default", 1);
    CheckpointUploader current = new CheckpointUploader(client, trace.run(), "default", 2);
    String words = "epoch 1 of run " + trace.run() + " is fenced: epoch 2 was assigned";

    assertStatus(() -> old.find(tree.chunks()), Status.Code.PERMISSION_DENIED, words);
    assertStatus(() -> old.prepare(tree.packs().getFirst()), Status.Code.PERMISSION_DENIED, words);
    assertStatus(() -> old.register(tree.packs()), Status.Code.PERMISSION_DENIED, words);
    assertStatus(
        () ->
            old.commit(
                tree.manifest(trace.run(), 1, CheckpointTrigger.STEP, Instant.now()), tree.packs()),
        Status.Code.PERMISSION_DENIED,
        words);
    current.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
  }

  @Test
  void shouldSayWhatIsWrong() {
    CheckpointUploader runner = runner("default");
    Manifest manifest = tree.manifest(RunId.next(), 1, CheckpointTrigger.STEP, Instant.now());
    assertStatus(
        () -> runner.commit(manifest, List.of()), Status.Code.INVALID_ARGUMENT, "session_id");
    assertStatus(
        () -> runner.commit(new byte[] {'{'}, List.of()), Status.Code.INVALID_ARGUMENT, "manifest");
    assertStatus(
        () -> runner.find(Collections.nCopies(10_001, tree.root())),
        Status.Code.INVALID_ARGUMENT,
        "at most 10000");
    assertStatus(() -> runner.open("../x"), Status.Code.INVALID_ARGUMENT, "'../x'");
  }

  private CheckpointUploader runner(String project) {
    return new CheckpointUploader(client, run, project, 1);
  }

  private static byte[] range(String url, int from, int to) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(url))
                  .header("Range", "bytes=" + from + "-" + (to - 1))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray())
          .body();
    }
  }
}
