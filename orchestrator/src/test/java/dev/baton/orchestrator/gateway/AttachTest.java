/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.protocol.grpc.GatewayMessage;
import io.grpc.Status;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Attaches runners to an orchestrator that requires tokens. */
@QuarkusTest
@TestProfile(AttachTest.WithTokens.class)
@QuarkusTestResource(OrchestratorTestResource.class)
class AttachTest {
  private static final String VALUE = "a-token-in-a-setting";
  private static final String IN_FILE = "a-token-in-the-file";
  private static final Duration BOUND = Duration.ofSeconds(30);

  /** An orchestrator with one token in its settings and one in a file. */
  public static final class WithTokens implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path file = Files.createTempFile("attach", ".tokens");
        Files.writeString(file, "# runners of the test\n\n" + IN_FILE + "\n");
        file.toFile().deleteOnExit();
        return Map.of("baton.attach.tokens", VALUE, "baton.attach.tokens-file", file.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Inject OrchestratorTestEnvironment bed;
  @Inject RunnerRegistry attachments;
  @Inject AttachTokenSigner signer;
  @Inject Pool pool;

  @Test
  void shouldAttachARunnerWithAConfiguredToken() throws Exception {
    try (ScriptedRunner first = ScriptedRunner.withToken(bed.port(), "with-value", VALUE);
        ScriptedRunner second = ScriptedRunner.withToken(bed.port(), "with-line", IN_FILE)) {
      awaitAttached(first);
      awaitAttached(second);
    }
  }

  @Test
  void shouldRefuseARunnerWithoutAToken() throws Exception {
    Status refusal = refusal("without", null);

    assertThat(refusal.getDescription()).contains("has no attach token", "baton.attach.token-file");
  }

  @Test
  void shouldRefuseAWrongTokenAndNotRepeatIt() throws Exception {
    String wrong = VALUE + "x";

    Status refusal = refusal("wrong", wrong);

    assertThat(refusal.getDescription()).contains("is wrong", "baton.attach.tokens");
    assertThat(refusal.getDescription()).doesNotContain(VALUE);
  }

  @Test
  void shouldAttachALaunchedRunnerOnceWithItsTokenAndThenWithTheNext() throws Exception {
    String token = signer.first(launched("launched-1"));
    String next;
    try (ScriptedRunner runner = ScriptedRunner.withToken(bed.port(), "launched-1", token)) {
      next = runner.await(GatewayMessage::hasAttached).getAttached().getToken();
      awaitAttached(runner);
    }

    assertThat(refusal("launched-1", token).getDescription()).contains("was used before");
    try (ScriptedRunner again = ScriptedRunner.withToken(bed.port(), "launched-1", next)) {
      awaitAttached(again);
    }
    try (ScriptedRunner again = ScriptedRunner.withToken(bed.port(), "launched-1", next)) {
      awaitAttached(again);
    }
    assertThat(refusal("launched-2", next).getDescription()).contains("another name");
  }

  @Test
  void shouldRefuseTheTokenOfAnotherRunner() throws Exception {
    String token = signer.first(launched("launched-3"));

    assertThat(refusal("launched-4", token).getDescription()).contains("another name");
    try (ScriptedRunner owner = ScriptedRunner.withToken(bed.port(), "launched-3", token)) {
      awaitAttached(owner);
    }
  }

  @Test
  void shouldRefuseATokenOfARunnerThatNobodyLaunched() throws Exception {
    assertThat(refusal("unknown-1", signer.first("unknown-1")).getDescription())
        .contains("was used before");
  }

  @Test
  void shouldRefuseATokenThatWasChanged() throws Exception {
    String token = signer.first(launched("launched-5"));

    assertThat(refusal("launched-6", token.replace("launched-5", "launched-6")).getDescription())
        .contains("is wrong");
    assertThat(refusal("launched-5", token.replace(".once.", ".again.")).getDescription())
        .contains("is wrong");
  }

  private Status refusal(String id, @org.jspecify.annotations.Nullable String token)
      throws InterruptedException {
    try (ScriptedRunner runner = ScriptedRunner.withToken(bed.port(), id, token)) {
      Status status = runner.awaitRefusal();
      assertThat(status.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(attachments.runner(id)).isEmpty();
      return status;
    }
  }

  /** Records a runner as its launcher does. */
  private String launched(String id) {
    pool.preparedQuery(
            """
            INSERT INTO orchestrator.runner (id, mode, launcher, pool, instance, host, state, log_path)
            VALUES ($1, 'shared', 'attach-test', 'default', 'attach-test', 'nowhere', 'starting', '') ON CONFLICT DO NOTHING""")
        .execute(Tuple.of(id))
        .await()
        .atMost(BOUND);
    return id;
  }

  private void awaitAttached(ScriptedRunner runner) throws InterruptedException {
    until(runner.id() + " is attached", () -> attachments.runner(runner.id()).isPresent());
  }

  private static void until(String what, BooleanSupplier holds) throws InterruptedException {
    long end = System.nanoTime() + BOUND.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
