/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.gc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.ReindexRequest;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.snapshot.Pack;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.packs.PackRepository;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class PackGarbageCollectorTest extends StoreTest {
  private static final Duration GRACE = Duration.ofHours(24);

  @Inject Pool pool;
  @Inject PackGarbageCollector collection;
  @Inject BucketClient bucket;
  @Inject BucketTokenGuard token;

  private final String run = RunId.next();
  private final String project = "gc-" + run.substring(16).toLowerCase(Locale.ROOT);
  private final PackedTestTree tree = PackedTestTree.with("garbage of " + run);
  private final Pack pack = tree.packs().getFirst();

  @AfterEach
  void knowTheBucket() {
    token.adopt();
  }

  @Test
  void shouldDeleteAPackThatNobodyNeedsAfterTheGracePeriod() {
    CheckpointUploader runner = runner();
    runner.put(pack);
    runner.register(tree.packs());
    collection.run(GRACE, false);
    assertThat(isThere()).isTrue();

    age();
    assertThat(collection.run(GRACE, true).doomed()).isPositive();
    assertThat(isThere()).isTrue();
    // A pack that is being verified is skipped until the next pass.
    client.until(() -> collection.run(GRACE, false).deletedPacks(), deleted -> deleted > 0);

    assertThat(isThere()).isFalse();
    assertThat(runner.find(tree.chunks()).getPlacesList()).containsOnly(0);
    runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now()); // uploads it again
    assertThat(isThere()).isTrue();
  }

  @Test
  void shouldKeepAPackThatWasPromised() {
    CheckpointUploader runner = runner();
    runner.put(pack);
    runner.register(tree.packs());
    age();

    assertThat(runner.find(tree.chunks()).getPlacesList()).containsOnly(1);
    collection.run(GRACE, false);

    assertThat(isThere()).isTrue();
  }

  @Test
  void shouldKeepAPackThatACheckpointNeeds() {
    runner().checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    age();

    collection.run(GRACE, false);
    assertThat(isThere()).isTrue();
  }

  @Test
  void shouldDeleteAnUploadThatWasGivenUp() {
    runner().put(pack);
    age();

    collection.run(GRACE, false);

    assertThat(isThere()).isFalse();
  }

  @Test
  void shouldDeleteObjectsThatNobodyKnows() {
    putOrphan();

    collection.run(GRACE, false);
    assertThat(isThere()).as("it is young").isTrue();
    collection.run(Duration.ZERO, false);

    assertThat(isThere()).isFalse();
  }

  @Test
  void shouldDeleteNothingUnknownWhereTheDatabaseIsNotTheBuckets() {
    putOrphan();
    collection.run(GRACE, false);
    execute("DELETE FROM store.bucket_token");

    collection.run(Duration.ZERO, false);

    assertThat(isThere()).isTrue();
  }

  @Test
  void shouldDeleteNothingUnknownInAProjectThatTheDatabaseIsBehind() {
    putOrphan();
    Manifest manifest =
        tree.manifest(run, project, "flow", 1, CheckpointTrigger.STEP, Instant.now());
    byte[] bytes = ManifestCodec.write(manifest);
    String key = new CheckpointName(project, run, manifest.id()).manifestKey(bytes);
    bucket.put(key, bytes).await().atMost(Duration.ofSeconds(10));

    collection.run(Duration.ZERO, false);
    assertThat(isThere()).isTrue();

    bucket.remove(key).await().atMost(Duration.ofSeconds(10));
    collection.run(Duration.ZERO, false);
    assertThat(isThere()).isFalse();
  }

  @Test
  void shouldDeleteNothingUnknownWhereOnlyAYoungManifestShowsThatTheDatabaseIsBehind() {
    putOrphan();
    Instant between = Instant.now().plusMillis(1_100);
    // The bucket's times are whole seconds.
    client.until(Instant::now, now -> now.isAfter(between.plusMillis(1_100)));
    Manifest manifest =
        tree.manifest(run, project, "flow", 1, CheckpointTrigger.STEP, Instant.now());
    byte[] bytes = ManifestCodec.write(manifest);
    String key = new CheckpointName(project, run, manifest.id()).manifestKey(bytes);
    bucket.put(key, bytes).await().atMost(Duration.ofSeconds(10));

    collection.run(Duration.between(between, Instant.now()), false);

    assertThat(isThere()).isTrue();
  }

  /** A DELETE that was given up may reach the object store at any time. */
  @Test
  void shouldKeepAPackThatWasStoredAgainBeforeALateDeletion() throws Exception {
    CheckpointUploader runner = runner();
    runner.put(pack);
    runner.register(tree.packs());
    List<String> first = packKeys();
    age();
    client.until(() -> collection.run(GRACE, false).deletedPacks(), deleted -> deleted > 0);
    assertThat(packKeys()).isEmpty();

    String checkpoint = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    for (String key : first) {
      bucket.remove(key).await().atMost(Duration.ofSeconds(10));
    }

    String url = runner.open(checkpoint).getPacks(0).getGetUrl();
    try (InputStream in = URI.create(url).toURL().openStream()) {
      assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOf(pack.bytes(), pack.length()));
    }
  }

  /** An upload with a URL of the deleted pack leaves an object that no row names. */
  @Test
  void shouldDeleteAnObjectWhosePackHasAnotherKey() {
    CheckpointUploader runner = runner();
    runner.put(pack);
    runner.register(tree.packs());
    String first = packKeys().getFirst();
    age();
    client.until(() -> collection.run(GRACE, false).deletedPacks(), deleted -> deleted > 0);
    String checkpoint = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    String current = packKeys().getFirst();
    assertThat(current).startsWith(first + ".");
    bucket
        .put(first, Arrays.copyOf(pack.bytes(), pack.length()))
        .await()
        .atMost(Duration.ofSeconds(10));

    collection.run(Duration.ZERO, false);

    assertThat(packKeys()).containsExactly(current);
    assertThat(runner.open(checkpoint).getPacks(0).getGetUrl()).contains(current);
  }

  @Test
  void shouldFindAPackWithASuffixAgainFromTheObjectsAlone() {
    CheckpointUploader runner = runner();
    runner.put(pack);
    runner.register(tree.packs());
    age();
    client.until(() -> collection.run(GRACE, false).deletedPacks(), deleted -> deleted > 0);
    String checkpoint = runner.checkpoint(tree, CheckpointTrigger.STEP, Instant.now());
    for (String statement :
        List.of(
            "DELETE FROM store.checkpoint_pack WHERE checkpoint IN"
                + " (SELECT number FROM store.checkpoint WHERE project = $1)",
            "DELETE FROM store.checkpoint WHERE project = $1",
            "DELETE FROM store.pack WHERE project ="
                + " (SELECT id FROM store.project WHERE name = $1)")) {
      pool.preparedQuery(statement)
          .execute(Tuple.of(project))
          .await()
          .atMost(Duration.ofSeconds(10));
    }

    var report =
        client.maintenance().reindex(ReindexRequest.newBuilder().setProject(project).build());

    assertThat(report.getProblemsList()).isEmpty();
    assertThat(report.getPacks()).isEqualTo(1);
    assertThat(runner.open(checkpoint).getPacks(0).getGetUrl()).contains(packKeys().getFirst());
  }

  private List<String> packKeys() {
    List<String> keys = new ArrayList<>();
    bucket.list(project + "/packs/").forEach(item -> keys.add(item.objectName()));
    return keys;
  }

  private void putOrphan() {
    bucket
        .put(
            PackRepository.key(project, pack.ref().id()),
            Arrays.copyOf(pack.bytes(), pack.length()))
        .await()
        .atMost(Duration.ofSeconds(10));
    bucket.put("other/" + run, "x".getBytes(UTF_8)).await().atMost(Duration.ofSeconds(10));
  }

  private CheckpointUploader runner() {
    return new CheckpointUploader(client, run, project, 1);
  }

  private boolean isThere() {
    return !packKeys().isEmpty();
  }

  private void age() {
    pool.preparedQuery(
            "UPDATE store.pack SET touched_at = touched_at - interval '25 hours'"
                + " WHERE project = (SELECT id FROM store.project WHERE name = $1)")
        .execute(Tuple.of(project))
        .await()
        .atMost(Duration.ofSeconds(10));
  }

  private void execute(String statement) {
    pool.query(statement).execute().await().atMost(Duration.ofSeconds(10));
  }
}
