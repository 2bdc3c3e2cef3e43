/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedReply;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Budgets are checked before a request goes out, and at most one answer passes them. */
class BudgetTest {
  private static final ScriptedReply ANSWER =
      ScriptedReply.text("hello").usage(100, 0, 0, 1_000, 0);
  // 100 in at 3 USD and 1,000 out at 15 USD for a million.
  private static final BigDecimal COST = new BigDecimal("0.0153");

  private static SpendBudget cost(String dollars) {
    return new SpendBudget(new BigDecimal(dollars), null, null, null);
  }

  @Test
  void shouldStopWithAMessageThatNamesBudgetAndWayToContinue() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ANSWER))) {
      rig.ledger = GatewayRig.ledger(cost("0.03"));
      GatewaySession session = rig.open();
      rig.post(session, GatewayRig.messages(true, "1"));
      rig.post(session, GatewayRig.messages(true, "2"));

      HttpResponse<String> refused = rig.post(session, GatewayRig.messages(true, "3"));
      HttpResponse<String> chat =
          rig.post(
              session, "/v1/chat/completions", GatewayRig.body("/v1/chat/completions", true, "3"));

      assertThat(refused.statusCode()).isEqualTo(402);
      assertThat(refused.body())
          .contains("\"type\":\"error\"")
          .contains("cost budget of 0.03 USD is used up: 0.0306 USD spent in 2 answers")
          .contains("baton resume 01run --budget cost=N");
      assertThat(chat.statusCode()).isEqualTo(402);
      assertThat(chat.body()).contains("\"error\":{\"message\":");
      assertThat(rig.endpoint.requests()).hasSize(2);
      assertThat(rig.seen()).contains("budget cost");
      assertThat(rig.ledger.total().cost()).isEqualByComparingTo(COST.multiply(BigDecimal.TWO));
    }
  }

  @Test
  void shouldSpendNothingInAHundredResumesWithAUsedUpBudget() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ANSWER))) {
      rig.ledger = GatewayRig.ledger(new SpendBudget(null, null, 1L, null));
      rig.post(rig.open(), GatewayRig.messages(true, "1"));
      for (int i = 0; i < 100; i++) {
        GatewaySession session = rig.open(rig.journal.answers());
        // The journaled answer is free; the next one is refused.
        assertThat(rig.post(session, GatewayRig.messages(true, "1")).statusCode()).isEqualTo(200);
        assertThat(rig.post(session, GatewayRig.messages(true, "2")).statusCode()).isEqualTo(402);
        session.close();
      }
      assertThat(rig.endpoint.requests()).hasSize(1);
      assertThat(rig.ledger.total().turns()).isEqualTo(1);
    }
  }

  @Test
  void shouldLetAtMostOneOfManyRequestsPassTheBudget() throws Exception {
    for (SpendBudget budget :
        List.of(
            cost("0.04"),
            new SpendBudget(null, 2_500L, null, null),
            new SpendBudget(null, null, 3L, null))) {
      try (GatewayRig rig =
          new GatewayRig(ModelScript.sequence(ANSWER.after(Duration.ofMillis(20))))) {
        rig.ledger = GatewayRig.ledger(budget);
        GatewaySession session = rig.open();
        AtomicInteger given = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
          ObjectNode body = GatewayRig.messages(true, "request " + i);
          threads.add(
              Thread.ofVirtual()
                  .start(
                      () -> {
                        try {
                          int status = rig.post(session, body).statusCode();
                          (status == 200 ? given : refused).incrementAndGet();
                        } catch (Exception e) {
                          throw new IllegalStateException(e);
                        }
                      }));
        }
        for (Thread thread : threads) {
          thread.join();
        }

        assertThat(given.get()).as("%s", budget).isEqualTo(3);
        assertThat(refused.get()).isEqualTo(13);
        assertThat(rig.endpoint.requests()).hasSize(3);
      }
    }
  }

  @Test
  void shouldStopAtTheDeadline() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ANSWER))) {
      rig.ledger =
          GatewayRig.ledger(new SpendBudget(null, null, null, Instant.now().minusSeconds(1)));

      HttpResponse<String> refused = rig.post(rig.open(), GatewayRig.messages(true, "1"));

      assertThat(refused.statusCode()).isEqualTo(402);
      assertThat(refused.body()).contains("deadline");
    }
  }

  @Test
  void shouldNeverCountAnUnknownModelAsFree() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ANSWER))) {
      GatewaySession session = rig.open();
      ObjectNode body = GatewayRig.messages(true, "1").put("model", "my-model");
      rig.post(session, body);

      assertThat(rig.journal.answers().getFirst().cost()).isNull();
      assertThat(rig.ledger.total().unknown()).isEqualTo(1);
      assertThat(rig.ledger.total().usage().total()).isEqualTo(1_100);

      rig.ledger = GatewayRig.ledger(cost("1"));
      HttpResponse<String> refused = rig.post(rig.open(), body);
      assertThat(refused.statusCode()).isEqualTo(402);
      assertThat(refused.body()).contains("model 'my-model' has no price");
      assertThat(rig.endpoint.requests()).hasSize(1);
    }
  }

  @Test
  void shouldReadPricesAndNameWhatIsWrong() {
    ModelPriceTable table = ModelPriceTable.standard();
    assertThat(table.price("claude-sonnet-4-5-20250929"))
        .isEqualTo(table.price("claude-sonnet-4-5"));
    assertThat(table.price("my-model")).isEmpty();
    ModelPriceTable more =
        table.overriddenBy(
            json("{\"version\":1,\"models\":{\"my-model\":{\"input\":1,\"output\":2}}}"));
    assertThat(
            more.price("my-model")
                .orElseThrow()
                .cost(new TokenUsage(1_000_000, 500_000, 0, 0, 1_000_000, 7)))
        .isEqualByComparingTo("3.5");
    assertThatThrownBy(
            () ->
                table.overriddenBy(
                    json("{\"version\":1,\"models\":{\"m\":{\"input\":-1,\"output\":2}}}")))
        .hasMessage("price table: m: price: -1 is negative");
    assertThatThrownBy(
            () -> table.overriddenBy(json("{\"version\":1,\"models\":{\"m\":{\"input\":1}}}")))
        .hasMessage("price table: m: 'output' is missing or not a number");
    assertThatThrownBy(() -> table.overriddenBy(json("{\"version\":2}")))
        .hasMessage("price table: version 2 is not 1");
    assertThatThrownBy(() -> cost("0")).hasMessage("budget: cost 0 is not above 0");
  }

  private static com.fasterxml.jackson.databind.JsonNode json(String text) {
    return Json.tree(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  @Test
  void shouldContinueWithWhatEarlierEpochsHaveSpent() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ANSWER))) {
      rig.ledger =
          new SpendLedger(
              "01run",
              new SpendBudget(null, null, 5L, null),
              ModelPriceTable.standard(),
              Clock.systemUTC(),
              new SpendTotal(5, TokenUsage.NONE, BigDecimal.ONE, 0));
      assertThat(rig.post(rig.open(), GatewayRig.messages(true, "1")).statusCode()).isEqualTo(402);
    }
  }
}
