/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.McpTestServerMain;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * MCP servers of a real run, killed together with agent and runner: the counter of a server, and
 * the file to which it appends, show each call that had an effect twice, or none.
 */
@UsesScriptedModels
class McpStepTest {
  private static final int TURNS = 12;
  private static final int KILLS = Integer.getInteger("baton.mcp.kills", 3);
  private static final Duration END = Duration.ofSeconds(300);

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    stack =
        ScriptedModelStack.with(
            request ->
                request.body().toString().contains("count to the end")
                    ? ModelScript.byTurn(counting()).reply(request)
                    : ModelScript.byTurn(faults()).reply(request));
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(
        """
        name: counted
        mcp:
          offered: {command: %s, env: {LEDGER: '{workspace}/offered'}}
          kept: {command: %s, state: n.txt, env: {LEDGER: '{workspace}/kept'}}
        steps:
          - id: work
            agent: {use: loop, model: claude-sonnet-4-5, prompt: 'count to the end'}
          - {id: after, shell: 'cat offered kept'}
        """
            .formatted(command("checkpoint"), command("file={state}/n.txt")));
    on.api.push(
        """
        name: faulty
        mcp:
          hung: {command: %s}
          count: {command: %s, env: {LEDGER: '{workspace}/ledger'}}
          broken: {command: [/bin/false]}
        steps:
          - id: work
            agent: {use: loop, model: claude-sonnet-4-5, prompt: 'survive faults'}
          - {id: after, shell: 'cat ledger'}
        """
            .formatted(command("checkpoint", "hang"), command("checkpoint")));
  }

  private static String command(String... modes) throws Exception {
    return McpTestServerMain.command(modes).stream()
        .map(word -> "'" + word + "'")
        .collect(Collectors.joining(", ", "[", "]"));
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static ReplyPart add(String server, int n) {
    return new ReplyPart.ToolCall("mcp__" + server + "__add", "{\"n\": " + n + "}");
  }

  private static List<ScriptedReply> counting() {
    List<ScriptedReply> replies = new ArrayList<>();
    for (int i = 1; i <= TURNS; i++) {
      replies.add(
          ScriptedReply.empty()
              .with(add("offered", i))
              .with(add("kept", i))
              .after(Duration.ofMillis(150)));
    }
    replies.add(ScriptedReply.text("counted"));
    return replies;
  }

  private static List<ScriptedReply> faults() {
    return List.of(
        ScriptedReply.empty().with(add("hung", 1)).with(add("count", 5)),
        ScriptedReply.call("mcp__count__crash", "{\"n\": 2}"),
        ScriptedReply.empty().with(add("count", 1)).with(add("hung", 1)),
        ScriptedReply.text("survived"));
  }

  private static String lines() {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= TURNS; i++) {
      lines.append('+').append(i).append('\n');
    }
    return lines.toString();
  }

  @Test
  void shouldHaveTheEffectOfEachCallOnce() throws Exception {
    Random random = SeededRandomFactory.random("servers, agent and runner die " + KILLS + " times");
    int before = endpoint.requests().size();
    String run = on.api.start("counted", AcceptanceApiClient.JSON.createObjectNode());
    int killed =
        new AgentRunnerKiller(
                random,
                KILLS,
                kill -> before + 1 + (TURNS - 2) * kill / (KILLS + 1),
                () -> endpoint.requests().size())
            .kill(run)
            .killed();

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    String results = endpoint.requests().getLast().body().path("messages").toString();
    int sum = TURNS * (TURNS + 1) / 2;
    System.out.printf("  %d kills, last results: counter is %d%n", killed, sum);
    assertThat(killed).isGreaterThanOrEqualTo(KILLS - 1);
    assertThat(end.path("output").asText().strip()).isEqualTo((lines() + lines()).strip());
    assertThat(results.split("counter is " + sum + "[^0-9]", -1)).as("both servers").hasSize(3);
    assertThat(on.api.events(run, "tool_invoked"))
        .allSatisfy(call -> assertThat(call.path("outcome").asText()).isEqualTo("ok"));
  }

  @Test
  void shouldCompleteWithServersThatCrashHangAndAreBroken() throws Exception {
    String run = on.api.start("faulty", AcceptanceApiClient.JSON.createObjectNode());

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asText().strip()).isEqualTo("+5\n+2\n+1");
    String results = endpoint.requests().getLast().body().path("messages").toString();
    assertThat(results).contains("ended with exit code 3", "it is not repeated");
    assertThat(results).as("the state before the crash").contains("counter is 6");
    String newest =
        on.api.events(run, "checkpoint_saved").stream()
            .filter(saved -> saved.path("trigger").asText().equals("turn"))
            .toList()
            .getLast()
            .path("checkpoint")
            .asText();
    JsonNode parts = on.api.get("/checkpoints/" + newest).body().at("/manifest/contributors");
    assertThat(parts.path("mcp:count").path("status").asText()).isEqualTo("ok");
    assertThat(parts.path("mcp:hung").path("error").asText()).contains("has not answered");
    assertThat(parts.path("mcp:broken").path("error").asText()).contains("has failed");
  }
}
