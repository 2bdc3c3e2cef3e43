/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ProjectionTest {
  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private static TraceEvent.RunCreated born(
      String kind, String workflow, @Nullable Instant deadline) {
    return new TraceEvent.RunCreated(
        kind,
        "default",
        workflow,
        null,
        null,
        Map.of("l\0", "v\0"),
        deadline,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        null);
  }

  private static TraceEvent.RunCreated born(String kind) {
    return born(kind, "default");
  }

  private static TraceEvent.RunCreated born(String kind, String project) {
    return new TraceEvent.RunCreated(
        kind,
        project,
        "theirs",
        null,
        null,
        Map.of(),
        null,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        null);
  }

  private static TraceEvent.StepCompleted completed(String step) {
    return new TraceEvent.StepCompleted(
        step, "transform", 1, 1, null, null, false, List.of(), null, null, null, 5, null, null);
  }

  /** A failover that had not read the end has raised the row's epoch; the log has the old one. */
  @Test
  void shouldShowThatAnEventWasLost() {
    try (TraceLog log = bed.log()) {
      String run = RunId.next();
      log.append(run, Lane.CONTROL, 1, born("external"));
      bed.api().await(run, shown -> !shown.has("trace_gap"));

      log.append(run, Lane.CONTROL, 3, new TraceEvent.LabelsChanged(Map.of("a", "b"), null));

      JsonNode shown = bed.api().await(run, now -> now.has("trace_gap"));
      assertThat(shown.get("trace_gap").textValue()).isEqualTo(run + "/c/3 follows seq 1");
    }
  }

  @Test
  void shouldTellTheEpochInWhichARunEnded() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external"));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));

      pool.preparedQuery("UPDATE orchestrator.run SET epoch = 2 WHERE id = $1")
          .execute(Tuple.of(run))
          .await()
          .atMost(Duration.ofSeconds(10));
      log.append(run, Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(2, null, "runner_exited"));

      assertThat(bed.api().await(run, shown -> true).get("epoch").intValue()).isEqualTo(1);
    }
  }

  /**
   * Returns the shown status of a run after its first step, if {@code columns} were set in Postgres
   * before and are not on the log yet.
   */
  private String shownBeforeTheLogHas(String columns, TraceLog log, String run) {
    log.append(run, Lane.CONTROL, 1, born("external"));
    awaitStatus(run, "starting");
    pool.preparedQuery("UPDATE orchestrator.run SET control_seq = 3, " + columns + " WHERE id = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(Duration.ofSeconds(10));
    log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
    log.append(run, Lane.runner(1), 2, completed("a"));
    return bed.api()
        .await(run, shown -> shown.get("completed_steps").longValue() == 1)
        .get("status")
        .textValue();
  }

  private void awaitStatus(String run, String status) {
    bed.api().await(run, shown -> shown.get("status").textValue().equals(status));
  }

  @Test
  void shouldGoOnShowingAPauseUntilTheLogHasIt() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      String columns = "desired = 'paused', pause = 'step', status = 'paused'";
      assertThat(shownBeforeTheLogHas(columns, log, run)).isEqualTo("paused");

      // An ended run is not paused.
      log.append(run, Lane.runner(1), 3, new TraceEvent.RunCompleted(null));
      awaitStatus(run, "completed");
    }
  }

  @Test
  void shouldGoOnShowingThatARunIsBeingPausedUntilTheLogHasIt() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      String columns = "pause = 'step', status = 'pausing'";
      assertThat(shownBeforeTheLogHas(columns, log, run)).isEqualTo("pausing");

      log.append(run, Lane.runner(1), 3, new TraceEvent.RunPaused("asked for"));
      awaitStatus(run, "paused");
    }
  }

  @Test
  void shouldFoldWhatCountsAndCountWhatDoesNot() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external"));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      // A poison record in the same partition does not block it.
      log.send(
          new ProducerRecord<>(TopicName.TRACE, run, "poison".getBytes(StandardCharsets.UTF_8)));
      log.append(run, Lane.runner(1), 2, completed("a"));
      log.append(run, Lane.runner(1), 2, completed("a"));
      log.append(run, Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(2, null, "resume"));
      log.append(run, Lane.runner(1), 3, completed("fenced"));
      log.append(run, Lane.runner(2), 1, completed("b"));
      log.append(
          run, Lane.runner(2), 2, new TraceEvent.RunCompleted(new Output.Inline(new IntNode(7))));

      JsonNode done =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));

      assertThat(done.get("completed_steps").intValue()).isEqualTo(2);
      assertThat(done.get("fenced").intValue()).isEqualTo(1);
      assertThat(done.get("output").intValue()).isEqualTo(7);
      assertThat(done.get("started_at")).isNotNull();
    }
  }

  @Test
  void shouldIgnoreAStrangerThatIsNotExternal() {
    String stranger = RunId.next();
    String after = stranger;
    try (TraceLog log = bed.log()) {
      log.append(stranger, Lane.CONTROL, 1, born("managed"));
      log.append(after, Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(1, null, "start"));
      String proof = samePartition(stranger);
      log.append(proof, Lane.CONTROL, 1, born("external"));

      bed.api().await(proof, shown -> true);

      assertThat(bed.api().get("/runs/" + stranger).status()).isEqualTo(404);
    }
  }

  @Test
  void shouldIgnoreAForeignRunOfAProjectThatCannotExist() {
    String stranger = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(stranger, Lane.CONTROL, 1, born("external", "../default"));
      String proof = samePartition(stranger);
      log.append(proof, Lane.CONTROL, 1, born("external", "a.b-c_d"));

      bed.api().await(proof, shown -> true);

      assertThat(bed.api().get("/runs/" + stranger).status()).isEqualTo(404);
    }
  }

  @Test
  void shouldTakeARestoredRunIntoTheListAndLetItGoOn() {
    String definition =
        """
        {"name":"restored","steps":[{"id":"ask","approval":{"prompt":"Go on?"}}]}""";
    WorkflowParseResult.Valid parsed =
        (WorkflowParseResult.Valid) WorkflowParser.parse(definition, DefinitionFormat.JSON);
    String canonical = new String(WorkflowParser.bytes(parsed.canonical()), StandardCharsets.UTF_8);
    String run = RunId.next();
    String forged = samePartition(run);
    try (TraceLog log = bed.log()) {
      restore(log, forged, Lane.CONTROL, 1, restored(parsed.hash(), canonical + " "));
      restore(log, run, Lane.CONTROL, 1, restored(parsed.hash(), canonical));
      restore(log, run, Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(1, null, "start"));
      restore(log, run, Lane.CONTROL, 3, new TraceEvent.RunnerAssigned(2, null, "runner_exited"));
      restore(log, run, Lane.runner(2), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      restore(log, run, Lane.runner(2), 2, question(run + "-ask-1"));
      restore(
          log,
          run,
          Lane.runner(2),
          3,
          new TraceEvent.RunParked(Instant.now(), 1L, List.of(run + "-ask-1"), Map.of()));

      JsonNode waiting = bed.api().await(run, shown -> shown.hasNonNull("parked"));
      assertThat(waiting.get("status").textValue()).isEqualTo("waiting");
      // The run does not resume by itself.
      assertThat(waiting.get("parked").hasNonNull("until")).isFalse();
      assertThat(waiting.get("kind").textValue()).isEqualTo("managed");
      assertThat(waiting.get("epoch").intValue()).isEqualTo(2);
      assertThat(waiting.get("workflow").textValue()).isEqualTo("restored");

      OrchestratorTestClient.Answer resumed = bed.api().json("/runs/" + run + "/resume", "{}");
      assertThat(resumed.status()).as("%s", resumed).isEqualTo(202);
      assertThat(resumed.json().get("epoch").intValue()).isEqualTo(3);
      log.trace(
          run,
          trace ->
              trace.stream()
                  .anyMatch(
                      record ->
                          record.id().equals(new EventId(run, Lane.CONTROL, 4))
                              && record.event() instanceof TraceEvent.RunnerAssigned assigned
                              && assigned.epoch() == 3
                              && assigned.reason().equals("resume")));
      // Now the run is assigned.
      assertThat(bed.api().json("/runs/" + run + "/resume", "{}").status()).isEqualTo(409);
      // A run whose definition does not match its hash is shown without the definition.
      assertThat(bed.api().get("/runs/" + forged).json().get("definition_hash").textValue())
          .isEqualTo(parsed.hash());
    }
  }

  private static void restore(TraceLog log, String run, Lane lane, long seq, TraceEvent event) {
    log.send(
        TraceCodec.restore(
            TopicName.TRACE,
            HomePartitioner.choose(run, 8),
            new EventId(run, lane, seq),
            URI.create("/elsewhere"),
            EventTypeRegistry.of(event),
            Instant.now(),
            Json.bytes(event)));
  }

  private static TraceEvent restored(String hash, String definition) {
    return new TraceEvent.RunCreated(
        "managed",
        "default",
        "restored",
        hash,
        null,
        Map.of(),
        null,
        "always",
        null,
        null,
        Instant.now(),
        null,
        0,
        definition);
  }

  @Test
  void shouldShowOnlyTheNewQuestionWhereTheFilesOfTheOldOneAreLost() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external"));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, built(true));
      log.append(run, Lane.runner(1), 3, question(run + "-ask-1"));
      log.append(run, Lane.CONTROL, 2, new TraceEvent.RunnerAssigned(2, null, "runner_exited"));
      log.append(run, Lane.runner(2), 1, built(false));
      log.append(run, Lane.runner(2), 2, question(run + "-ask-1-2"));

      JsonNode waiting =
          bed.api()
              .await(run, shown -> shown.path("waiting").toString().contains("-ask-1-2"))
              .get("waiting");

      assertThat(waiting).hasSize(1);
    }
  }

  private static TraceEvent.StepCompleted built(boolean withoutCut) {
    return new TraceEvent.StepCompleted(
        "build",
        "shell",
        1,
        1,
        null,
        null,
        withoutCut,
        List.of("ask"),
        null,
        null,
        null,
        5,
        null,
        null);
  }

  private static TraceEvent.ApprovalRequested question(String id) {
    return new TraceEvent.ApprovalRequested("ask", id, "Go on?", null, null, null, null, null);
  }

  @Test
  void shouldShowAnApprovalThatWasRecordedUnderTheOldNameOfItsEvent() {
    String run = RunId.next();
    ProducerRecord<String, byte[]> old =
        TraceCodec.encode(
            TopicName.TRACE,
            new TraceRecord(
                new EventId(run, Lane.runner(1), 2),
                URI.create("/elsewhere"),
                Instant.now(),
                question(run + "-ask-1")),
            null);
    old.headers().remove("ce_type");
    old.headers().add("ce_type", "dev.baton.checkpoint_waiting".getBytes(StandardCharsets.UTF_8));
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external"));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      log.send(old);

      JsonNode shown = bed.api().await(run, now -> now.get("status").textValue().equals("waiting"));

      assertThat(shown.at("/waiting/0/approval").textValue()).isEqualTo(run + "-ask-1");
      assertThat(
              bed.api().get("/approvals?run=" + run).json().at("/approvals/0/prompt").textValue())
          .isEqualTo("Go on?");
    }
  }

  @Test
  void shouldReadAgainWhatPostgresHasLost() {
    String run = RunId.next();
    int partition = HomePartitioner.choose(run, 8);
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external"));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x", 9L, "h", null, 0));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("running"));
      sql(
          "CREATE TABLE orchestrator.lost_run AS SELECT * FROM orchestrator.run WHERE id = $1",
          run);
      sql(
          "CREATE TABLE orchestrator.lost_position AS SELECT * FROM orchestrator.projection_position WHERE partition = "
              + partition);
      log.append(run, Lane.runner(1), 2, completed("a"));
      bed.api().await(run, shown -> shown.get("completed_steps").intValue() == 1);
      // Simulates a crash of Postgres that loses its last commits while this service keeps running.
      sql(
          "WITH back AS (UPDATE orchestrator.projection_position p SET next_offset = l.next_offset"
              + " FROM orchestrator.lost_position l WHERE p.partition = l.partition)"
              + " UPDATE orchestrator.run r SET head = l.head, completed = l.completed"
              + " FROM orchestrator.lost_run l WHERE r.id = l.id");
      log.append(run, Lane.runner(1), 3, completed("b"));
      log.append(
          run, Lane.runner(1), 4, new TraceEvent.RunCompleted(new Output.Inline(new IntNode(7))));
      JsonNode done =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));
      assertThat(done.get("completed_steps").intValue()).isEqualTo(2);
    } finally {
      sql("DROP TABLE IF EXISTS orchestrator.lost_run, orchestrator.lost_position");
    }
  }

  @Test
  void shouldNotBeHeldUpByWhatPostgresRefuses() {
    String run = RunId.next();
    String refused = samePartition(run);
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born("external", "w\0", Instant.MAX));
      // Too long for an index.
      log.append(refused, Lane.CONTROL, 1, born("external", random(20_000), null));
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("x\0", 9L, "h\0h", null, 0));
      log.append(
          run,
          Lane.runner(1),
          2,
          new TraceEvent.ApprovalRequested(
              "s\0", run + "\0", "Go\0 on?", null, null, Instant.MIN, null, null));
      log.send(poisonKey(run));
      JsonNode shown = bed.api().await(run, now -> now.get("status").textValue().equals("waiting"));
      assertThat(shown.get("workflow").textValue()).isEqualTo("w");
      log.append(
          run, Lane.runner(1), 3, new TraceEvent.RunCompleted(new Output.Inline(new IntNode(7))));
      bed.api().await(run, now -> now.get("status").textValue().equals("completed"));
      assertThat(bed.api().get("/runs/" + refused).status()).isEqualTo(404);
    }
  }

  private static ProducerRecord<String, byte[]> poisonKey(String run) {
    return new ProducerRecord<>(
        TopicName.TRACE,
        HomePartitioner.choose(run, 8),
        "\0",
        "x".getBytes(StandardCharsets.UTF_8));
  }

  private static String random(int length) {
    StringBuilder text = new StringBuilder();
    for (java.util.Random random = new java.util.Random(1); text.length() < length; ) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  private void sql(String statement, String... values) {
    String filled = statement.replace("$1", values.length == 0 ? "" : "'" + values[0] + "'");
    pool.query(filled).execute().await().atMost(Duration.ofSeconds(10));
  }

  private static String samePartition(String run) {
    while (true) {
      String other = RunId.next();
      if (HomePartitioner.choose(other, 8) == HomePartitioner.choose(run, 8)) {
        return other;
      }
    }
  }
}
