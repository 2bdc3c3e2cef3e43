/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.runner.agents.AgentRuntime;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.config.GrpcAddress;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.logs.LogSettings;
import dev.baton.runner.logs.LogShipper;
import dev.baton.runner.logs.RunLogUploader;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.sandbox.SandboxFactory;
import dev.baton.runner.secrets.SecretCheckpointPolicy;
import dev.baton.runner.secrets.SecretResolver;
import dev.baton.runner.secrets.SecretSourcePolicy;
import dev.baton.runner.steps.HttpAddressPolicy;
import dev.baton.runner.steps.SharedProgramLimiter;
import dev.baton.runner.steps.StepContext;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * A run without files, executed by one {@link RunTask} after the other, with its trace in memory,
 * so that thousands of runs can be interrupted at every event. Other tests kill real processes.
 */
final class TracedRun {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final RunnerStoreClient NO_STORE =
      new RunnerStoreClient(GrpcChannelFactory.open(List.of(new GrpcAddress("127.0.0.1", 9))));
  private static final MockProducer<String, byte[]> NOWHERE =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private static final HeartbeatPublisher HEARTBEATS = new HeartbeatPublisher("traced", NOWHERE);
  private static final RunLogUploader LOGS =
      new RunLogUploader(
          new LogShipper("traced", () -> NOWHERE),
          NO_STORE,
          LogSettings.of(Path.of(System.getProperty("java.io.tmpdir"), "traced")));
  private static final DelayedStepStarted ANNOUNCEMENTS = new DelayedStepStarted();
  private static final WorkflowCache DEFINITIONS = new WorkflowCache();

  /** An attempt of a step's function, and the number of events in the trace when it began. */
  record Attempt(String step, int visit, int number, int traceSize) {}

  final String id = RunId.next();
  private final WorkflowParseResult.Valid workflow;
  private final Function<TraceEvent.ApprovalRequested, Optional<JsonNode>> answers;
  private final Function<StepContext, Function<JsonNode, JsonNode>> work;
  private final List<TraceRecord> trace = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<TraceEvent.ApprovalRequested> unanswered = new ArrayList<>();
  private int epoch;
  private long controlSeq;
  private int allowed;
  private @Nullable RunTask task;
  private JsonNode input = NullNode.getInstance();
  private TlsSettings tls = TlsSettings.NONE;
  private SecretResolver secrets =
      SecretResolver.ofProcess(SecretSourcePolicy.parse(SecretSourcePolicy.DEFAULT));

