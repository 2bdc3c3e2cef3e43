/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.OperatingSystemMXBean;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.config.GrpcAddress;
import dev.baton.runner.engine.CheckpointSettings;
import dev.baton.runner.engine.DelayedStepStarted;
import dev.baton.runner.engine.RunAssignment;
import dev.baton.runner.engine.RunSnapshotSource;
import dev.baton.runner.engine.RunTask;
import dev.baton.runner.engine.RunnerContext;
import dev.baton.runner.engine.WorkflowCache;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.logs.LogSettings;
import dev.baton.runner.logs.LogShipper;
import dev.baton.runner.logs.RunLogUploader;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.SecretCheckpointPolicy;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Measures the engine's own cost of a step: the trace is discarded and acknowledged at once. */
public final class EngineCost {
  private static final int RUNS = 200;
  private static final int STEPS = 50;

  private EngineCost() {}

  public static void main(String[] args) throws Exception {
    StringBuilder yaml = new StringBuilder("name: cost\nrunner: shared\nsteps:\n");
    for (int i = 0; i < STEPS; i++) {
      yaml.append("  - {id: s").append(i).append(", transform: '.input.n'}\n");
    }
    if (!(WorkflowParser.parse(yaml.toString(), DefinitionFormat.YAML)
        instanceof WorkflowParseResult.Valid valid)) {
      throw new AssertionError(yaml);
    }
    OperatingSystemMXBean os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    var channel = GrpcChannelFactory.open(List.of(new GrpcAddress("127.0.0.1", 9)));
    for (int round = 0; round < 10; round++) {
      MockProducer<String, byte[]> producer =
          new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
      RunnerStoreClient store = new RunnerStoreClient(channel);
      RunnerContext services =
          new RunnerContext(
              "cost",
              Path.of(System.getProperty("java.io.tmpdir")),
              producer,
              store,
              new FreshRunsOnly(),
              new HeartbeatPublisher("cost", producer),
              new RunLogUploader(
                  new LogShipper("cost", () -> producer),
                  store,
                  LogSettings.of(Path.of(System.getProperty("java.io.tmpdir"), "cost"))),
              new StepExecutorRegistry(name -> Optional.empty()),
              new DelayedStepStarted(),
              new WorkflowCache(),
              new CheckpointSettings(Optional.empty(), List.of(), SecretCheckpointPolicy.STRIP),
              (run, at, suspension) -> {},
              new EventSpoolSettings(Path.of(System.getProperty("java.io.tmpdir")), 1 << 20),
              WorkspaceMount.NONE);
      long cpu = os.getProcessCpuTime();
      long began = System.nanoTime();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < RUNS; i++) {
        RunTask task = new RunTask(assignment(valid), services);
        threads.add(Thread.ofVirtual().start(task::run));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      double steps = RUNS * STEPS;
      System.out.printf(
          "%.1f us of CPU and %.1f us of time per step (%d records)%n",
          (os.getProcessCpuTime() - cpu) / 1e3 / steps,
          (System.nanoTime() - began) / 1e3 / steps,
          producer.history().size());
      services.heartbeats().close();
    }
    channel.shutdownNow();
  }

  private static RunAssignment assignment(WorkflowParseResult.Valid valid) throws Exception {
    JsonNode input = Json.mapper().readTree("{\"n\": 1}");
    return new RunAssignment(
        RunId.next(),
        1,
        OptionalInt.empty(),
        "",
        "",
        "default",
        "cost",
        valid.hash(),
        Json.bytes(valid.canonical()),
        Optional.of(input),
        Map.of(),
        Instant.now(),
        Optional.empty(),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        true,
        Duration.ZERO,
        Map.of());
  }

  /** A fresh run of steps without files needs neither. */
  private static final class FreshRunsOnly implements RunSnapshotSource {
    @Override
    public RunState get(String run, int epoch, String lease) {
      throw new AssertionError("no snapshot is needed");
    }

    @Override
    public Workspace workspace(StoreCaller holder) {
      throw new AssertionError("no files are needed");
    }

    @Override
    public Optional<RestorableState> getWithout(
        String run, int epoch, String lease, Set<String> damaged) {
      throw new AssertionError("no checkpoints are needed");
    }

    @Override
    public Workspace unrestored(StoreCaller holder) {
      return workspace(holder);
    }
  }
}
