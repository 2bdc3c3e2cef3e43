/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.ClaudeScript;
import org.junit.jupiter.api.Test;

class OwnLoginTest extends OwnLoginTestBase {
  OwnLoginTest() {
    super(
        new LoginCase(
            "claude",
            "claude-sonnet-4-5",
            ScriptedModelStack.Form.MESSAGES,
            ClaudeScript::answer,
            8,
            "a b c d e f g h world",
            Integer.getInteger("baton.agent.kills", 4)));
  }

  @Test
  void shouldRefuseALoginThatTheRunnerDoesNotPassOn() throws Exception {
    on.api.push(
        workflow().replace("name: " + NAME, "name: own-refused").replace("_API_KEY", "_OTHER"));
    String run = on.api.start("own-refused", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "failed", END);

    assertThat(end.path("error").path("message").asText())
        .as(() -> stack.history(run))
        .contains("ANTHROPIC_OTHER", "baton.agent.login");
  }
}
