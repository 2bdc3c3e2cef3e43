/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A run with its orchestrator: writes the orchestrator's events to the trace and sends its messages
 * on the stream.
 */
public final class TestRun {
  private final RunnerTestEnvironment services;
  private final WorkflowParseResult.Valid workflow;
  private final JsonNode input;
  private final Instant createdAt = Instant.now();
  private final Map<String, String> answers = new HashMap<>();
  public final String id = RunId.next();
  private long controlSeq;
  private int epoch;
  private Instant deadline = Instant.EPOCH;
  private byte @Nullable [] rawInput;
  private final Map<String, String> labels = new HashMap<>();

  public TestRun(RunnerTestEnvironment services, String yaml, String inputJson) throws Exception {
    this(services, yaml, inputJson, "always");
  }

  public TestRun(RunnerTestEnvironment services, String yaml, String inputJson, String restart)
      throws Exception {
    this.services = services;
    this.input = Json.mapper().readTree(inputJson);
    WorkflowParseResult parsed =
        WorkflowParser.parse(yaml.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML);
    if (!(parsed instanceof WorkflowParseResult.Valid valid)) {
      throw new AssertionError(parsed.toString());
    }
    this.workflow = valid;
    control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            valid.workflow().name(),
            valid.hash(),
            new Output.Inline(input),
            Map.of(),
            null,
            restart,
            null,
            null,
            createdAt,
            null,
            0,
            null));
  }

  /** Sends this JSON, unchecked, to the first runner instead of the input. */
  public TestRun rawInput(String json) {
    rawInput = json.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  public TestRun label(String name, String value) {
    labels.put(name, value);
    return this;
  }

  public TestRun deadline(Instant at) {
    deadline = at;
    return this;
  }

  /** Writes {@code runner_assigned} of the next epoch. */
  public int nextEpoch() throws Exception {
    epoch++;
    control(new TraceEvent.RunnerAssigned(epoch, null, epoch == 1 ? "start" : "runner_exited"));
    return epoch;
  }

  /** Begins the next epoch of a parked run. */
  public int unpark(Duration waited) throws Exception {
    epoch++;
    control(
        new TraceEvent.RunnerAssigned(
            epoch, null, TraceEvent.RunnerAssigned.UNPARKED, waited.toMillis()));
    return epoch;
  }

  /** Resumes the run, as requested by a user. */
  public int resume() throws Exception {
    epoch++;
    control(new TraceEvent.RunnerAssigned(epoch, null, TraceEvent.RunnerAssigned.RESUME));
    return epoch;
  }

  /** Resumes the run with other budgets for its agents. */
  public int resume(ModelBudget budget) throws Exception {
    control(
        new TraceEvent.ResumeRequested(
            null, null, null, Map.of(), List.of(), null, List.of(), budget));
    return resume();
  }

  public int epoch() {
    return epoch;
  }

  public Assign assign() {
    Assign.Builder assign =
        Assign.newBuilder()
            .setRun(id)
            .setEpoch(epoch)
            .setProject("default")
            .setWorkflow(workflow.workflow().name())
            .setDefinitionHash(workflow.hash())
            .setDefinition(ByteString.copyFrom(Json.bytes(workflow.canonical())))
            .setInput(ByteString.copyFrom(rawInput == null ? Json.bytes(input) : rawInput))
            .putAllLabels(labels)
            .setCreatedAtMicros(createdAt.toEpochMilli() * 1_000)
            .setDeadlineMicros(deadline.toEpochMilli() * 1_000)
            .setHeartbeatIntervalMillis(500)
            .setHeartbeatTimeoutMillis(1_500)
            .setFresh(epoch == 1);
    return assign.build();
  }

  /** Starts the next epoch on an attached runner. */
  public TestRun start(String runner) throws Exception {
    nextEpoch();
    services.gateway.assign(runner, assign());
    return this;
  }

  /** Answers like the orchestrator: in the trace, then on the stream. */
  public void answer(String runner, String step, int visit, String json) throws Exception {
    answer(runner, step, id + "-" + step.replace('/', '~') + "-" + visit, json);
  }

  /** Answers like {@link #answer(String, String, int, String)}, a question with this id. */
  public void answer(String runner, String step, String approval, String json) throws Exception {
    answers.put(approval, json);
    control(
        new TraceEvent.ApprovalAnswered(
            step, approval, Json.mapper().readTree(json), "tester", null, null));
    services.gateway.answer(runner, id, approval, json);
  }

  /** Returns the trace once the run has completed or failed. */
  public List<TraceRecord> awaitEnd() throws InterruptedException {
    return services.trace.await(
        id,
        all ->
            all.stream()
                .anyMatch(
                    r ->
                        r.event() instanceof TraceEvent.RunCompleted
                            || r.event() instanceof TraceEvent.RunFailed));
  }

  public JsonNode awaitOutput() throws InterruptedException {
    for (TraceRecord record : awaitEnd()) {
      if (record.event() instanceof TraceEvent.RunCompleted done
          && done.output() instanceof Output.Inline inline) {
        return inline.value();
      }
    }
    throw new AssertionError("no inline output: " + events());
  }

  public TraceEvent.RunFailed awaitFailure() throws InterruptedException {
    awaitEnd();
    return events(TraceEvent.RunFailed.class).getFirst();
  }

  public List<TraceEvent> events() {
    return services.trace.records(id).stream().map(TraceRecord::event).toList();
  }

  public <E extends TraceEvent> List<E> events(Class<E> type) {
    List<E> found = new ArrayList<>();
    for (TraceEvent event : events()) {
      if (type.isInstance(event)) {
        found.add(type.cast(event));
      }
    }
    return found;
  }

  /** Returns how a step completed for the first time. */
  public TraceEvent.StepCompleted completed(String step) {
    return events(TraceEvent.StepCompleted.class).stream()
        .filter(event -> event.step().equals(step))
        .findFirst()
        .orElseThrow();
  }

  /** Appends the next event of this epoch's runner after the runner has ended. */
  public void late(TraceEvent.Runner event) throws ExecutionException, InterruptedException {
    Lane lane = Lane.runner(epoch);
    long last =
        services.trace.records(id).stream()
            .filter(record -> record.id().lane().equals(lane))
            .mapToLong(record -> record.id().seq())
            .max()
            .orElse(0);
    append(lane, last + 1, event);
  }

  /** Appends all events of a runner of the current epoch. */
  public void wrote(List<TraceEvent.Runner> events) {
    wrote(Instant.now(), events);
  }

  /** Appends the events with this time of the runner's clock. */
  public void wrote(Instant time, List<TraceEvent.Runner> events) {
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", services.kafka(), "acks", "all", "linger.ms", 5),
            new StringSerializer(),
            new ByteArraySerializer())) {
      long seq = 0;
      for (TraceEvent.Runner event : events) {
        TraceRecord record =
            new TraceRecord(
                new EventId(id, Lane.runner(epoch), ++seq),
                URI.create("/baton/runner/gone"),
                time,
                event);
        producer.send(TraceCodec.encode(TopicName.TRACE, record, null));
      }
      producer.flush();
    }
  }

  private void control(TraceEvent.Control event) throws ExecutionException, InterruptedException {
    append(Lane.CONTROL, ++controlSeq, event);
  }

  private void append(Lane lane, long seq, TraceEvent event)
      throws ExecutionException, InterruptedException {
    TraceRecord record =
        new TraceRecord(
            new EventId(id, lane, seq), URI.create("/baton/orchestrator"), Instant.now(), event);
    var unused = services.producer.send(TraceCodec.encode(TopicName.TRACE, record, null)).get();
  }
}
