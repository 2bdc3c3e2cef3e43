/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class FailoverServiceTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  @Inject
  @ConfigProperty(name = "baton.data")
  Path data;

  private String create(String workflow) {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}");
    assertThat(created.status()).isEqualTo(201);
    return created.json().get("id").textValue();
  }

  private static List<Integer> epochs(List<TraceRecord> trace) {
    return trace.stream()
        .map(TraceRecord::event)
        .filter(TraceEvent.RunnerAssigned.class::isInstance)
        .map(event -> ((TraceEvent.RunnerAssigned) event).epoch())
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    // No event was read yet, and the first runner was lost.
    "pending, , 1, 2, 1",
    // The run was resumed, and lost its runner again before the resume was read.
    "interrupted, 1, 2, 3, 2",
    "interrupted, 2, 1, 3, 2",
    // The run is queued.
    "pending, , 1, 0, 0"
  })
  void shouldTellOfNoEpochThatMayNeverComeNorTakeOneBack(
      String status, @Nullable Integer read, int certain, int decided, int told) {
    bed.api().workflow("failover-unread", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "unread-runner", 100)) {
      String run = create("failover-unread");
      runner.awaitAssign(run);
      bed.api().await(run, now -> now.get("status").textValue().equals("starting"));

      // The state of a view that is this far behind while failovers are decided.
      pool.preparedQuery(
              """
              UPDATE orchestrator.run SET status = $2, certain_epoch = $4, epoch = $5,
                head = CASE WHEN $3::integer IS NOT NULL
                  THEN jsonb_set(head::jsonb, '{epoch}', to_jsonb($3::integer))::text END
              WHERE id = $1""")
          .execute(Tuple.of(run, status, read, certain, decided))
          .await()
          .indefinitely();

      JsonNode now = bed.api().get("/runs/" + run).json();
      assertThat(now.get("status").textValue()).isEqualTo(status);
      assertThat(now.get("epoch").intValue()).isEqualTo(told);
    }
  }

  @Test
  void shouldAdvanceOnceWhenTwoSignalsTellOfOneLoss() {
    bed.api().workflow("failover-shared", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "failover-runner", 100);
        TraceLog log = bed.log()) {
      String run = create("failover-shared");
      runner.awaitAssign(run);

      log.signal(new RunnerSignal.HeartbeatsMissed(run, 1, runner.id(), 3_000, 3_000));
      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));

      assertThat(
              runner
                  .await(m -> m.hasFenced() && m.getFenced().getRun().equals(run))
                  .getFenced()
                  .getEpoch())
          .isEqualTo(1);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
      assertThat(runner.waiting()).isZero();
      // A third, late signal about the first epoch; the signal about the second one proves that it
      // was read.
      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));
      log.signal(new RunnerSignal.RunnerExited(run, 2, runner.id(), null));
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(3);
      assertThat(epochs(log.trace(run, trace -> epochs(trace).contains(3))))
          .containsExactly(1, 2, 3);
    }
  }

  @Test
  void shouldGoOnWithARunThatMustNotBeginAgainOnceItHasSavedAStep() {
    String yaml =
        "name: failover-never\nrunner: shared\nrestart: never\nsteps:\n  - {id: a, transform: '1'}\n  - {id: b, transform: '1'}\n";
    assertThat(bed.api().post("/workflows", "application/yaml", yaml).status()).isLessThan(202);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "failover-never", 100);
        TraceLog log = bed.log()) {
      String saved = create("failover-never");
      runner.awaitAssign(saved);
      String begun = create("failover-never");
      runner.awaitAssign(begun);
      String inside = create("failover-never");
      runner.awaitAssign(inside);

      TraceEvent.RunnerStarted started = new TraceEvent.RunnerStarted("r", 1L, "h", null, 0);
      log.append(saved, Lane.runner(1), 1, started);
      log.append(saved, Lane.runner(1), 2, new TraceEvent.StepStarted("a", "transform", 1, 1));
      log.append(
          saved,
          Lane.runner(1),
          3,
          new TraceEvent.StepCompleted(
              "a",
              "transform",
              1,
              1,
              null,
              null,
              false,
              List.of("b"),
              null,
              null,
              null,
              0,
              null,
              null));
      log.signal(new RunnerSignal.RunnerExited(saved, 1, runner.id(), 137));
      log.append(begun, Lane.runner(1), 1, started);
      log.append(begun, Lane.runner(1), 2, new TraceEvent.StepStarted("a", "transform", 1, 1));
      log.signal(new RunnerSignal.RunnerExited(begun, 1, runner.id(), 137));

      log.append(inside, Lane.runner(1), 1, started);
      log.append(inside, Lane.runner(1), 2, new TraceEvent.StepStarted("a", "transform", 1, 1));
      log.append(inside, Lane.runner(1), 3, resumePoint("a"));
      log.signal(new RunnerSignal.RunnerExited(inside, 1, runner.id(), 137));

      assertThat(runner.awaitAssign(saved).getEpoch()).isEqualTo(2);
      assertThat(runner.awaitAssign(inside).getEpoch()).isEqualTo(2);
      JsonNode lost =
          bed.api().await(begun, shown -> shown.get("status").textValue().equals("lost"));
      assertThat(lost.at("/error/code").textValue()).isEqualTo("restart_never");
      assertThat(lost.get("epoch").intValue()).isEqualTo(1);
    }
  }

  /** A checkpoint inside a step that resumes from it. */
  private static TraceEvent resumePoint(String step) {
    String id = RunId.next();
    return new TraceEvent.CheckpointSaved(
        id,
        step,
        "period",
        new Cut(Digest.of(id.getBytes(StandardCharsets.UTF_8)), "baton-tree-2", 1, 1, 1, id),
        null,
        null,
        new StepAttempt(step, 1, 1),
        null);
  }

  @Test
  void shouldLeaveARunToTheRunnerThatHasComeBackAndTellOneThatIsTooLate() {
    bed.api().workflow("failover-back", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "failover-back", 100);
        TraceLog log = bed.log()) {
      String run = create("failover-back");
      runner.awaitAssign(run);

      // Another runner does not speak for this one.
      try (ScriptedRunner stranger = new ScriptedRunner(bed.port(), "failover-stranger", 1)) {
        stranger.confirm(run, 1, 6);
        assertThat(stranger.await(GatewayMessage::hasFenced).getFenced().getRun()).isEqualTo(run);
      }

      runner.confirm(run, 1, 7);
      var confirmed = runner.await(GatewayMessage::hasConfirmed).getConfirmed();
      assertThat(confirmed.getRun()).isEqualTo(run);
      assertThat(confirmed.getEpoch()).isEqualTo(1);
      assertThat(confirmed.getSuspension()).isEqualTo(7);
      // A signal about the silence before the confirmation; the next one proves that it was read.
      log.signal(new RunnerSignal.HeartbeatsMissed(run, 1, runner.id(), 60_000, 60_000));
      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), null));
      Assign second = runner.awaitAssign(run);
      TraceEvent.RunnerAssigned assigned =
          log.trace(run, trace -> epochs(trace).contains(2)).stream()
              .map(TraceRecord::event)
              .filter(TraceEvent.RunnerAssigned.class::isInstance)
              .map(TraceEvent.RunnerAssigned.class::cast)
              .reduce((first, last) -> last)
              .orElseThrow();
      assertThat(assigned.reason()).isEqualTo("runner_exited");
      assertThat(second.getEpoch()).isEqualTo(2);

      // A confirmation of the previous epoch: the failover was first.
      runner.confirm(run, 1, 8);
      assertThat(runner.await(GatewayMessage::hasFenced).getFenced().getEpoch()).isEqualTo(1);
      // The confirmation of the older epoch does not protect the new one.
      log.signal(new RunnerSignal.HeartbeatsMissed(run, 2, runner.id(), 60_000, 60_000));
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(3);
      runner.confirm(RunId.next(), 1, 1);
      assertThat(runner.await(GatewayMessage::hasFenced).getFenced().getEpoch()).isEqualTo(1);
    }
  }

  @Test
  void shouldStartTheNextEpochWhenARunnerProcessExits() throws Exception {
    bed.api().workflow("failover-exit", false);
    Path exit = data.resolve("work").resolve("exit-3");
    Files.createDirectories(exit.getParent());
    Files.createFile(exit);
    String run;
    try (TraceLog log = bed.log()) {
      run = create("failover-exit");
      assertThat(epochs(log.trace(run, trace -> epochs(trace).contains(2)))).containsExactly(1, 2);
    } finally {
      Files.delete(exit);
    }
    JsonNode first = runner(run + "-1", "exited");
    assertThat(first.get("exit_code").intValue()).isEqualTo(3);
    JsonNode second = runner(run + "-2", "running");
    ProcessHandle process = ProcessHandle.of(second.get("pid").longValue()).orElseThrow();
    assertThat(process.isAlive()).isTrue();

    // The cancellation ends the runner and its detached child.
    OrchestratorTestClient.Answer cancelled =
        bed.api().json("/runs/" + run + "/cancel", "{\"reason\":\"enough\"}");

    assertThat(cancelled.status()).isEqualTo(202);
    bed.api().await(run, shown -> shown.get("status").textValue().equals("cancelled"));
    runner(run + "-2", "exited");
    assertThat(ofRun(run)).isEmpty();
    assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isIn(202, 409);
  }

  @Test
  void shouldKillWhatTheOldEpochLeftBehindWhenItsRunnerIsKilled() throws Exception {
    bed.api().workflow("failover-kill", false);
    String run = create("failover-kill");
    JsonNode first = runner(run + "-1", "running");
    List<ProcessHandle> before = awaitProcessesOf(run);

    ProcessHandle.of(first.get("pid").longValue()).orElseThrow().destroyForcibly();

    assertThat(runner(run + "-1", "exited").get("exit_code").intValue()).isEqualTo(137);
    runner(run + "-2", "running");
    assertThat(before).noneMatch(FailoverServiceTest::lives);
    bed.api().json("/runs/" + run + "/cancel", "{}");
    runner(run + "-2", "exited");
  }

  private JsonNode runner(String id, String state) {
    JsonNode all =
        bed.api()
            .await(
                "/runners",
                "runner " + id,
                listing ->
                    find(listing, id)
                        .filter(r -> r.get("state").textValue().equals(state))
                        .isPresent());
    return find(all, id).orElseThrow();
  }

  private static Optional<JsonNode> find(JsonNode listing, String id) {
    return listing
        .get("runners")
        .valueStream()
        .filter(r -> r.get("id").textValue().equals(id))
        .findFirst();
  }

  /**
   * Returns the processes of the run as soon as there is one: a process that is shown as running
   * has been forked, but has the environment of its run only once it executes its program.
   */
  private static List<ProcessHandle> awaitProcessesOf(String run) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    List<ProcessHandle> found = ofRun(run);
    while (found.isEmpty()) {
      assertThat(System.nanoTime()).as("time until a process of the run is seen").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(10);
      found = ofRun(run);
    }
    return found;
  }

  private static List<ProcessHandle> ofRun(String run) {
    return ProcessHandle.allProcesses()
        .filter(p -> names(p, run))
        .filter(FailoverServiceTest::lives)
        .toList();
  }

  /** A zombie does not count as alive. */
  private static boolean lives(ProcessHandle process) {
    try {
      String stat =
          Files.readString(
              Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (java.io.IOException ended) {
      return false;
    }
  }

  private static boolean names(ProcessHandle process, String run) {
    try {
      String environment =
          Files.readString(
              Path.of("/proc/" + process.pid() + "/environ"), StandardCharsets.ISO_8859_1);
      return environment.contains("BATON_RUN_ID=" + run);
    } catch (java.io.IOException ended) {
      return false;
    }
  }

  @Test
  void shouldLoseAForeignRunWhenItsHeartbeatsStop() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(
          run,
          Lane.CONTROL,
          1,
          new TraceEvent.RunCreated(
              "external",
              "default",
              "theirs",
              null,
              null,
              Map.of("by", "me"),
              null,
              "always",
              null,
              null,
              Instant.now(),
              null,
              0,
              null));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("theirs", 1L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, new TraceEvent.StepStarted("a", "shell", 1, 1));
      log.beat(run, 1, "running", 600);

      JsonNode running = bed.api().await(run, shown -> !shown.get("current_steps").isEmpty());
      assertThat(running.get("status").textValue()).isEqualTo("running");
      assertThat(running.get("kind").textValue()).isEqualTo("external");
      assertThat(running.get("current_steps").get(0).textValue()).isEqualTo("a");
      JsonNode lost = bed.api().await(run, shown -> shown.get("status").textValue().equals("lost"));
      assertThat(lost.at("/error/code").textValue()).isEqualTo("heartbeats_missed");
      assertThat(
              log
                  .trace(
                      run, t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.RunLost))
                  .stream()
                  .filter(r -> r.event() instanceof TraceEvent.RunLost)
                  .map(r -> r.id().seq()))
          .containsExactly(2L);
    }
  }

  @Test
  void shouldActOnNoSignalThatNoOrchestratorHasSigned() {
    bed.api().workflow("forged-signal", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "forged-signal-runner", 1);
        TraceLog log = bed.log()) {
      String run =
          bed.api().json("/runs", "{\"workflow\":\"forged-signal\"}").json().get("id").textValue();
      runner.awaitAssign(run);
      RunnerSignal exit = new RunnerSignal.RunnerExited(run, 1, runner.id(), null);
      ProducerRecord<String, byte[]> copied = JsonEventCodec.encode(URI.create("/x"), exit);
      TraceCodec.sign(
          copied.headers(),
          Objects.requireNonNull(TraceCodec.signature(log.signed(exit).headers())));

      log.send(JsonEventCodec.encode(URI.create("/x"), exit));
      log.send(copied);

      assertThat(
              log
                  .await(
                      TopicName.deadLetters(TopicName.SIGNALS), run, records -> records.size() == 2)
                  .stream()
                  .map(
                      letter ->
                          new String(
                              letter.headers().lastHeader("baton_reason").value(),
                              StandardCharsets.UTF_8)))
          .satisfiesExactly(
              missing -> assertThat(missing).contains("signature refused (missing)"),
              forged -> assertThat(forged).contains("signature refused (bad_signature)"));
      assertThat(bed.api().get("/runs/" + run).json().get("epoch").intValue()).isEqualTo(1);
      log.signal(exit);
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(2);
    }
  }

  @Test
  void shouldPutASignalAsideThatIsNone() {
    String key = RunId.next();
    try (TraceLog log = bed.log()) {
      log.send(
          new ProducerRecord<>(TopicName.SIGNALS, key, "rubbish".getBytes(StandardCharsets.UTF_8)));

      var letters =
          log.await(TopicName.deadLetters(TopicName.SIGNALS), key, records -> !records.isEmpty());

      assertThat(
              new String(
                  Objects.requireNonNull(letters.getFirst().headers().lastHeader("baton_reason"))
                      .value(),
                  StandardCharsets.UTF_8))
          .contains("not a CloudEvent");
    }
  }

  @Test
  void shouldTellARunnerThatComesBackWhatItMissed() {
    bed.api().workflow("failover-back", true);
    String run;
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "back-runner", 100)) {
      run = create("failover-back");
      runner.awaitAssign(run);
    }
    Held held = Held.newBuilder().setRun(run).setEpoch(1).setStarted(true).build();
    Held unknown = Held.newBuilder().setRun(RunId.next()).setEpoch(1).setStarted(true).build();
    try (ScriptedRunner again = new ScriptedRunner(bed.port(), "back-runner", 100, held, unknown)) {
      assertThat(again.await(m -> m.hasFenced()).getFenced().getRun()).isEqualTo(unknown.getRun());
      bed.api().json("/runs/" + run + "/cancel", "{\"reason\":\"stop it\"}");
      assertThat(again.await(m -> m.hasCancel()).getCancel().getReason()).isEqualTo("stop it");
    }
    // A runner that lost the run before it started it gets it again.
    String second;
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "forgetful", 100)) {
      second = create("failover-back");
      runner.awaitAssign(second);
    }
    try (ScriptedRunner again = new ScriptedRunner(bed.port(), "forgetful", 100)) {
      assertThat(again.awaitAssign(second).getEpoch()).isEqualTo(1);
    }
  }
}
