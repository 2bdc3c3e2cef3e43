/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.topic.DeadLetter;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class DeadLetterResourceTest {
  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldShowWhatIsWrongWithAForeignHeartbeatAndWhatToDo() {
    String run = RunId.next();
    Headers headers = new RecordHeaders();
    headers.add("ce_specversion", "1.0".getBytes(UTF_8));
    headers.add("ce_id", "one".getBytes(UTF_8));
    headers.add("ce_source", "/my/agent".getBytes(UTF_8));
    headers.add("ce_type", "dev.baton.heartbeat".getBytes(UTF_8));
    headers.add("content-type", "application/json".getBytes(UTF_8));
    byte[] value = "{\"run\": \"%s\", \"epoch\": 1}".formatted(run).getBytes(UTF_8);
    try (TraceLog log = bed.log()) {
      log.send(new ProducerRecord<>(TopicName.HEARTBEATS, null, run, value, headers));
    }

    JsonNode page = await("/dead-letters?run=" + run, 1);

    JsonNode letter = page.path("dead_letters").path(0);
    assertThat(letter.path("topic").asText()).isEqualTo(TopicName.HEARTBEATS);
    assertThat(letter.path("partition").asInt(-1)).isNotNegative();
    assertThat(letter.path("offset").asLong(-1)).isNotNegative();
    assertThat(letter.path("key").asText()).isEqualTo(run);
    assertThat(letter.path("id").asText()).isEqualTo("one");
    assertThat(letter.path("source").asText()).isEqualTo("/my/agent");
    assertThat(letter.path("reason").asText()).isEqualTo("missing_field");
    assertThat(letter.path("message").asText())
        .isEqualTo("dev.baton.heartbeat one lacks the field 'runner'");
    assertThat(letter.path("hint").asText()).startsWith("add the field");
    assertThat(letter.path("value").asText()).isEqualTo(new String(value, UTF_8));
    assertThat(letter.path("value_bytes").asInt()).isEqualTo(value.length);
    assertThat(page.hasNonNull("next_cursor")).isFalse();
    await("/dead-letters?reason=missing_field&topic=baton.heartbeats&run=" + run.substring(20), 1);
    await("/dead-letters?reason=other&run=" + run, 0);
    await("/dead-letters?topic=baton.signals&run=" + run, 0);
  }

  @Test
  void shouldPageThroughAllTopicsNewestFirst() {
    String run = RunId.next();
    int each = 3 * DeadLetterMerger.CHUNK;
    try (TraceLog log = bed.log()) {
      for (int i = 0; i < each; i++) {
        log.post(letter(TopicName.TRACE, 0, run, i));
        log.post(letter(TopicName.SIGNALS, 1, run, i));
      }
      log.send(letter(TopicName.TRACE, 0, run, each));
      log.send(letter(TopicName.SIGNALS, 1, run, each));
    }

    List<String> all = read("/dead-letters?limit=1000&run=" + run);
    List<String> paged = read("/dead-letters?limit=7&run=" + run);

    assertThat(all).hasSize(2 * (each + 1)).doesNotHaveDuplicates();
    assertThat(paged).isEqualTo(all);
    assertThat(all.stream().filter(place -> place.startsWith(TopicName.TRACE)).toList())
        .first()
        .isEqualTo(TopicName.TRACE + "/" + each);
  }

  @Test
  void shouldShowTheStartOfALargeRecordAndOfOneWithoutAnyHeader() {
    String run = RunId.next();
    try (TraceLog log = bed.log()) {
      log.send(
          new ProducerRecord<>(
              TopicName.deadLetters(TopicName.LOGS), run, "x".repeat(900_000).getBytes(UTF_8)));
      log.send(new ProducerRecord<>(TopicName.deadLetters(TopicName.LOGS), run, null));
    }

    JsonNode letters = await("/dead-letters?run=" + run, 2).path("dead_letters");

    assertThat(letters.path(0).hasNonNull("value")).isFalse();
    assertThat(letters.path(0).path("reason").asText()).isEqualTo("other");
    assertThat(letters.path(0).path("message").asText()).isEqualTo("no reason given");
    assertThat(letters.path(0).path("offset").asInt()).isEqualTo(-1);
    assertThat(letters.path(1).path("value").asText()).isEqualTo("x".repeat(512));
    assertThat(letters.path(1).path("value_bytes").asInt()).isEqualTo(900_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run=mine | run=mine is not allowed; allowed: a run id",
        "topic=trace | topic=trace is not allowed; allowed: baton.trace, baton.heartbeats",
        "reason=bad | reason=bad is not allowed; allowed: not_a_cloud_event, wrong_type",
        "limit=0 | limit=0 is not allowed; allowed: 1 to 1000",
        "cursor=1:none:0:1 | cursor='1:none:0:1' is not allowed; allowed: the next_cursor"
      })
  void shouldNameAParameterThatIsNotAllowed(String query, String message) {
    var answer = bed.api().get("/dead-letters?" + query);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().path("detail").asText()).startsWith(message);
  }

  private JsonNode await(String path, int letters) {
    return bed.api().await(path, path, page -> page.path("dead_letters").size() == letters);
  }

  /** Reads all pages; returns topic and offset of each entry. */
  private List<String> read(String path) {
    List<String> places = new ArrayList<>();
    String cursor = "";
    do {
      OrchestratorTestClient.Answer answer = bed.api().get(path + cursor);
      assertThat(answer.status()).as("%s", answer).isEqualTo(200);
      JsonNode page = answer.json();
      for (JsonNode letter : page.path("dead_letters")) {
        places.add(letter.path("topic").asText() + "/" + letter.path("offset").asText());
      }
      String next = page.path("next_cursor").asText("");
      cursor = next.isEmpty() ? "" : "&cursor=" + next;
    } while (!cursor.isEmpty());
    return places;
  }

  private static ProducerRecord<String, byte[]> letter(
      String topic, int partition, String run, int offset) {
    DeadLetter letter =
        DeadLetter.of(
            new RecordHeaders(),
            new byte[] {'x'},
            "its run is not the key",
            topic,
            partition,
            offset);
    return new ProducerRecord<>(
        TopicName.deadLetters(topic), partition, run, letter.value(), letter.headers());
  }
}
