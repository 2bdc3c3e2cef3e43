/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.testkit.FaultyS3Proxy;
import dev.baton.standalone.testkit.S3MockProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Uses another S3 implementation than the one included in Baton: first as it is, then with every
 * tenth request failing, of the runner and of the checkpoint-store. The runner is killed in the
 * middle, so that it also has to restore.
 */
@Tag("full")
class ObjectStoreTest {
  private static final double PACE_SECONDS = 0.1;

  /** The runner ends soon after its run. */
  private static final Duration ERASED = Duration.ofSeconds(60);

  /** The newest first: each process is used by the next one. */
  private static final Deque<AutoCloseable> STARTED = new ArrayDeque<>();

  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static FaultyS3Proxy proxy;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path repository;

  @RegisterExtension
  static final AfterTestExecutionCallback TELL =
      context ->
          context.getExecutionException().ifPresent(e -> on.failed(context.getDisplayName()));

  @BeforeAll
  static void start() throws Exception {
    S3MockProcess other = S3MockProcess.start(folder.resolve("s3mock"));
    STARTED.push(other);
    Random random = SeededRandomFactory.random("requests to the object store fail");
    proxy = new FaultyS3Proxy(URI.create(other.access().endpoint()), random.nextLong());
    STARTED.push(proxy);
    String key = "BATON_OBJECT_STORE_";
    on =
        SharedStackExtension.RunningStack.of(
            builder ->
                builder
                    .components(
                        StackComponent.KAFKA,
                        StackComponent.POSTGRES,
                        StackComponent.STORE,
                        StackComponent.ORCHESTRATOR)
                    .environment(
                        StackComponent.STORE, key + "ENDPOINT", proxy.endpoint().toString())
                    .environment(
                        StackComponent.STORE, key + "ACCESS_KEY", other.access().accessKey())
                    .environment(
                        StackComponent.STORE, key + "SECRET_KEY", other.access().secretKey()));
    STARTED.push(on);
    repository = TestGitRepository.make(on.folder.resolve("repository"));
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable each : STARTED) {
      each.close();
    }
  }

  @Test
  void shouldKeepCutsInAnyObjectStoreAlsoWhereRequestsFail() throws Exception {
    PipelineRun undisturbed = LedgerPipeline.MERGE.start(on, repository, 0);
    JsonNode output = undisturbed.output();
    assertVerified(undisturbed);
    proxy.fail(0.1);

    PipelineRun run = LedgerPipeline.MERGE.start(on, repository, PACE_SECONDS);
    int kills = 0;
    for (int at : new int[] {run.shells.size() / 3, 2 * run.shells.size() / 3}) {
      run.awaitBegin(run.shells.get(at));
      kills +=
          RunnerProcessHandle.of(run.id).map(runner -> runner.kill(true)).orElse(false) ? 1 : 0;
    }

    assertThat(run.output()).isEqualTo(output);
    assertThat(run.completed().keySet()).isEqualTo(undisturbed.completed().keySet());
    assertThat(run.repeated()).isEmpty();
    assertThat(kills).isPositive();
    assertVerified(run);
    assertThat(proxy.faults()).isNotEmpty();
    System.out.printf("  of %d requests failed: %s%n", proxy.requests(), proxy.faults());
    Await.until(
        "run " + run.id + " is erased",
        ERASED,
        () -> {
          AcceptanceApiClient.Answer proof = on.api.delete("/runs/" + run.id);
          return proof.status() == 200
              && proof.body().path("left").path("checkpoints").asInt() == 0;
        });
  }

  /** Verifies every checkpoint of the run. */
  private static void assertVerified(PipelineRun run) throws Exception {
    JsonNode checkpoints = on.api.get("/checkpoints?run=" + run.id).body().path("checkpoints");
    assertThat(checkpoints).isNotEmpty();
    for (JsonNode checkpoint : checkpoints) {
      AcceptanceApiClient.Answer verified =
          on.api.post(
              "/checkpoints/" + checkpoint.path("id").asText() + "/verify",
              AcceptanceApiClient.JSON.createObjectNode());
      assertThat(verified.body().path("verified").asBoolean()).as("%s", verified).isTrue();
    }
  }
}
