/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import com.google.protobuf.ByteString;
import dev.baton.protocol.grpc.Assign;
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
import dev.baton.runner.Runner;
import dev.baton.runner.RunnerExitCode;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.journal.RunnerProducerFactory;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.TreeDeleter;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jboss.logging.Logger;

/**
 * Runs a small workflow against services in this process: first with a trace in memory, then, as a
 * replacement, with the real Kafka client. Loops long enough for the AOT cache to contain profiles
 * of the code between two steps, so that a new shared runner is soon as fast as a warm one.
 */
public final class RunnerAotTrainer {
  private static final Logger LOG = Logger.getLogger(RunnerAotTrainer.class);

  private static final String WORKFLOW =
      """
      name: rehearsal
      steps:
        - {id: files, shell: 'echo "$TEXT" > file; echo "[1, 2]"', output: json, env: {TEXT: "${{ .input.text }}"}}
        - id: each
          parallel:
            over: .steps.files.output
            steps:
              - {id: write, shell: 'cat file > "copy-$ITEM"', env: {ITEM: "${{ .run.branch.item }}"}}
              - {id: shape, transform: '{item: .run.branch.item, text: .input.text}'}
        - {id: soon, wait: 60ms}
        - id: lap
          transform: '(.steps.lap.output // 0) + 1'
          next: [{when: .steps.lap.output < 5000, to: lap}]
          max_visits: 5000
        - {id: total, when: '.steps.each.output | length > 1', transform: '[.steps.each.output[] | .item] | add'}
      """;

  /** The number of laps in the workflow; {@link #FEW_LAPS} replaces it for a warm-up. */
  private static final String LAPS = "5000";

  private static final String FEW_LAPS = "20";

  private static final String INPUT = "{\"text\": \"hello\"}";

  private static final int TREE_FOLDERS = 30;
  private static final int TREE_FILES = 20;
  private static final int TREE_ROUNDS = 6;

  /** Bytes of a file that is split into several chunks. */
  private static final int LARGE_FILE = 5 << 20;

  private RunnerAotTrainer() {}

  /** Runs the full training. Blocks for some seconds and deletes its files. */
  public static RunnerExitCode run(StepExecutorRegistry executors) throws InterruptedException {
    try {
      Path data = Files.createTempDirectory("baton-rehearsal");
      try {
        restore(data);
        return rehearse(data, executors, workflow(LAPS));
      } finally {
        TreeDeleter.deleteFully(data);
      }
    } catch (IOException e) {
      LOG.error("rehearsal: failed", e);
      return RunnerExitCode.INTERNAL;
    }
  }

  /**
   * Runs the workflow once, as a first runner and as a replacement, so that the code for the first
   * real run in this process is loaded and linked. Blocks for about a second and deletes its files.
   * After a failure the first run is only slower.
   */
  public static void warmUp(StepExecutorRegistry executors) throws InterruptedException {
    try {
      Path data = Files.createTempDirectory("baton-rehearsal");
      try {
        RunnerExitCode code = rehearse(data, executors, workflow(FEW_LAPS));
        if (code != RunnerExitCode.DONE) {
          LOG.warnf("rehearsal: ended with %s; the first run will be slower", code);
        }
      } finally {
        TreeDeleter.deleteFully(data);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warnf("rehearsal: failed; the first run will be slower: %s", e);
    }
  }

  /** Simulates a run whose first runner dies after the first step. */
  private static RunnerExitCode rehearse(
      Path data, StepExecutorRegistry executors, WorkflowParseResult.Valid workflow)
      throws IOException, InterruptedException {
    String run = RunId.next();
    try (MemoryObjectStore objects = new MemoryObjectStore();
        FakeKafkaBroker broker = new FakeKafkaBroker()) {
      InMemory log = new InMemory();
      TrainingCheckpointStore store = new TrainingCheckpointStore(objects, RunState.empty(run));
      RunnerExitCode first = carry(run, 1, workflow, log, store, data, executors);
      if (first != RunnerExitCode.DONE) {
        return first;
      }
      store.learn(afterFirstStep(run, workflow, log));
      RunnerProducerFactory real = RunnerProducerFactory.kafka(broker.address(), "rehearsal-2");
      return carry(run, 2, workflow, real, store, data, executors);
    }
  }

  private static RunnerExitCode carry(
      String run,
      int epoch,
      WorkflowParseResult.Valid workflow,
      RunnerProducerFactory log,
      TrainingCheckpointStore store,
      Path data,
      StepExecutorRegistry executors)
      throws IOException, InterruptedException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addServices(new TrainingBackend(assign(run, epoch, workflow), store).services())
            .build()
            .start();
    String url = "http://127.0.0.1:" + server.getPort();
    Map<String, String> keys =
        Map.of(
            "baton.runner.id",
            "rehearsal-" + epoch,
            "baton.run.id",
            run,
            "baton.epoch",
            Integer.toString(epoch),
            "baton.orchestrator.url",
            url,
            "baton.store.url",
            url,
            "kafka.bootstrap.servers",
            "127.0.0.1:9",
            "baton.data",
            data.toString());
    RunnerConfig config = RunnerConfig.read(key -> Optional.ofNullable(keys.get(key)));
    try (Runner runner = new Runner(config, executors, log)) {
      return runner.awaitExit();
    } finally {
      server.shutdownNow();
    }
  }

