/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimedModelScriptTest {
  private final TimedModelScript script = new TimedModelScript();

  @Test
  void shouldCallAToolInEachTurnButTheLast() {
    script.begin(3, Duration.ofMillis(5), 0);

    assertThat(reply(0).parts()).hasOnlyElementsOfType(ReplyPart.ToolCall.class);
    assertThat(reply(1).parts()).hasOnlyElementsOfType(ReplyPart.ToolCall.class);
    assertThat(reply(2).parts()).hasOnlyElementsOfType(ReplyPart.Text.class);
    assertThat(reply(2).before()).isEqualTo(Duration.ofMillis(5));
    assertThat(script.periods()).hasSize(3);
  }

  @Test
  void shouldHoldTheFirstRequestOfATurn() throws Exception {
    script.begin(2, Duration.ZERO, 2);

    assertThat(reply(0).before()).isZero();
    assertThat(reply(1).before()).isGreaterThan(Duration.ofSeconds(10));
    assertThat(reply(1).before()).isZero();
    assertThat(script.await(3, Duration.ZERO)).isGreaterThan(script.await(1, Duration.ZERO));
  }

  @Test
  void shouldFailWhenARequestDoesNotArrive() {
    script.begin(2, Duration.ZERO, 0);

    assertThatThrownBy(() -> script.await(1, Duration.ofMillis(10)))
        .isInstanceOf(IOException.class)
        .hasMessage("0 of 1 requests have arrived within PT0.01S");
  }

  private ScriptedReply reply(int answers) {
    ObjectNode body = Json.mapper().createObjectNode();
    ArrayNode messages = body.putArray("messages");
    messages.addObject().put("role", "user");
    for (int i = 0; i < answers; i++) {
      messages.addObject().put("role", "assistant");
      messages.addObject().put("role", "user");
    }
    return script.reply(new ScriptedRequest(1, "/v1/messages", Map.of(), body));
  }
}
