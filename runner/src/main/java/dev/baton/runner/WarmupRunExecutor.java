/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.engine.CheckpointSettings;
import dev.baton.runner.engine.DelayedStepStarted;
import dev.baton.runner.engine.RunAssignment;
import dev.baton.runner.engine.RunSnapshotSource;
import dev.baton.runner.engine.RunTask;
import dev.baton.runner.engine.RunTaskOutcome;
import dev.baton.runner.engine.RunnerContext;
import dev.baton.runner.engine.StopReason;
import dev.baton.runner.engine.WorkflowCache;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.logs.LogSettings;
import dev.baton.runner.logs.LogShipper;
import dev.baton.runner.logs.RunLogUploader;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Executes a small workflow with the engine of real runs, first from the beginning and then as the
 * replacement of a runner that died after the first step. Events are encoded and kept in memory;
 * log lines stay in their spool. Heartbeats are sent, which open the connection to Kafka.
 */
final class WarmupRunExecutor {
  private static final String NAME = "warm-up";
  private static final String PROJECT = "default";
  private static final Duration RUN_WITHIN = Duration.ofSeconds(10);
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final JsonNode INPUT = JsonNodeFactory.instance.objectNode().put("text", "hello");

  private static final String WORKFLOW =
      """
      name: warm-up
      steps:
        - {id: list, workspace: none, shell: 'echo "[1, 2]"', output: json, env: {TEXT: "${{ .input.text }}"}}
        - id: each
          parallel:
            over: .steps.list.output
            steps:
              - {id: print, workspace: none, shell: 'echo "$ITEM"', env: {ITEM: "${{ .run.branch.item }}"}}
              - {id: shape, transform: '{item: .run.branch.item, text: .input.text}'}
        - {id: soon, wait: 1ms}
        - id: lap
          transform: '(.steps.lap.output // 0) + 1'
          next: [{when: .steps.lap.output < 20, to: lap}]
          max_visits: 20
        - {id: total, when: '.steps.each.output | length > 1', transform: '[.steps.each.output[] | .item] | add'}
      """;

  private final RunnerConfig config;
  private final RunnerStoreClient store;
  private final StepExecutorRegistry executors;
  private final Producer<String, byte[]> producer;
  private final Path data;
  private final String run = RunId.next();
  private final MockProducer<String, byte[]> events = inMemory();

  /**
   * @param producer sends the heartbeats
   * @param data the folder of all files, which the caller deletes
   */
  WarmupRunExecutor(
      RunnerConfig config,
      RunnerStoreClient store,
      StepExecutorRegistry executors,
      Producer<String, byte[]> producer,
      Path data) {
    this.config = config;
    this.store = store;
    this.executors = executors;
    this.producer = producer;
    this.data = data;
  }

  /** Blocks for at most 20 s. */
  void run() throws IOException, InterruptedException, ExecutionException, TimeoutException {
    WorkflowParseResult parsed =
        WorkflowParser.parse(WORKFLOW.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML);
    if (!(parsed instanceof WorkflowParseResult.Valid workflow)) {
      throw new IllegalStateException("invalid workflow: " + parsed);
    }
    execute(assignment(1, workflow), RunState.empty(run));
    byte[] stored = Json.bytes(afterFirstStep(workflow));
    execute(assignment(2, workflow), Json.mapper().readValue(stored, RunState.class));
  }