  /** Returns the state for a replacement of a runner that died right after its first cut. */
  private static RunState afterFirstStep(
      String run, WorkflowParseResult.Valid workflow, InMemory log) {
    StateFold fold = new StateFold(RunState.empty(run));
    fold.accept(
        control(
            run,
            1,
            new TraceEvent.RunCreated(
                "managed",
                "default",
                "rehearsal",
                workflow.hash(),
                new Output.Inline(Json.tree(INPUT.getBytes(StandardCharsets.UTF_8))),
                Map.of(),
                null,
                "always",
                null,
                null,
                Instant.now(),
                null,
                0,
                null)));
    fold.accept(control(run, 2, new TraceEvent.RunnerAssigned(1, null, "start")));
    for (ProducerRecord<String, byte[]> record : log.trace.history()) {
      if (record.topic().equals(TopicName.TRACE)
          && TraceCodec.decode(record.key(), record.headers(), record.value())
              instanceof TraceCodec.Decoded.Known known) {
        fold.accept(known.record());
        if (known.record().event() instanceof TraceEvent.StepCompleted) {
          break;
        }
      }
    }
    fold.accept(control(run, 3, new TraceEvent.RunnerAssigned(2, null, "runner_exited")));
    return fold.state();
  }

  private static TraceRecord control(String run, long seq, TraceEvent event) {
    return new TraceRecord(
        new EventId(run, Lane.CONTROL, seq),
        URI.create("/baton/orchestrator/rehearsal"),
        Instant.now(),
        event);
  }

  /** Keeps the trace in memory. */
  private static final class InMemory implements RunnerProducerFactory {
    final MockProducer<String, byte[]> trace = producer();

    @Override
    public Producer<String, byte[]> durable() {
      return trace;
    }

    @Override
    public Producer<String, byte[]> lossy() {
      return producer();
    }

    private static MockProducer<String, byte[]> producer() {
      return new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
    }
  }

  private static WorkflowParseResult.Valid workflow(String laps) {
    String text = WORKFLOW.replace(LAPS, laps);
    WorkflowParseResult parsed =
        WorkflowParser.parse(text.getBytes(StandardCharsets.UTF_8), DefinitionFormat.YAML);
    if (parsed instanceof WorkflowParseResult.Valid valid) {
      return valid;
    }
    throw new IllegalStateException("the rehearsal's workflow: " + parsed);
  }

  private static Assign assign(String run, int epoch, WorkflowParseResult.Valid workflow) {
    return Assign.newBuilder()
        .setRun(run)
        .setEpoch(epoch)
        .setFresh(epoch == 1)
        .setProject("default")
        .setWorkflow("rehearsal")
        .setDefinitionHash(workflow.hash())
        .setDefinition(ByteString.copyFrom(Json.bytes(workflow.canonical())))
        .setInput(ByteString.copyFromUtf8(INPUT))
        .setHeartbeatIntervalMillis(1_000)
        .setHeartbeatTimeoutMillis(3_000)
        .build();
  }

  /**
   * Captures and restores a tree, often enough and with enough files for the cache to contain
   * profiles: this takes most of the time of a failover.
   */
  private static void restore(Path data) throws IOException, InterruptedException {
    Path tree = Files.createDirectories(data.resolve("tree"));
    for (int folder = 0; folder < TREE_FOLDERS; folder++) {
      Path inner = Files.createDirectories(tree.resolve("folder" + folder + "/inner"));
      for (int file = 0; file < TREE_FILES; file++) {
        Files.writeString(inner.resolve("file" + file), "content\n".repeat(1 + 100 * file));
      }
      Files.createSymbolicLink(inner.resolve("link"), Path.of("file0"));
      Files.createLink(inner.resolve("same"), inner.resolve("file1"));
    }
    byte[] large = new byte[LARGE_FILE];
    new Random(1).nextBytes(large);
    Files.write(tree.resolve("large"), large);
    for (int round = 0; round < TREE_ROUNDS; round++) {
      MemoryPackStore packs = new MemoryPackStore();
      TreeSnapshotter tracked = new TreeSnapshotter(ExcludePolicy.defaults());
      Snapshot snapshot = tracked.capture(tree, packs).snapshot();
      tracked.restore(snapshot, packs, data.resolve("restored"), RestoreOptions.defaults());
      Files.writeString(data.resolve("restored/folder0/inner/file0"), "round " + round);
      tracked.capture(data.resolve("restored"), packs);
    }
  }
}
