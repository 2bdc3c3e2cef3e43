/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.loop.session.SessionRow;
import dev.baton.agent.loop.session.SessionRow.ToolCall;
import dev.baton.agent.process.PromptImages.PromptImage;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyFault;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.langchain4j.agent.tool.ToolSpecification;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of a model in both forms, against a real endpoint. */
class LoopModelCallerTest {
  private static final List<SessionRow> ROWS = List.of(SessionRow.UserText.of("go"));

  private final List<String> notices = new ArrayList<>();

  private LoopModelCaller caller(ScriptedModelServer server, LoopModelName.ModelForm form) {
    return new LoopModelCaller(
        LoopModelFactory.create(new LoopModelName(form, "m"), server.baseUrl(), "token", "c"),
        List.of(),
        notices::add);
  }

  @ParameterizedTest
  @EnumSource
  void shouldRepeatWhatTheGatewayCouldNotAnswer(LoopModelName.ModelForm form) throws Exception {
    ModelScript script =
        ModelScript.sequence(
            ScriptedReply.status(503),
            ScriptedReply.text("lost").failing(new ReplyFault.BreakOff(1)),
            ScriptedReply.text("answer"));
    try (ScriptedModelServer server = ScriptedModelServer.start(script)) {
      SessionRow.Answer answer = caller(server, form).call("system", ROWS);

      assertThat(answer).isEqualTo(new SessionRow.Answer("answer", List.of(), false, 110));
      assertThat(server.requests()).hasSize(3);
      assertThat(notices).hasSize(2).first().asString().contains("status 503: scripted error");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotRepeatWhatCannotSucceed(LoopModelName.ModelForm form) throws Exception {
    try (ScriptedModelServer server =
        ScriptedModelServer.start(
            ModelScript.sequence(ScriptedReply.status(400), ScriptedReply.status(402)))) {
      assertThatThrownBy(() -> caller(server, form).call("system", ROWS))
          .isInstanceOfSatisfying(LoopModelException.class, e -> assertThat(e.isBudget()).isFalse())
          .hasMessage("the model gives no answer: status 400: scripted error");
      assertThatThrownBy(() -> caller(server, form).call("system", ROWS))
          .isInstanceOfSatisfying(LoopModelException.class, e -> assertThat(e.isBudget()).isTrue())
          .hasMessage("scripted error");
      assertThat(server.requests()).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldSendWhatAnEndpointAcceptsWhateverTheModelSaid(LoopModelName.ModelForm form)
      throws Exception {
    List<SessionRow> rows =
        List.of(
            SessionRow.UserText.of("go"),
            new SessionRow.Answer("", List.of(), true, 0),
            new SessionRow.Answer(
                "", List.of(new ToolCall("c1", "shell", "{\"command\":\"ec")), true, 0),
            new SessionRow.CallResult(
                "c1", "shell", "The arguments are not JSON.", true, java.util.Map.of()));
    try (ScriptedModelServer server =
        ScriptedModelServer.start(
            ModelScript.sequence(ScriptedReply.call("shell", "{\"command\":\"echo 1.0\"}")))) {
      SessionRow.Answer answer = caller(server, form).call("system", rows);

      assertThat(answer.calls()).hasSize(1);
      assertThat(answer.calls().getFirst().arguments()).contains("echo 1.0");
      assertThat(server.requests().getFirst().body().toString())
          .contains("c1", "not JSON")
          .doesNotContain("\"ec");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldCountAllTokensAndNameTheConversation(LoopModelName.ModelForm form) throws Exception {
    try (ScriptedModelServer server =
        ScriptedModelServer.start(
            ModelScript.sequence(ScriptedReply.text("answer").usage(1_000, 200, 30, 4, 0)))) {
      SessionRow.Answer answer = caller(server, form).call("system", ROWS);

      // Only Anthropic counts tokens that are written to the cache.
      assertThat(answer.tokens())
          .isEqualTo(form == LoopModelName.ModelForm.ANTHROPIC_MESSAGES ? 1_234 : 1_204);
      assertThat(server.requests().getFirst().header("x-session-id")).isEqualTo("c");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldSendImagesBeforeTheText(LoopModelName.ModelForm form) throws Exception {
    List<SessionRow> rows =
        List.of(
            new SessionRow.UserText(
                "look",
                List.of(
                    new PromptImage("image/png", "AAAA"), new PromptImage("image/webp", "BBBB"))));
    try (ScriptedModelServer server =
        ScriptedModelServer.start(ModelScript.sequence(ScriptedReply.text("answer")))) {
      caller(server, form).call("system", rows);

      String body = server.requests().getFirst().body().path("messages").toString();
      if (form == LoopModelName.ModelForm.ANTHROPIC_MESSAGES) {
        assertThat(body).contains("\"media_type\":\"image/png\"", "\"media_type\":\"image/webp\"");
      } else {
        assertThat(body).contains("data:image/png;base64,AAAA", "data:image/webp;base64,BBBB");
      }
      assertThat(body).containsSubsequence("AAAA", "BBBB", "look");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRequestASummaryWithoutCalls(LoopModelName.ModelForm form) throws Exception {
    List<ToolSpecification> tools =
        List.of(ToolSpecification.builder().name("shell").description("runs").build());
    try (ScriptedModelServer server =
        ScriptedModelServer.start(ModelScript.sequence(ScriptedReply.text("summary")))) {
      new LoopModelCaller(
              LoopModelFactory.create(new LoopModelName(form, "m"), server.baseUrl(), "token", "c"),
              tools,
              notices::add)
          .summarize("system", ROWS);

      JsonNode body = server.requests().getFirst().body();
      assertThat(body.path("tools")).hasSize(1);
      assertThat(body.path("tool_choice").toString()).contains("none");
    }
  }
}
