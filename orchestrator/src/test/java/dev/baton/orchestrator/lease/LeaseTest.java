/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.lease.LeaseKey;
import dev.baton.lease.LeaseVerdict;
import dev.baton.lease.LeaseVerifier;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LeaseTest {
  @Inject OrchestratorTestEnvironment bed;

  private record External(String run, String lease) {}

  private External external() {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"kind\":\"external\",\"workflow\":\"foreign\"}");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return new External(
        created.json().get("id").textValue(), created.json().get("lease").textValue());
  }

  private static void append(
      TraceLog log, String run, int epoch, long seq, String lease, TraceEvent event) {
    log.send(
        TraceCodec.encode(
            TopicName.TRACE,
            new TraceRecord(
                new EventId(run, Lane.runner(epoch), seq), URI.create("/x"), Instant.now(), event),
            lease));
  }

  @Test
  void shouldFoldOnlyWhatALeaseVouchesFor() {
    External run = external();
    External other = external();
    String[] parts = run.lease().split("\\.");
    String forged =
        parts[0]
            + "."
            + parts[1]
            + "."
            + Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[64]);
    double before = refused("bad_signature") + refused("foreign");
    try (TraceLog log = bed.log()) {
      append(log, run.run(), 1, 1, run.lease(), started());
      append(log, run.run(), 1, 2, forged, failed("forged"));
      append(log, run.run(), 1, 2, other.lease(), failed("another run's"));
      append(log, run.run(), 1, 2, run.lease(), new TraceEvent.RunCompleted(null));

      JsonNode shown =
          bed.api().await(run.run(), now -> now.get("status").textValue().equals("completed"));

      assertThat(shown.has("error")).isFalse();
      assertThat(refused("bad_signature") + refused("foreign") - before).isEqualTo(2);
    }
  }

  @Test
  void shouldPublishTheKeysThatLeasesAreVerifiedWith() {
    External run = external();

    OrchestratorTestClient.Answer set = bed.api().get("/.well-known/jwks.json");

    assertThat(set.status()).isEqualTo(200);
    LeaseVerifier verifier = new LeaseVerifier(true);
    verifier.keys(LeaseKey.readSet(set.text().getBytes(UTF_8)));
    assertThat(verifier.check(run.lease(), run.run(), 1, "default"))
        .isInstanceOf(LeaseVerdict.Granted.class);
  }

  @Test
  void shouldFenceARunnerWhoseLeaseIsForAnotherRun() {
    bed.api().workflow("lease-held", true);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"lease-held\"}").json().get("id").textValue();
    Held held =
        Held.newBuilder()
            .setRun(run)
            .setEpoch(1)
            .setLease(external().lease())
            .setStarted(true)
            .build();
    try (ScriptedRunner thief = new ScriptedRunner(bed.port(), "lease-thief", 1, held)) {
      assertThat(thief.await(m -> m.hasFenced()).getFenced().getRun()).isEqualTo(run);
      assertThat(refused("foreign")).isPositive();
    }
  }

  @Test
  void shouldFoldOnlyControlEventsThatAnOrchestratorHasSigned() {
    bed.api().workflow("signed", true);
    JsonNode created = bed.api().json("/runs", "{\"workflow\":\"signed\"}").json();
    String run = created.get("id").textValue();
    int home = created.get("home_partition").intValue();
    double before = refused("missing") + refused("bad_signature") + refused("unknown_key");
    try (TraceLog log = bed.log()) {
      ConsumerRecord<String, byte[]> genuine =
          log.await(TopicName.TRACE, run, records -> !records.isEmpty()).getFirst();
      String signature = TraceCodec.signature(genuine.headers());
      assertThat(signature).isNotNull();

      forge(log, run, home, Lane.CONTROL, 1_000_000_000_000L, null, lost());
      forge(log, run, home, Lane.CONTROL, 1_000_000_000_000L, signature, lost());
      forge(
          log,
          run,
          home,
          Lane.CONTROL,
          1_000_000_000_000L,
          "0".repeat(16) + signature.substring(16),
          lost());
      forge(log, run, home, Lane.runner(1), 1, null, started());
      forge(log, run, home, Lane.runner(1), 2, null, new TraceEvent.RunCompleted(null));
      assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isEqualTo(202);

      JsonNode shown =
          bed.api().await(run, now -> now.get("status").textValue().equals("cancelled"));

      assertThat(shown.has("trace_gap")).as(shown.toString()).isFalse();
      assertThat(refused("missing") + refused("bad_signature") + refused("unknown_key") - before)
          .isEqualTo(5);
    }
  }

  /** Writes to the log without the key of an orchestrator. */
  private static void forge(
      TraceLog log,
      String run,
      int home,
      Lane lane,
      long seq,
      @Nullable String signature,
      TraceEvent event) {
    ProducerRecord<String, byte[]> record =
        TraceCodec.encode(
            TopicName.TRACE,
            home,
            new TraceRecord(new EventId(run, lane, seq), URI.create("/x"), Instant.now(), event),
            null);
    if (signature != null) {
      TraceCodec.sign(record.headers(), signature);
    }
    log.send(record);
  }

  private static TraceEvent lost() {
    return new TraceEvent.RunLost("forged", null);
  }

  @Test
  void shouldSayWhichEpochMayAct() {
    External run = external();

    assertThat(epoch(run.run(), "?epoch=1").get("current").booleanValue()).isTrue();
    assertThat(epoch(run.run(), "").get("epoch").intValue()).isEqualTo(1);
    JsonNode later = epoch(run.run(), "?epoch=2");
    assertThat(later.get("current").booleanValue()).isFalse();
    assertThat(later.get("reason").textValue()).contains("epoch 2 is fenced");
    assertThat(bed.api().get("/runs/" + run.run() + "/epoch?epoch=0").status()).isEqualTo(400);
    assertThat(bed.api().json("/runs/" + run.run() + "/cancel", "{}").status()).isEqualTo(202);
    assertThat(epoch(run.run(), "?epoch=1").get("reason").textValue()).contains("cancelled");
  }

  private JsonNode epoch(String run, String query) {
    OrchestratorTestClient.Answer answer = bed.api().get("/runs/" + run + "/epoch" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private double refused(String reason) {
    Matcher line =
        Pattern.compile("baton_leases_refused_total\\{.*reason=\"" + reason + "\".*\\} (\\S+)")
            .matcher(bed.api().get("/q/metrics").text());
    return line.find() ? Double.parseDouble(line.group(1)) : 0;
  }

  private static TraceEvent started() {
    return new TraceEvent.RunnerStarted("x", 1L, "host", null, 0);
  }

  private static TraceEvent failed(String why) {
    return new TraceEvent.RunFailed(
        null, new dev.baton.protocol.trace.Failure("forged", why, null));
  }
}
