/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.chaos.check.ChaosVerdict;
import dev.baton.chaos.history.ChaosHistory;
import dev.baton.chaos.history.ChaosHistoryMetadata;
import dev.baton.chaos.history.ChaosHistoryStore;
import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import dev.baton.chaos.history.WorkloadRun;
import dev.baton.chaos.workload.TraceReader;
import dev.baton.chaos.workload.WorkloadClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/**
 * Checks that the chaos checker detects real violations, with real services and programs that
 * violate the rules.
 */
@UsesSharedStack
class CheckerTest {
  private static final Duration END = Duration.ofSeconds(120);
  private static final long STORED_MS = 60_000;

  private static final String WORK =
      """
      name: work
      steps:
        - id: work
          shell: |
            e() { printf '%s 1 %s %s %s 0\\n' "$BATON_IDEMPOTENCY_KEY" "$BATON_EPOCH" "$1" "$$" >> "$LEDGER"; }
            e begin
            [ "$BATON_EPOCH" -gt 1 ] || sleep 100
            sleep 0.3
            e end
            echo done
          env: {LEDGER: "${{ .input.ledger }}"}
      """;

  @Test
  void shouldFindNothingWhereTheOldRunnersStepIsStopped(SharedStackExtension.RunningStack on)
      throws Exception {
    assertThat(afterTakeover(on, false).broken()).isEmpty();
  }

  @Test
  void shouldFindAnOldEpochThatGoesOnBesideTheNew(SharedStackExtension.RunningStack on)
      throws Exception {
    assertThat(afterTakeover(on, true).broken()).containsExactly("old-epoch-has-no-effect");
  }

  /**
   * @param unreachable whether the old runner has a helper that cannot be stopped, as on another
   *     machine; this program simulates it
   */
  private static ChaosVerdict afterTakeover(
      SharedStackExtension.RunningStack on, boolean unreachable) throws Exception {
    Path folder = Files.createTempDirectory(on.folder, "checker");
    Path ledger = Files.createFile(folder.resolve("ledger.txt"));
    on.api.push(WORK);
    String run =
        on.api.start(
            "work", AcceptanceApiClient.JSON.createObjectNode().put("ledger", ledger.toString()));
    ChaosHistoryStore files = new ChaosHistoryStore(folder);
    Await.until("epoch 1 acts", END, () -> acts(files, 1));
    RunnerProcessHandle.of(run).orElseThrow().kill(false);
    Await.until("epoch 2 acts", END, () -> acts(files, 2));
    if (unreachable) {
      Files.writeString(ledger, run + "/work/1 1 1 tick 0 0\n", StandardOpenOption.APPEND);
    }
    return judge(on, files, run, TextNode.valueOf("done"));
  }

  private static boolean acts(ChaosHistoryStore files, int epoch) throws IOException {
    return files.effects().stream().mapToInt(LedgerEffect::epoch).anyMatch(of -> of == epoch);
  }

  @Test
  void shouldFindARunnerThatIgnoresWhatItHasSent(SharedStackExtension.RunningStack on)
      throws Exception {
    Path folder = Files.createTempDirectory(on.folder, "checker");
    Map<String, Object> settings =
        Map.of("bootstrap.servers", on.stack.kafkaBootstrap(), "acks", "all");
    String run =
        "0" + Long.toString(System.nanoTime(), 32).replaceAll("[ilou]", "z") + "0".repeat(30);
    run = run.substring(0, 26);
    try (KafkaProducer<String, byte[]> kafka =
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
      String created =
          "{'schema':1,'kind':'external','project':'default','workflow':'cheat','input':{'value':{}},'created_at':'%s'}"
              .formatted(Instant.now());
      send(kafka, run + "/c/1", "run_created", created);
      send(
          kafka,
          run + "/1/1",
          "runner_started",
          "{'schema':1,'runner':'cheat','pid':1,'host':'h'}");
      String done = "{'schema':1,'step':'think','kind':'agent','visit':1,'output':{'value':1}}";
      send(kafka, run + "/1/2", "step_completed", done);
      send(kafka, run + "/1/3", "step_completed", done);
      send(kafka, run + "/1/5", "run_completed", "{'schema':1,'output':{'value':'done'}}");
    }

    ChaosVerdict verdict = judge(on, new ChaosHistoryStore(folder), run, TextNode.valueOf("done"));

    assertThat(verdict.broken()).containsExactly("completed-step-stays", "lanes-have-no-holes");
  }

  private static void send(KafkaProducer<String, byte[]> kafka, String id, String type, String data)
      throws Exception {
    String run = id.substring(0, id.indexOf('/'));
    ProducerRecord<String, byte[]> record =
        new ProducerRecord<>(
            "baton.trace", run, data.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    Map<String, String> headers = CloudEventHeaderFactory.of(run, id, "/cheat", type);
    headers.forEach(
        (name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    kafka.send(record).get(30, TimeUnit.SECONDS);
  }

  /** Waits for the end of the run, and then checks only this run. */
  private static ChaosVerdict judge(
      SharedStackExtension.RunningStack on, ChaosHistoryStore files, String run, JsonNode expected)
      throws Exception {
    Await.until(
        "run " + run + " has completed",
        END,
        () -> on.api.run(run).path("status").asText().equals("completed"));
    long began = System.nanoTime();
    try (TraceReader reader = new TraceReader(on.stack.kafkaBootstrap(), () -> elapsed(began));
        WorkloadClient client =
            new WorkloadClient(
                List.of(on.stack.orchestratorUrl()),
                on.stack.apiKey(),
                files.ledger(),
                "",
                () -> elapsed(began))) {
      List<LoggedRecord> log = reader.readWhole();
      client.follow(run, 0);
      String last =
          log.stream()
              .filter(r -> r.run().equals(run))
              .map(LoggedRecord::id)
              .reduce("", (_, id) -> id);
      assertThat(client.events(run, last, STORED_MS)).isTrue();
      ChaosHistory history =
          new ChaosHistory(
              new ChaosHistoryMetadata(
                  ChaosHistoryMetadata.FORMAT, 0, elapsed(began), elapsed(began), END.toMillis()),
              List.of(new WorkloadRun(run, "", Objects.requireNonNull(expected))),
              log,
              reader.seen(),
              files.effects(),
              client.answers(),
              List.of());
      ChaosVerdict verdict = ChaosVerdict.of(history);
      verdict.lines().forEach(System.out::println);
      return verdict;
    }
  }

  private static long elapsed(long began) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
  }
}
