/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.loop.session.SessionRow;
import dev.baton.agent.loop.session.SessionRow.ToolCall;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyFault;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of a model in both forms, against a real endpoint. */
class LoopModelCallerTest {
  private static final List<SessionRow> ROWS = List.of(new SessionRow.UserText("go"));

  private final List<String> notices = new ArrayList<>();

  private LoopModelCaller caller(ScriptedModelServer server, LoopModelName.ModelForm form) {
    return new LoopModelCaller(
        LoopModelFactory.create(new LoopModelName(form, "m"), server.baseUrl(), "token"),
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

      assertThat(answer).isEqualTo(new SessionRow.Answer("answer", List.of(), false));
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
            new SessionRow.UserText("go"),
            new SessionRow.Answer("", List.of(), true),
            new SessionRow.Answer(
                "", List.of(new ToolCall("c1", "shell", "{\"command\":\"ec")), true),
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
}