  /**
   * @param answers answers of people; empty for never
   * @param work the function {@code work}; throws to fail
   */
  TracedRun(
      WorkflowParseResult.Valid workflow,
      Function<TraceEvent.ApprovalRequested, Optional<JsonNode>> answers,
      Function<StepContext, Function<JsonNode, JsonNode>> work) {
    this.workflow = workflow;
    this.answers = answers;
    this.work = work;
    control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            workflow.workflow().name(),
            workflow.hash(),
            new Output.Inline(NullNode.getInstance()),
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.now(),
            null,
            0,
            null));
  }

  /** Resolves the secrets of the workflow in place of a resolver with this environment. */
  TracedRun with(SecretResolver resolver) {
    secrets = resolver;
    return this;
  }

  /** Has http steps trust these authorities. */
  TracedRun with(TlsSettings trusted) {
    tls = trusted;
    return this;
  }

  /** Assigns the run with this input. */
  TracedRun with(JsonNode runInput) {
    input = runInput;
    return this;
  }

  /**
   * Executes the run on the next runner until its end, or until the runner has written this many
   * events; later events do not reach the trace.
   */
  RunTaskOutcome carry(int events) throws InterruptedException {
    synchronized (this) {
      epoch++;
      control(new TraceEvent.RunnerAssigned(epoch, "r", epoch == 1 ? "start" : "runner_exited"));
      allowed = events;
    }
    RunTask next = new RunTask(assignment(), services());
    synchronized (this) {
      task = next;
      // Answers the question that was the last event of the previous runner.
      List.copyOf(unanswered).forEach(this::answer);
      unanswered.clear();
    }
    Thread thread = Thread.ofVirtual().start(next::run);
    if (!thread.join(PATIENCE)) {
      next.stop(StopReason.BROKEN);
      throw new AssertionError(
          "run hangs; " + workflow.canonical() + "\n" + String.join("\n", lines()));
    }
    return next.ended().join();
  }

  synchronized RunState state() {
    StateFold fold = new StateFold(RunState.empty(id));
    trace.forEach(fold::accept);
    return fold.state();
  }

  synchronized List<TraceRecord> trace() {
    return List.copyOf(trace);
  }

  synchronized List<Attempt> attempts() {
    return List.copyOf(attempts);
  }

  List<String> lines() {
    return trace().stream().map(record -> record.id() + " " + record.event()).toList();
  }

  private synchronized void written(TraceRecord record) {
    if (allowed <= 0) {
      throw new KafkaException("interrupted here");
    }
    allowed--;
    trace.add(record);
    if (record.event() instanceof TraceEvent.ApprovalRequested asked) {
      if (allowed > 0) {
        answer(asked);
      } else {
        unanswered.add(asked);
        if (task != null) { // It would wait without ever noticing the interruption.
          task.stop(StopReason.BROKEN);
        }
      }
    }
  }

  private void answer(TraceEvent.ApprovalRequested asked) {
    answers
        .apply(asked)
        .ifPresent(
            answer -> {
              control(
                  new TraceEvent.ApprovalAnswered(
                      asked.step(), asked.approval(), answer, "someone", null, null));
              if (task != null) {
                task.answer(asked.approval(), answer);
              }
            });
  }

  private synchronized void control(TraceEvent.Control event) {
    trace.add(
        new TraceRecord(
            new EventId(id, Lane.CONTROL, ++controlSeq),
            URI.create("/baton/orchestrator/test"),
            Instant.now(),
            event));
  }

  private JsonNode call(JsonNode arguments, StepContext context) {
    synchronized (this) {
      attempts.add(new Attempt(context.step(), context.visit(), context.attempt(), trace.size()));
    }
    return work.apply(context).apply(arguments);
  }

  private RunAssignment assignment() {
    return new RunAssignment(
        id,
        epoch,
        OptionalInt.empty(),
        "",
        "",
        "default",
        workflow.workflow().name(),
        workflow.hash(),
        Json.bytes(workflow.canonical()),
        Optional.of(input),
        Map.of(),
        Instant.EPOCH,
        Optional.empty(),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        epoch == 1,
        Duration.ZERO,
        Map.of());
  }

  private RunnerContext services() {
    return new RunnerContext(
        "traced",
        Path.of(System.getProperty("java.io.tmpdir")),
        new Log(),
        NO_STORE,
        new FromTrace(),
        HEARTBEATS,
        LOGS,
        new StepExecutorRegistry(
            name -> name.equals("work") ? Optional.of(this::call) : Optional.empty(),
            StepExecutorRegistry.DEFAULT_MAX_RESPONSE,
            AgentRuntime.none(),
            StepEnvironmentBuilder.ofProcess(List.of()),
            HttpAddressPolicy.DEFAULT,
            tls,
            secrets,
            SandboxFactory.ofProcess(Path.of("/nonexistent"), HttpAddressPolicy.DEFAULT::check),
            SharedProgramLimiter.defaultMax()),
        ANNOUNCEMENTS,
        DEFINITIONS,
        new CheckpointSettings(Optional.empty(), List.of(), SecretCheckpointPolicy.STRIP),
        (run, at, suspension) -> {},
        new EventSpoolSettings(Path.of(System.getProperty("java.io.tmpdir")), 1 << 20),
        WorkspaceMount.NONE);
  }

  /** An event that is sent is on the log, or the log is unavailable. */
  private final class Log extends MockProducer<String, byte[]> {
    Log() {
      super(true, null, new StringSerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<String, byte[]> record, @Nullable Callback callback) {
      if (TraceCodec.decode(record.key(), record.headers(), record.value())
          instanceof TraceCodec.Decoded.Known(TraceRecord known, _, _)) {
        written(known);
      } else {
        throw new AssertionError("not of a trace: " + record);
      }
      return super.send(record, callback);
    }
  }

  private final class FromTrace implements RunSnapshotSource {
    @Override
    public RunState get(String run, int atEpoch, String lease) {
      // Through its JSON, as runners get it.
      return Json.read(Json.bytes(state()), RunState.class);
    }

    @Override
    public Workspace workspace(StoreCaller holder) {
      throw new AssertionError("no files are needed");
    }

    @Override
    public Optional<RestorableState> getWithout(
        String run, int atEpoch, String lease, Set<String> damaged) {
      throw new AssertionError("no checkpoints are needed");
    }

    @Override
    public Workspace unrestored(StoreCaller holder) {
      return workspace(holder);
    }
  }
}
