/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.trace.RunId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that every invalid input is answered by a problem document that names it; no data is lost
 * and no component blocks.
 */
@UsesSharedStack
class BadInputTest {
  private static final String GOOD = "name: good\nsteps:\n  - {id: one, transform: '.input'}\n";

  private static final List<String> TOPICS =
      List.of("baton.trace", "baton.heartbeats", "baton.signals");

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  @BeforeAll
  static void use(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    api = running.api;
    api.push(GOOD);
  }

  static Stream<Arguments> definitions() {
    return Stream.of(
        Arguments.of(
            "malformed YAML", "name: x\nsteps:\n  - {id: a, transform: '1'\n", "flow mapping"),
        Arguments.of("unknown kind", "name: x\nsteps:\n  - id: a\n    shel: ls\n", "shell"),
        Arguments.of(
            "cycle without a bound",
            "name: x\nsteps:\n  - {id: a, transform: '1', next: b}\n  - {id: b, transform: '1', next: a}\n",
            "max_visits"),
        Arguments.of(
            "missing reference",
            "name: x\nsteps:\n  - {id: a, transform: '.steps.nope.output'}\n",
            "nope"),
        Arguments.of("jq syntax", "name: x\nsteps:\n  - {id: a, transform: '.a | ('}\n", "a"),
        Arguments.of(
            "duplicate id",
            "name: x\nsteps:\n  - {id: a, transform: '1'}\n  - {id: a, transform: '1'}\n",
            "a"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("definitions")
  void shouldExplainABadDefinition(String what, String definition, String named) throws Exception {
    AcceptanceApiClient.Answer answer = api.post("/workflows", "application/yaml", definition);

    assertThat(answer.status()).as("%s", answer).isIn(400, 422);
    assertThat(answer.contentType()).contains("application/problem+json");
    JsonNode first = answer.body().path("errors").path(0);
    assertThat(first.path("line").asInt()).as("%s", answer).isPositive();
    assertThat(answer.body().toString()).contains(named);

    Path file = Files.createTempFile(on.folder, "bad", ".yaml");
    Files.writeString(file, definition);
    BatonCliInvoker.Result command = BatonCliInvoker.run(on, "workflows", "push", file.toString());
    assertThat(command.code()).as("%s", command).isEqualTo(2);
    assertThat(command.err()).contains(file.toString()).contains(named);
    assertThat(command.err()).as("no stack trace").doesNotContain("\tat ");
  }

  @Test
  void shouldRefuseWhatIsTooLargeOfTheWrongTypeOrUnknown() throws Exception {
    assertProblem(api.post("/workflows", "application/yaml", "#".repeat(2 << 20)), 413);
    assertProblem(api.post("/workflows", "image/png", "x"), 415);
    assertProblem(api.post("/runs", "application/json", "{"), 400);
    assertProblem(api.post("/runs", "application/json", "{\"workflow\":\"nobody\"}"), 404);
    assertProblem(api.get("/runs/01jd0000000000000000000000"), 404);
    assertProblem(api.get("/runs/not-an-id"), 404);
    assertProblem(api.get("/nothing/here"), 404);
    ObjectNode huge = AcceptanceApiClient.JSON.createObjectNode().put("workflow", "good");
    huge.putObject("input").put("text", "x".repeat(2 << 20));
    assertProblem(api.post("/runs", huge), 413);
    assertThatARunStillCompletes();
  }

  @Test
  void shouldSendPoisonRecordsToTheDeadLettersAndGoOn() throws Exception {
    Map<String, Object> config =
        Map.of("bootstrap.servers", on.stack.kafkaBootstrap(), "acks", "all");
    byte[] poison = "not a trace event".getBytes(StandardCharsets.UTF_8);
    try (var producer =
        new KafkaProducer<>(config, new StringSerializer(), new ByteArraySerializer())) {
      for (int partition = 0;
          partition < producer.partitionsFor("baton.trace").size();
          partition++) {
        for (String topic : TOPICS) {
          producer.send(new ProducerRecord<>(topic, partition, "poison", poison)).get();
        }
      }
    }

    assertThatARunStillCompletes();
    for (String topic : TOPICS) {
      assertDeadLetter(topic + ".dlq", poison);
    }
  }

  @Test
  void shouldShowAProducerWhatIsWrongWithItsRecord() throws Exception {
    String run = RunId.next();
    ProducerRecord<String, byte[]> foreign =
        new ProducerRecord<>("baton.trace", run, "{\"kind\": \"agent\"}".getBytes(UTF_8));
    Map.of(
            "ce_specversion", "1.0",
            "ce_id", run + "/1/2",
            "ce_source", "/my/agent",
            "ce_type", "dev.baton.step_completed",
            "ce_subject", run,
            "content-type", "application/json")
        .forEach((name, value) -> foreign.headers().add(name, value.getBytes(UTF_8)));
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of("bootstrap.servers", on.stack.kafkaBootstrap()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      producer.send(foreign).get();
    }

    Await.until(
        "the command lists the record of run " + run,
        Duration.ofSeconds(30),
        () -> api.get("/dead-letters?run=" + run).body().path("dead_letters").size() == 1);
    BatonCliInvoker.Result shown = BatonCliInvoker.run(on, "dead-letters", "--run", run);

    assertThat(shown.code()).as("%s", shown).isZero();
    assertThat(shown.out())
        .contains("missing_field")
        .contains("problem  " + run + "/1/2: dev.baton.step_completed lacks the field 'step'")
        .contains("hint     add the field")
        .contains("value    {\"kind\": \"agent\"}");
  }

  private static void assertDeadLetter(String topic, byte[] poison) {
    Map<String, Object> reader =
        Map.of(
            "bootstrap.servers",
            on.stack.kafkaBootstrap(),
            "group.id",
            "test-" + System.nanoTime(),
            "auto.offset.reset",
            "earliest");
    try (var consumer =
        new KafkaConsumer<>(reader, new StringDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(topic));
      Await.until(
          "the poison is in " + topic + " with its reason",
          Duration.ofSeconds(20),
          () -> {
            for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
              if (Arrays.equals(record.value(), poison)
                  && record.headers().lastHeader("baton_reason") != null) {
                return true;
              }
            }
            return false;
          });
    }
  }

  @Test
  void shouldSayInOneLineWhatIsWrongWithACommand() throws Exception {
    assertCommand(3, "01jd0000000000000000000000", "status", "01jd0000000000000000000000");
    assertCommand(3, "nobody", "run", "nobody");
    assertCommand(2, "--input is not JSON", "run", "good", "--input", "not json");
    assertCommand(2, "frobnicate", "frobnicate");
    Path huge = Files.createTempFile(on.folder, "huge", ".json");
    Files.writeString(huge, "{\"text\": \"" + "x".repeat(2 << 20) + "\"}");
    assertCommand(2, "too large", "run", "good", "--input", "@" + huge);
    Files.writeString(huge, "{\"text\": \"two words\"}");
    BatonCliInvoker.Result fine =
        BatonCliInvoker.run(on, "run", "good", "--input", "@" + huge, "--wait", "-o", "json");
    assertThat(fine.code()).as("%s", fine).isZero();
    assertThat(fine.out()).contains("two words");
    assertThatARunStillCompletes();
  }

  private static void assertCommand(int code, String named, String... arguments) throws Exception {
    BatonCliInvoker.Result command = BatonCliInvoker.run(on, arguments);
    assertThat(command.code()).as("%s", command).isEqualTo(code);
    assertThat(command.err()).as("%s", command).startsWith("baton: ").contains(named);
    assertThat(command.err()).as("no stack trace").doesNotContain("\tat ");
  }

  private static void assertThatARunStillCompletes() throws Exception {
    String run = api.start("good", AcceptanceApiClient.JSON.createObjectNode().put("n", 1));
    Await.until(
        "run " + run + " completes",
        Duration.ofSeconds(30),
        () -> api.run(run).path("status").asText().equals("completed"));
    assertThat(api.run(run).path("output").path("n").asInt()).isEqualTo(1);
  }

  private static void assertProblem(AcceptanceApiClient.Answer answer, int status) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
    assertThat(answer.contentType()).as("%s", answer).contains("application/problem+json");
    assertThat(answer.body().path("title").asText()).isNotBlank();
    assertThat(answer.body().path("detail").asText()).isNotBlank();
  }
}