  private void execute(RunAssignment assignment, RunState before)
      throws InterruptedException, ExecutionException, TimeoutException {
    try (HeartbeatPublisher heartbeats = HeartbeatPublisher.forWarmup(config.runnerId(), producer);
        RunLogUploader logs = logs();
        DelayedStepStarted announcements = new DelayedStepStarted()) {
      // A closed one accepts lines and uploads none.
      logs.close();
      RunTask task = new RunTask(assignment, context(before, heartbeats, logs, announcements));
      Thread.ofVirtual().name(NAME).start(task::run);
      try {
        RunTaskOutcome outcome = task.ended().get(RUN_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        if (outcome != RunTaskOutcome.COMPLETED) {
          throw new IllegalStateException("the workflow has ended with " + outcome);
        }
      } finally {
        task.stop(StopReason.BROKEN);
      }
    }
  }

  private RunLogUploader logs() {
    return new RunLogUploader(
        new LogShipper(NAME, WarmupRunExecutor::inMemory), store, LogSettings.of(data));
  }

  private RunnerContext context(
      RunState before,
      HeartbeatPublisher heartbeats,
      RunLogUploader logs,
      DelayedStepStarted announcements) {
    WorkspaceMount fixed =
        config
            .workspacePath()
            .map(path -> WorkspaceMount.at(path, data.resolve("runs")))
            .orElse(WorkspaceMount.NONE);
    return new RunnerContext(
        NAME,
        data,
        events,
        store,
        new WithoutFiles(before),
        heartbeats,
        logs,
        executors,
        announcements,
        new WorkflowCache(),
        new CheckpointSettings(
            config.checkpointInterval(),
            config.checkpointEnvironment(),
            config.secretCheckpoints()),
        (carried, epoch, suspension) -> {},
        new EventSpoolSettings(data, config.spoolMax()),
        fixed);
  }

  private RunAssignment assignment(int epoch, WorkflowParseResult.Valid workflow) {
    return new RunAssignment(
        run,
        epoch,
        OptionalInt.empty(),
        "",
        "",
        PROJECT,
        NAME,
        workflow.hash(),
        Json.bytes(workflow.canonical()),
        Optional.of(INPUT),
        Map.of(),
        Instant.now(),
        Optional.empty(),
        HEARTBEAT,
        HEARTBEAT.multipliedBy(3),
        epoch == 1,
        RUN_WITHIN,
        Map.of());
  }

  private RunState afterFirstStep(WorkflowParseResult.Valid workflow) {
    StateFold fold = new StateFold(RunState.empty(run));
    fold.accept(
        control(
            1,
            new TraceEvent.RunCreated(
                "managed",
                PROJECT,
                NAME,
                workflow.hash(),
                new Output.Inline(INPUT),
                Map.of(),
                null,
                "always",
                null,
                null,
                Instant.now(),
                null,
                0,
                null)));
    fold.accept(control(2, new TraceEvent.RunnerAssigned(1, null, "start")));
    for (ProducerRecord<String, byte[]> record : events.history()) {
      if (record.topic().equals(TopicName.TRACE)
          && TraceCodec.decode(record.key(), record.headers(), record.value())
              instanceof TraceCodec.Decoded.Known known) {
        fold.accept(known.record());
        if (known.record().event() instanceof TraceEvent.StepCompleted) {
          break;
        }
      }
    }
    fold.accept(control(3, new TraceEvent.RunnerAssigned(2, null, "runner_exited")));
    return fold.state();
  }

  private TraceRecord control(long seq, TraceEvent event) {
    return new TraceRecord(
        new EventId(run, Lane.CONTROL, seq),
        URI.create("/baton/runner/" + NAME),
        Instant.now(),
        event);
  }

  private static MockProducer<String, byte[]> inMemory() {
    return new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  }

  /** The state of a run whose steps use no files. */
  private record WithoutFiles(RunState state) implements RunSnapshotSource {
    @Override
    public RunState get(String run, int epoch, String lease) {
      return state;
    }

    @Override
    public Workspace workspace(StoreCaller holder) {
      throw new IllegalStateException("run " + holder.run() + " has no files");
    }

    @Override
    public Optional<RestorableState> getWithout(
        String run, int epoch, String lease, Set<String> damaged) {
      throw new IllegalStateException("no checkpoints are needed");
    }

    @Override
    public Workspace unrestored(StoreCaller holder) {
      return workspace(holder);
    }
  }
}
