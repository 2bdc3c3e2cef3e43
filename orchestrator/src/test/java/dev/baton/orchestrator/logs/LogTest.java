/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.Servers;
import dev.baton.orchestrator.testing.Testbed;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.topic.Topics;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(Servers.class)
class LogTest {
  // More than is ever read ahead.
  private static final int LINES = 5_000;

  @Inject Testbed bed;

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

  private List<String> read(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(bed.base().resolve(path))
                  .timeout(Duration.ofSeconds(30))
                  .build(),
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
    return new ProducerRecord<>(Topics.LOGS, run, json.getBytes(StandardCharsets.UTF_8));
  }
}
