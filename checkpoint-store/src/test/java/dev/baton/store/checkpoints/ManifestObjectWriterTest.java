/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.trace.RunId;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.objects.CheckpointName;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ManifestObjectWriterTest extends StoreTest {
  @Inject Pool pool;
  @Inject BucketClient bucket;
  @Inject ManifestObjectWriter writer;

  private final String run = RunId.next();
  private final PackedTestTree tree = PackedTestTree.with("content of " + run);
  private final Manifest manifest = tree.manifest(run, 1, CheckpointTrigger.STEP, Instant.now());
  private final byte[] bytes = ManifestCodec.write(manifest);
  private final CheckpointName name = new CheckpointName("default", run, manifest.id());

  @BeforeEach
  void commit() {
    CheckpointUploader runner = runner();
    tree.packs().forEach(runner::put);
    runner.commit(bytes, tree.packs());
    client.until(this::isPending, pending -> !pending);
    assertThat(isStored()).isTrue();
  }

  @Test
  void shouldWriteWhatACrashHasPrevented() {
    crashBeforeTheObjectIsWritten();

    writer.writePending();

    assertThat(isStored()).isTrue();
    assertThat(isPending()).isFalse();
  }

  @Test
  void shouldWriteTheObjectWhenTheCommitIsRepeated() {
    crashBeforeTheObjectIsWritten();

    runner().commit(bytes, tree.packs());

    assertThat(isStored()).isTrue();
    client.until(this::isPending, pending -> !pending);
  }

  @Test
  void shouldLeaveNoObjectOfACheckpointThatIsDeletedMeanwhile() {
    execute("UPDATE store.checkpoint SET deleting = true WHERE id = $1");

    get(writer.write(name, bytes));

    client.until(this::isStored, stored -> !stored);
  }

  private void crashBeforeTheObjectIsWritten() {
    get(bucket.remove(name.manifestKey(bytes)));
    execute("UPDATE store.checkpoint SET object_pending = true WHERE id = $1");
    assertThat(isStored()).isFalse();
  }

  private CheckpointUploader runner() {
    return new CheckpointUploader(client, run, "default", 1);
  }

  private boolean isStored() {
    return get(bucket.size(name.manifestKey(bytes))).isPresent();
  }

  private boolean isPending() {
    return get(pool.preparedQuery("SELECT object_pending FROM store.checkpoint WHERE id = $1")
            .execute(Tuple.of(manifest.id())))
        .iterator()
        .next()
        .getBoolean(0);
  }

  private void execute(String statement) {
    get(pool.preparedQuery(statement).execute(Tuple.of(manifest.id())));
  }

  private static <T> T get(Uni<T> answer) {
    return answer.await().atMost(Duration.ofSeconds(10));
  }
}
