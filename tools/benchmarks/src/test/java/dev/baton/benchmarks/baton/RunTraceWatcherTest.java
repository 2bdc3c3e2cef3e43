/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.benchmarks.baton.BrokerFloorBenchmark.Floor;
import dev.baton.benchmarks.steps.MeasuredStepKind;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests against the embedded broker. */
@NullUnmarked
class RunTraceWatcherTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir static Path data;
  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack = StandaloneStack.builder().data(data).components(StackComponent.KAFKA).start();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.kafkaBootstrap()))) {
      TopicBootstrap.ensure(admin, Duration.ofSeconds(30));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  @Test
  void shouldReadStepTimesFromTheTraceAndCountItsFlushes() throws Exception {
    String run = RunId.next();
    Path log = stack.data().resolve(StackComponent.KAFKA.label());
    LogBatchCount before = LogBatchCount.ofTrace(log);
    try (RunTraceWatcher watch = RunTraceWatcher.start(stack.kafkaBootstrap())) {
      // When each event is acknowledged before the next is sent
      append(run, 1, 0, new TraceEvent.RunnerStarted("r", null, null, null, 0));
      append(run, 2, 1_000, completed("s0"));
      append(run, 3, 1_450, completed("s1"));
      append(run, 4, 2_450, completed("s2"));
      append(run, 5, 2_500, new TraceEvent.RunCompleted(null));
      RunTrace trace = watch.completed(run, Duration.ofSeconds(30));

      // Then
      assertThat(trace.records()).isEqualTo(5);
      assertThat(trace.takeovers()).isZero();
      assertThat(trace.stepTimes().count()).isEqualTo(2);
      assertThat(trace.stepTimes().millis(50)).isEqualTo(0.45);
      assertThat(trace.stepTimes().millis(100)).isEqualTo(1.0);
    }
    LogBatchCount after = LogBatchCount.ofTrace(log);
    assertThat(after.batches() - before.batches()).isEqualTo(5);
    assertThat(after.records() - before.records()).isEqualTo(5);
  }

  @Test
  void shouldCountTheRunnersThatContinuedARun() throws Exception {
    String run = RunId.next();
    try (RunTraceWatcher watch = RunTraceWatcher.start(stack.kafkaBootstrap())) {
      append(run, Lane.CONTROL, 2, 0, new TraceEvent.RunnerAssigned(1, "r-1", "start"));
      append(run, Lane.runner(1), 1, 1, completed("s0"));
      append(run, Lane.CONTROL, 3, 2, new TraceEvent.RunnerAssigned(2, "r-2", "heartbeats_missed"));
      append(run, Lane.runner(2), 1, 3, completed("s0"));
      append(run, Lane.runner(2), 2, 4, new TraceEvent.RunCompleted(null));

      assertThat(watch.completed(run, Duration.ofSeconds(30)))
          .returns(1, RunTrace::takeovers)
          .returns(5, RunTrace::records);
    }
  }

  @Test
  void shouldSayHowARunEndedThatWasNotCompleted() throws Exception {
    String run = RunId.next();
    try (RunTraceWatcher watch = RunTraceWatcher.start(stack.kafkaBootstrap())) {
      append(
          run,
          1,
          0,
          new TraceEvent.RunFailed(
              null, new dev.baton.protocol.trace.Failure("broken", "It broke.", null)));

      assertThatThrownBy(() -> watch.completed(run, Duration.ofSeconds(30)))
          .isInstanceOf(IOException.class)
          .hasMessage("run " + run + " ended as run_failed");
      assertThatThrownBy(() -> watch.completed(RunId.next(), Duration.ofMillis(100)))
          .hasMessageContaining("has not ended within PT0.1S; 0 events seen");
    }
  }

  @Test
  void shouldIgnoreEventsAfterARunWasRetrieved() throws Exception {
    String run = RunId.next();
    String other = RunId.next();
    try (RunTraceWatcher watch = RunTraceWatcher.start(stack.kafkaBootstrap())) {
      append(run, 1, 0, new TraceEvent.RunCompleted(null));
      watch.completed(run, Duration.ofSeconds(30));

      // When a later event of the run was read, since that of another run was
      append(run, 2, 1_000, completed("s0"));
      append(other, 1, 2_000, completed("s0"));
      append(other, 2, 3_000, new TraceEvent.RunCompleted(null));
      watch.completed(other, Duration.ofSeconds(30));

      assertThat(watch.buffered()).isZero();
    }
  }

  @Test
  void shouldMeasureTheFloor() throws Exception {
    try (BrokerFloorBenchmark floor = BrokerFloorBenchmark.start(stack.kafkaBootstrap())) {
      Floor figures = floor.measure();

      assertThat(figures.p50Ms()).isPositive().isLessThanOrEqualTo(figures.p99Ms());
      assertThat(figures.appendsPerS()).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRequestAValidWorkflow(MeasuredStepKind kind) {
    WorkflowParseResult parsed =
        WorkflowParser.parse(NoOpWorkflowFactory.yaml(kind, 200), DefinitionFormat.YAML);

    assertThat(parsed).isInstanceOf(WorkflowParseResult.Valid.class);
    assertThat(((WorkflowParseResult.Valid) parsed).canonical().path("steps")).hasSize(200);
  }

  @Test
  void shouldRequestAValidLoop() {
    assertThat(
            WorkflowParser.parse(
                LoopingRunDriver.emptyYaml(
                    new LoopingRunDriver.Shape(200, Duration.ofSeconds(1), Duration.ofSeconds(3))),
                DefinitionFormat.YAML))
        .isInstanceOf(WorkflowParseResult.Valid.class);
  }

  private static void append(String run, long seq, long micros, TraceEvent event) throws Exception {
    append(run, Lane.runner(1), seq, micros, event);
  }

  private static void append(String run, Lane lane, long seq, long micros, TraceEvent event)
      throws Exception {
    TraceRecord record =
        new TraceRecord(
            new EventId(run, lane, seq),
            URI.create("/test"),
            START.plusNanos(micros * 1_000),
            event);
    Map<String, Object> settings = Map.of("bootstrap.servers", stack.kafkaBootstrap());
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
      producer.send(TraceCodec.encode(TopicName.TRACE, record, null)).get();
    }
  }

  private static TraceEvent completed(String step) {
    return new TraceEvent.StepCompleted(
        step, "transform", 1, 1, null, null, false, List.of(), null, null, null, 10, null, null);
  }
}
