/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.orchestrator.testing.WebhookReceiver;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.TopicName;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class NotificationTest {
  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldTellOfALostRunOnTheTopicAndByAWebhookThatFailsAtFirst() throws Exception {
    String yaml =
        "name: notified\nrunner: shared\nrestart: never\nsteps:\n  - {id: a, transform: '1'}\n";
    assertThat(bed.api().post("/workflows", "application/yaml", yaml).status()).isLessThan(202);
    String run;
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "notified-runner", 10);
        TraceLog log = bed.log()) {
      run =
          bed.api()
              .json("/runs", "{\"workflow\":\"notified\",\"labels\":{\"team\":\"a\"}}")
              .json()
              .get("id")
              .textValue();
      runner.awaitAssign(run);

      log.signal(new RunnerSignal.RunnerExited(run, 1, runner.id(), 137));

      List<ConsumerRecord<String, byte[]>> told =
          log.await(TopicName.NOTIFICATIONS, run, all -> !all.isEmpty());
      ConsumerRecord<String, byte[]> record = told.getFirst();
      JsonNode body = Json.tree(record.value());
      assertThat(new String(record.headers().lastHeader("ce_id").value(), UTF_8))
          .isEqualTo(body.get("id").textValue());
      assertThat(body.get("type").textValue()).isEqualTo("run_lost");
      assertThat(body.at("/data/event/reason").textValue()).isEqualTo("restart_never");
      assertThat(body.at("/data/labels/team").textValue()).isEqualTo("a");
    }

    JsonNode shown =
        bed.api()
            .await(
                run,
                now ->
                    now.get("notifications").size() == 2
                        && now.get("notifications").findValuesAsText("status").stream()
                            .allMatch("delivered"::equals));
    assertThat(shown.get("status").textValue()).isEqualTo("lost");
    JsonNode webhook = shown.get("notifications").get(1);
    assertThat(webhook.get("channel").textValue()).isEqualTo("webhook");
    assertThat(webhook.get("attempts").intValue()).isEqualTo(WebhookReceiver.FAILURES + 1);

    URI receiver =
        URI.create(Objects.requireNonNull(System.getProperty(WebhookReceiver.URL_PROPERTY)));
    String[] post = new OrchestratorTestClient(receiver).get(run).text().split("\t");
    assertThat(post[0]).isEqualTo(webhook.get("id").textValue());
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(
        new SecretKeySpec(
            Base64.getDecoder().decode(WebhookReceiver.SECRET.substring("whsec_".length())),
            "HmacSHA256"));
    assertThat(post[2])
        .isEqualTo(
            "v1,"
                + Base64.getEncoder()
                    .encodeToString(
                        mac.doFinal((post[0] + "." + post[1] + "." + post[3]).getBytes(UTF_8))));
  }

  @Test
  void shouldReadOnlySecretsThatAreLongEnough() {
    assertThat(WebhookSecretParser.read(WebhookReceiver.SECRET)).isPresent();
    for (String bad : List.of("", "secret", "whsec_", "whsec_c2hvcnQ=", "whsec_***")) {
      assertThat(WebhookSecretParser.read(bad)).as(bad).isEmpty();
    }
  }
}
