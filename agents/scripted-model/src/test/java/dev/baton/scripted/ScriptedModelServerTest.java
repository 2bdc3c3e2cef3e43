/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The endpoint answers from its script in each form, and keeps the requests. */
class ScriptedModelServerTest {
  private static final String SCRIPT =
      """
      {"answers": [
        {"thinking": "hm", "text": "first", "tools": [{"name": "Bash", "input": {"command": "ls"}}],
         "usage": {"input": 7, "output": 3}},
        {"text": "done"}]}
      """;

  private static HttpResponse<String> post(ScriptedModelServer server, String path, String body)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(server.baseUrl().resolve(path))
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static ModelScript script() {
    return ScriptFileParser.parse(Json.tree(SCRIPT.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/messages,messages,message_stop",
    "/v1/responses,input,response.completed",
    "/v1/chat/completions,messages,[DONE]"
  })
  void shouldAnswerByTheTurnOfTheConversation(String path, String list, String end)
      throws Exception {
    try (ScriptedModelServer server = ScriptedModelServer.start(script())) {
      String user = "{\"role\":\"user\",\"content\":\"go\"}";
      String assistant = "{\"role\":\"assistant\",\"content\":\"first\"}";

      String first = post(server, path, "{\"" + list + "\":[" + user + "]}").body();
      String streamed =
          post(server, path, "{\"stream\":true,\"" + list + "\":[" + user + "," + assistant + "]}")
              .body();

      assertThat(first).contains("first").contains("Bash").contains("command");
      assertThat(streamed).contains("done").contains(end);
      assertThat(server.requests()).hasSize(2);
      assertThat(server.requests().getLast().turn()).isEqualTo(1);
      assertThat(server.completed()).isEqualTo(2);
    }
  }

  @Test
  void shouldAnswerFromAnotherScriptAndCountFromZero() throws Exception {
    try (ScriptedModelServer server =
        ScriptedModelServer.start(request -> ScriptedReply.text("one"))) {
      assertThat(post(server, "/v1/messages", "{}").body()).contains("one");

      server.answerFrom(request -> ScriptedReply.text("two"));

      assertThat(server.requests()).isEmpty();
      assertThat(post(server, "/v1/messages", "{}").body()).contains("two");
      assertThat(server.requests()).hasSize(1);
      assertThat(server.requests().getFirst().number()).isEqualTo(1);
    }
  }

  @Test
  void shouldFailAsItsScriptRequires() throws Exception {
    ScriptedReply reply = ScriptedReply.text("hello");
    try (ScriptedModelServer server =
        ScriptedModelServer.start(
            ModelScript.sequence(
                reply.failing(new ReplyFault.ErrorStatus(429, "3", "slow down")),
                reply.failing(new ReplyFault.BreakOff(2))))) {
      HttpResponse<String> limited = post(server, "/v1/messages", "{}");

      assertThat(limited.statusCode()).isEqualTo(429);
      assertThat(limited.headers().firstValue("retry-after")).hasValue("3");
      assertThatThrownBy(() -> post(server, "/v1/messages", "{\"stream\":true}"))
          .isInstanceOf(IOException.class);
      assertThat(server.completed()).isZero();
    }
  }

  @Test
  void shouldRefuseAScriptWithoutAnswers() {
    assertThatThrownBy(() -> ScriptFileParser.parse(Json.mapper().createObjectNode()))
        .hasMessage("script: 'answers' is missing or empty");
  }
}
