/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.store.packs.PackRow;
import dev.baton.store.testing.CheckpointUploader;
import dev.baton.store.testing.PackedTestTree;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A verification does not overrule what was found while it ran. */
@QuarkusTest
class LateVerificationTest extends StoreTest {
  private static final String MARK =
      "UPDATE store.pack SET suspect_at = clock_timestamp() WHERE id = $1";

  @Inject Pool pool;

  @Test
  void shouldNotTrustWhatWasReadBeforeThePackBecameSuspect() {
    String run = new TraceBuilder().run();
    PackedTestTree tree = PackedTestTree.of(Map.of("file", run.getBytes(UTF_8)));
    tree.packs().forEach(new CheckpointUploader(client, run, "default", 1)::put);
    new CheckpointUploader(client, run, "default", 1).register(tree.packs());

    // In one transaction: the row's lock keeps the background verification away.
    int[] trusted =
        pool.withTransaction(
                tx ->
                    row(tx, run)
                        .chain(
                            before ->
                                tx.preparedQuery(MARK)
                                    .execute(Tuple.of(before.id()))
                                    .chain(() -> trust(tx, before))
                                    .chain(
                                        early ->
                                            trust(tx, later(before))
                                                .map(late -> new int[] {early, late}))))
            .await()
            .atMost(Duration.ofSeconds(20));

    assertThat(trusted).containsExactly(0, 1);
  }

  @Test
  void shouldKeepTheProblemThatACheckpointGotDuringItsVerification() {
    String run = new TraceBuilder().run();
    String id =
        new CheckpointUploader(client, run, "default", 1)
            .checkpoint(
                PackedTestTree.of(Map.of("file", run.getBytes(UTF_8))),
                CheckpointTrigger.STEP,
                Instant.now());

    int[] verified =
        pool.withTransaction(
                tx ->
                    tx.preparedQuery(
                            "UPDATE store.checkpoint SET problem = 'torn' WHERE id = $1"
                                + " RETURNING number")
                        .execute(Tuple.of(id))
                        .map(rows -> rows.iterator().next().getLong(0))
                        .chain(
                            number ->
                                verify(tx, number, null)
                                    .chain(
                                        early ->
                                            verify(tx, number, "torn")
                                                .map(late -> new int[] {early, late}))))
            .await()
            .atMost(Duration.ofSeconds(20));

    assertThat(verified).containsExactly(0, 1);
  }

  private static Uni<Integer> verify(SqlConnection tx, long number, @Nullable String problem) {
    return tx.preparedQuery(CheckpointVerifier.RIGHT)
        .execute(Tuple.of(number, problem))
        .map(rows -> rows.rowCount());
  }

  private static Uni<PackRow> row(SqlConnection tx, String run) {
    return tx.preparedQuery(
            "SELECT "
                + PackRow.COLUMNS
                + " FROM store.pack p JOIN store.project j ON j.id = p.project WHERE p.run = $1"
                + " LIMIT 1 FOR UPDATE OF p")
        .execute(Tuple.of(run))
        .map(rows -> PackRow.of(rows.iterator().next()));
  }

  private static PackRow later(PackRow row) {
    return new PackRow(
        row.id(),
        row.projectNumber(),
        row.project(),
        row.digest(),
        row.sizeBytes(),
        row.keySuffix(),
        row.readAt().plusMinutes(1));
  }

  private static Uni<Integer> trust(SqlConnection tx, PackRow row) {
    return tx.preparedQuery(PackVerifier.RIGHT)
        .execute(Tuple.of(row.id(), Buffer.buffer(), 0, row.readAt()))
        .map(rows -> rows.size());
  }
}
