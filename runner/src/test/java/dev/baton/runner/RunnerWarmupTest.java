/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import dev.baton.runner.attach.GrpcChannelFactory;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.config.RunnerConfig;
import dev.baton.runner.journal.RunnerProducerFactory;
import dev.baton.runner.steps.StepExecutorRegistry;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TopicView;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunnerTestEnvironment.Extension.class)
class RunnerWarmupTest {
  private static final int ATTEMPTS = 5;

  private final RunnerTestEnvironment services;
  private final String runner = "warm-up-" + RunId.next();

  RunnerWarmupTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  @Test
  void shouldExecuteEverythingAndLeaveNothingBehind() throws Exception {
    Map<String, Long> before = ends();
    int commits = services.store.commits.get();
    int uploads = services.store.uploads.get();

    assertThat(succeeds()).as("the warm-up succeeds").isTrue();

    assertThat(ends()).isEqualTo(before);
    List<JsonNode> heartbeats =
        TopicView.awaitWith(
            services, TopicName.HEARTBEATS, "runner", runner, RunnerWarmupTest::isLast);
    assertThat(heartbeats).extracting(sent -> sent.get("run").textValue()).hasSizeGreaterThan(2);
    assertThat(heartbeats)
        .as("the run is not watched")
        .extracting(sent -> sent.get("state").textValue())
        .containsOnly(Heartbeat.WARM_UP);
    assertThat(services.store.commits).hasValue(commits);
    assertThat(services.store.uploads).hasValue(uploads);
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void shouldReportAFailureAndLeaveNothingBehind() throws Exception {
    assertThat(warmUp("http://127.0.0.1:9")).as("with an unreachable store").isFalse();

    assertThat(leftovers()).isEmpty();
  }

  private static boolean isLast(JsonNode heartbeat) {
    return heartbeat.get("epoch").intValue() == 2;
  }

  /** Its time limits are short: a machine under load may exceed them. */
  private boolean succeeds() throws InterruptedException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (warmUp(services.url())) {
        return true;
      }
    }
    return false;
  }

  private boolean warmUp(String store) throws InterruptedException {
    Map<String, String> keys =
        Map.of(
            "baton.runner.id",
            runner,
            "baton.runner.mode",
            "warm",
            "baton.orchestrator.url",
            services.url(),
            "baton.store.url",
            store,
            "kafka.bootstrap.servers",
            services.kafka(),
            "baton.data",
            services.data().toString());
    RunnerConfig config = RunnerConfig.read(key -> Optional.ofNullable(keys.get(key)));
    ManagedChannel channel = GrpcChannelFactory.open(config.store());
    try (Producer<String, byte[]> producer =
        RunnerProducerFactory.kafka(Map.of("bootstrap.servers", services.kafka()), runner)
            .durable()) {
      return new RunnerWarmup(
              config,
              new RunnerStoreClient(channel),
              new StepExecutorRegistry(name -> Optional.empty()),
              producer)
          .run();
    } finally {
      channel.shutdownNow();
    }
  }

  private static List<Path> leftovers() throws Exception {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(RunnerWarmup.FOLDER))
          .toList();
    }
  }

  private Map<String, Long> ends() throws Exception {
    Map<String, Long> ends = new HashMap<>();
    try (Admin admin =
        Admin.create(Map.<String, Object>of("bootstrap.servers", services.kafka()))) {
      for (var topic :
          admin
              .describeTopics(List.of(TopicName.TRACE, TopicName.LOGS))
              .allTopicNames()
              .get()
              .values()) {
        Map<TopicPartition, OffsetSpec> asked =
            topic.partitions().stream()
                .collect(
                    Collectors.toMap(
                        p -> new TopicPartition(topic.name(), p.partition()),
                        p -> OffsetSpec.latest()));
        admin
            .listOffsets(asked)
            .all()
            .get()
            .forEach((partition, end) -> ends.put(partition.toString(), end.offset()));
      }
    }
    return ends;
  }
}
