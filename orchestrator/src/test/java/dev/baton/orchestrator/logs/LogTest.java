/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.orchestrator.topics.TopicSizeWatcher;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
// A line that never comes must fail the test, not stop the build.
@Timeout(120)
class LogTest {
  // More lines than the reader buffers.
  private static final int LINES = 5_000;

  @Inject OrchestratorTestEnvironment bed;
  @Inject TopicSizeWatcher sizes;
  @Inject Admin admin;

  @Test
  void shouldGiveEveryLineOfTheRunAndNoOther() throws Exception {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born());
      bed.api().await(run, shown -> shown.hasNonNull("status"));
      for (int line = 0; line < LINES; line++) {
        log.post(written(run, "one", line));
      }
      log.send(written(RunId.next(), "one", 0));
      log.send(written(run, "two", 0));

      assertThat(read("runs/" + run + "/logs")).hasSize(LINES + 1);
      List<String> ofOneStep = read("runs/" + run + "/logs?step=two");
      assertThat(ofOneStep).hasSize(1);
      assertThat(ofOneStep.getFirst())
          .contains("\"step\":\"two\"", "\"stream\":\"stdout\"", "\"text\":\"line 0\"");
    }
  }

  @Test
  void shouldGoOnWithTheTailWhereTheStoreEndsAndFillItsGapsFromTheStore() throws Exception {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.append(run, Lane.CONTROL, 1, born());
      bed.api().await(run, shown -> shown.hasNonNull("status"));
      FakeStore.log(run, 1, 1, false, numbered(1, 10));
      log.send(numbered(run, 1, 8));
      log.send(numbered(run, 1, 11));
      log.send(numbered(run, 1, 12));

      List<String> now = texts(read("runs/" + run + "/logs"));
      assertThat(now.subList(0, 10)).isEqualTo(numbered(1, 10));
      assertThat(now.subList(10, now.size())).containsExactly("line 11", "line 12");
      assertThat(texts(read("runs/" + run + "/logs?tail=2")))
          .containsExactly("line 9", "line 10", "line 11", "line 12");
      assertThat(texts(read("runs/" + run + "/logs?from=1:4&limit=3")))
          .containsExactly("line 4", "line 5", "line 6");

      log.send(numbered(run, 1, 15));
      List<String> gap = texts(read("runs/" + run + "/logs"));
      assertThat(gap).contains("2 lines are not here yet: read again from 1:13");
      assertThat(gap.getLast()).isEqualTo("line 15");

      FakeStore.log(run, 1, 11, false, numbered(11, 15));
      assertThat(texts(read("runs/" + run + "/logs"))).isEqualTo(numbered(1, 15));
    }
  }

  /** A runner keeps the partition of its log; the next runner chooses by the larger topic. */
  @RepeatedTest(3)
  void shouldReadThePartitionOfEverySizeThatTheTopicHasHad() throws Exception {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      int size = size();
      // The watcher counts every few seconds; the repetitions grow the topic faster than that.
      sizes.observe(TopicName.LOGS, size);
      while (HomePartitioner.choose(run, size) == HomePartitioner.choose(run, size + 3)) {
        run = RunId.next();
      }
      log.append(run, Lane.CONTROL, 1, born());
      bed.api().await(run, shown -> shown.hasNonNull("status"));
      log.send(in(HomePartitioner.choose(run, size), numbered(run, 1, 1)));
      admin
          .createPartitions(Map.of(TopicName.LOGS, NewPartitions.increaseTo(size + 3)))
          .all()
          .get(60, TimeUnit.SECONDS);

      log.send(in(HomePartitioner.choose(run, size), numbered(run, 1, 2)));
      log.send(in(HomePartitioner.choose(run, size + 3), numbered(run, 2, 1)));

      assertThat(texts(read("runs/" + run + "/logs")))
          .as("the lines of the first epoch come first, whichever partition answers first")
          .containsExactly("line 1", "line 2", "line 1");
    }
  }

  private int size() throws Exception {
    return Objects.requireNonNull(
            admin
                .describeTopics(Set.of(TopicName.LOGS))
                .allTopicNames()
                .get(60, TimeUnit.SECONDS)
                .get(TopicName.LOGS))
        .partitions()
        .size();
  }

  private static ProducerRecord<String, byte[]> in(
      int partition, ProducerRecord<String, byte[]> record) {
    return new ProducerRecord<>(record.topic(), partition, record.key(), record.value());
  }

  @Test
  void shouldFollowAcrossGapsAndRunnersUntilAllOfAnEndedRunIsThere() throws Exception {
    String run = RunId.next();
    try (TraceLog log = bed.log();
        HttpClient http = HttpClient.newHttpClient()) {
      log.append(run, Lane.CONTROL, 1, born());
      bed.api().await(run, shown -> shown.hasNonNull("status"));
      FakeStore.log(run, 1, 1, false, numbered(1, 4));
      HttpResponse<InputStream> answer =
          http.send(
              bed.api().request("runs/" + run + "/logs?follow=true").build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
        assertThat(take(lines, 4)).isEqualTo(numbered(1, 4));
        log.send(numbered(run, 1, 5));
        assertThat(take(lines, 1)).containsExactly("line 5");
        log.send(numbered(run, 1, 8));
        FakeStore.log(run, 1, 5, false, numbered(5, 8));
        assertThat(take(lines, 3)).isEqualTo(numbered(6, 8));
        FakeStore.log(run, 2, 1, true, numbered(1, 2));
        assertThat(take(lines, 1).getFirst()).contains("the runner of epoch 1 died");
        assertThat(take(lines, 2)).isEqualTo(numbered(1, 2));
        log.append(run, Lane.CONTROL, 2, new TraceEvent.RunCancelled("enough", "someone"));
        assertThat(lines.readLine()).isNull();
      }
    }
  }

  @Test
  void shouldSayWhichParametersAreNotAllowed() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (String bad :
          List.of("from=1", "since=yesterday", "limit=-1", "tail=1&from=1:1", "tail=-5")) {
        HttpResponse<String> answer =
            http.send(
                bed.api().request("runs/" + RunId.next() + "/logs?" + bad).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(bad).isEqualTo(400);
        assertThat(answer.body()).contains("allowed");
      }
    }
  }

  private static List<String> take(BufferedReader lines, int count) throws Exception {
    List<String> texts = new ArrayList<>();
    while (texts.size() < count) {
      texts.add(String.valueOf(lines.readLine()));
    }
    return texts(texts);
  }

  private static List<String> numbered(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> "line " + i).toList();
  }

  private static List<String> texts(List<String> lines) {
    return lines.stream()
        .map(line -> Json.tree(line.getBytes(StandardCharsets.UTF_8)).path("text").asText())
        .toList();
  }

  private static ProducerRecord<String, byte[]> numbered(String run, int epoch, int line) {
    String json =
        "{\"run\":\"%s\",\"epoch\":%d,\"step\":\"s\",\"visit\":1,\"attempt\":1,\"stream\":\"stdout\",\"line\":%d,\"text\":\"line %d\"}"
            .formatted(run, epoch, line, line);
    return new ProducerRecord<>(TopicName.LOGS, run, json.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> read(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              bed.api().request(path).timeout(Duration.ofSeconds(30)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      return answer.body().lines().toList();
    }
  }

  private static TraceEvent.RunCreated born() {
    return new TraceEvent.RunCreated(
        "external",
        "default",
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

  private static ProducerRecord<String, byte[]> written(String run, String step, int line) {
    String json =
        "{\"run\":\"%s\",\"epoch\":1,\"step\":\"%s\",\"attempt\":1,\"stream\":\"stdout\",\"text\":\"line %d\"}"
            .formatted(run, step, line);
    return new ProducerRecord<>(TopicName.LOGS, run, json.getBytes(StandardCharsets.UTF_8));
  }
}
