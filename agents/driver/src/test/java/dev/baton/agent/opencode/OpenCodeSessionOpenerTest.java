/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.baton.protocol.json.Json;
import org.junit.jupiter.api.Test;

class OpenCodeSessionOpenerTest {
  private static final String PROMPT = "{'role':'user','time':{'created':2}}";
  private static final String BROKEN = "{'role':'assistant','time':{'created':3}}";
  private static final String CALLS = answer("'finish':'tool-calls'");
  private static final String LAST = answer("'finish':'stop'");
  private static final String STOPPED = answer("'error':{'name':'MessageAbortedError'}");

  private static String answer(String fields) {
    return "{'role':'assistant','time':{'created':3,'completed':4}," + fields + "}";
  }

  private static boolean isOpen(String... infos) throws JsonProcessingException {
    String messages = "[{'info':" + String.join("},{'info':", infos) + "}]";
    return OpenCodeSessionOpener.hasOpenTurn(Json.mapper().readTree(messages.replace('\'', '"')));
  }

  @Test
  void shouldFindAnOpenTurnWhereTheModelHasToAnswer() throws Exception {
    assertThat(isOpen(PROMPT)).isTrue();
    assertThat(isOpen(PROMPT, BROKEN)).isTrue();
    assertThat(isOpen(PROMPT, CALLS)).isTrue();
  }

  @Test
  void shouldFindNoOpenTurnAfterTheLastAnswerOrAStop() throws Exception {
    assertThat(isOpen(PROMPT, LAST)).isFalse();
    assertThat(isOpen(PROMPT, STOPPED)).isFalse();
    assertThat(OpenCodeSessionOpener.hasOpenTurn(Json.mapper().createArrayNode())).isFalse();
  }

  @Test
  void shouldNotDependOnTheOrderOfMessages() throws Exception {
    assertThat(isOpen(LAST, PROMPT)).isFalse();
    assertThat(isOpen(CALLS, PROMPT)).isTrue();
  }
}
