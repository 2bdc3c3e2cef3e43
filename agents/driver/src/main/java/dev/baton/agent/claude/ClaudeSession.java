/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.process.ProcessAgentSession;
import dev.baton.agent.process.PromptImages;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A running Claude Code. */
final class ClaudeSession extends ProcessAgentSession {
  /** A resumed turn begins at once; without one, the agent would wait for a prompt forever. */
  private static final Duration TURN_BOUND = Duration.ofSeconds(30);

  private static final Duration END_BOUND = Duration.ofSeconds(15);

  /** The agent gives up a hook after this time: longer than any wait of a step. */
  private static final int HOOK_SECONDS = 1_000_000;

  /** The hook between the results of an answer's calls and the next request. */
  private static final String REST = "PostToolBatch";

  private final AgentLaunch launch;
  private final String asked;
  private final ClaudeEventReader events;
  private final ClaudeAnswerReader answers;
  private boolean begun;
  private int requests;

  private ClaudeSession(
      AgentProcess process, AgentListener listener, AgentLaunch launch, String id) {
    super(process, listener);
    this.launch = launch;
    this.asked = id;
    this.events = new ClaudeEventReader(this::emit);
    this.answers = new ClaudeAnswerReader(this::emit, System::nanoTime);
  }

  static ClaudeSession begin(
      AgentProcess process, AgentListener listener, AgentLaunch launch, String id)
      throws IOException {
    ClaudeSession session = new ClaudeSession(process, listener, launch, id);
    ObjectNode initialize = session.request("initialize");
    boolean ownLogin = launch.model().isOwnLogin();
    if (ownLogin || !launch.task().tools().allowsEverything()) {
      ObjectNode hooks = ((ObjectNode) initialize.path("request")).putObject("hooks");
      hook(hooks, "PreToolUse");
      if (ownLogin) {
        hook(hooks, REST);
      }
    }
    session.send(initialize);
    switch (launch.start()) {
      case AgentStart.Fresh(String prompt) -> session.send(message(launch.task().images(), prompt));
      case AgentStart.Fallback(String prompt, String refused) ->
          session.send(message(launch.task().images(), prompt));
      case AgentStart.Continue(String of, String prompt) ->
          session.send(message(launch.task().images(), prompt));
      case AgentStart.Fork fork -> throw new IllegalStateException("not forked yet: " + fork);
      case AgentStart.Resume resume -> session.later(TURN_BOUND, session::continueByPrompt);
    }
    session.begin();
    return session;
  }

  private static void hook(ObjectNode hooks, String event) {
    hooks
        .putArray(event)
        .addObject()
        .put("matcher", "*")
        .put("timeout", HOOK_SECONDS)
        .putArray("hookCallbackIds")
        .add("baton");
  }

  private static ObjectNode message(List<Path> images, String prompt) throws IOException {
    ObjectNode line = Json.mapper().createObjectNode().put("type", "user");
    ArrayNode content = line.putObject("message").put("role", "user").putArray("content");
    for (PromptImages.PromptImage image : PromptImages.read(images)) {
      content
          .addObject()
          .put("type", "image")
          .putObject("source")
          .put("type", "base64")
          .put("media_type", image.mediaType())
          .put("data", image.base64());
    }
    content.addObject().put("type", "text").put("text", prompt);
    line.putNull("parent_tool_use_id");
    return line;
  }

  private ObjectNode request(String subtype) {
    ObjectNode line = Json.mapper().createObjectNode().put("type", "control_request");
    line.put("request_id", "baton-" + ++requests);
    line.putObject("request").put("subtype", subtype);
    return line;
  }

  /**
   * Some transcripts that end with a result do not count as interrupted for the agent: it waits for
   * a prompt.
   */
  private void continueByPrompt() {
    if (begun) {
      return;
    }
    emit(new AgentEvent.Notice("the turn does not begin by itself: it is continued by a prompt"));
    try {
      send(message(List.of(), ClaudeTranscript.CONTINUE));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Unreachable: images are not read here.
    }
    later(TURN_BOUND, this::endWithoutTurn);
  }

  private void endWithoutTurn() {
    if (!begun) {
      endNow(
          AgentEnd.Kind.SESSION_REFUSED,
          "session " + asked + " has no turn that could be continued");
    }
  }

  @Override
  protected void line(JsonNode line) {
    switch (line.path("type").asText()) {
      case "control_request" -> control(line);
      case "control_response", "control_cancel_request", "command_lifecycle", "keep_alive" -> {
        // Answers to what this session sent, and signs of life.
      }
      case "system" -> {
        if (line.path("subtype").asText().equals("init")) {
          started(line);
        } else if (!events.system(line)) {
          unknown("system/" + line.path("subtype").asText(), line.toString());
        }
      }
      case "assistant" -> {
        begun = true;
        events.assistant(line);
        if (launch.model().isOwnLogin()) {
          answers.assistant(line);
        }
      }
      case "stream_event" -> {
        if (launch.model().isOwnLogin()) {
          answers.streamed(line);
        }
      }
      case "user" -> events.user(line);
      case "result" -> result(line);
      default -> {
        if (!ClaudeEventReader.IGNORED.contains(line.path("type").asText())) {
          unknown(line.path("type").asText(), line.toString());
        }
      }
    }
  }

  private void started(JsonNode line) {
    String found = line.path("session_id").asText();
    if (!found.equals(asked)) {
      endNow(
          AgentEnd.Kind.SESSION_REFUSED,
          "the agent took session " + found + " instead of " + asked);
      return;
    }
    if (!begun) {
      begun = true;
      emit(ClaudeEventReader.started(line));
    }
  }

  private void result(JsonNode line) {
    AgentEnd end = ClaudeEventReader.end(line, launch.start(), begun);
    if (launch.model().isOwnLogin()) {
      answers.end();
    }
    emit(ClaudeEventReader.usage(line));
    if (!isStopped()) {
      decide(end.kind(), end.text(), end.message());
    }
    closeInput();
    endWithin(END_BOUND);
  }

  private void control(JsonNode line) {
    String id = line.path("request_id").asText();
    JsonNode request = line.path("request");
    switch (request.path("subtype").asText()) {
      case "hook_callback" -> {
        if (request.path("input").path("hook_event_name").asText().equals(REST)) {
          rest(id);
        } else {
          judge(id, request.path("input"));
        }
      }
      case "can_use_tool" -> ask(id, request);
      default -> {
        unknown("control_request/" + request.path("subtype").asText(), line.toString());
        ObjectNode answer = Json.mapper().createObjectNode().put("type", "control_response");
        answer
            .putObject("response")
            .put("subtype", "error")
            .put("request_id", id)
            .put("error", "not supported");
        send(answer);
      }
    }
  }

  private void rest(String id) {
    listener()
        .rest()
        .whenComplete(
            (done, problem) -> locked(() -> respond(id, Json.mapper().createObjectNode())));
  }

  private void judge(String id, JsonNode input) {
    String tool = input.path("tool_name").asText();
    ToolInput arguments = new ToolInput(input.path("tool_input"));
    ToolRules rules = launch.task().tools();
    ToolRules.Verdict verdict = rules.judge(tool, arguments.main());
    if (verdict == ToolRules.Verdict.ALLOW
        && (launch.model().isOwnLogin() || rules.watches(tool, arguments.main()))) {
      String call = input.path("tool_use_id").asText();
      listener()
          .begin(arguments.approval(call, tool, ""))
          .whenComplete(
              (decision, problem) -> locked(() -> respondToBegin(id, call, decision, problem)));
      return;
    }
    ObjectNode hook = Json.mapper().createObjectNode();
    ObjectNode output = hook.putObject("hookSpecificOutput").put("hookEventName", "PreToolUse");
    switch (verdict) {
      case ALLOW -> {
        output.put("permissionDecision", "allow");
        emit(new AgentEvent.ToolAllowed(input.path("tool_use_id").asText()));
      }
      case DENY ->
          output
              .put("permissionDecision", "deny")
              .put("permissionDecisionReason", "the rules of the workflow deny this call");
      case ASK ->
          output
              .put("permissionDecision", "ask")
              .put("permissionDecisionReason", "the rules of the workflow ask for a decision");
    }
    respond(id, hook);
  }

  private void respondToBegin(
      String id, String call, @Nullable ToolDecision decision, @Nullable Throwable problem) {
    ObjectNode hook = Json.mapper().createObjectNode();
    ObjectNode output = hook.putObject("hookSpecificOutput").put("hookEventName", "PreToolUse");
    switch (decision) {
      case ToolDecision.Allow allow -> {
        output.put("permissionDecision", "allow");
        emit(new AgentEvent.ToolAllowed(call));
      }
      case ToolDecision.Deny(String message) ->
          output.put("permissionDecision", "deny").put("permissionDecisionReason", message);
      case null ->
          output
              .put("permissionDecision", "deny")
              .put("permissionDecisionReason", "no decision: " + problem);
    }
    respond(id, hook);
  }

  private void ask(String id, JsonNode request) {
    JsonNode input = request.path("input");
    listener()
        .decideAndBegin(
            new ToolInput(input)
                .approval(
                    request.path("tool_use_id").asText(),
                    request.path("tool_name").asText(),
                    request.path("decision_reason").asText()),
            launch.task().tools())
        .whenComplete(
            (decision, problem) -> locked(() -> respond(id, answer(decision, problem, input))));
  }

  private static ObjectNode answer(
      @Nullable ToolDecision decision, @Nullable Throwable problem, JsonNode input) {
    ObjectNode answer = Json.mapper().createObjectNode();
    if (problem != null || decision == null) {
      return answer.put("behavior", "deny").put("message", "no decision: " + problem);
    }
    return switch (decision) {
      case ToolDecision.Allow allow -> {
        answer.put("behavior", "allow").set("updatedInput", input);
        yield answer;
      }
      case ToolDecision.Deny(String message) ->
          answer.put("behavior", "deny").put("message", message);
    };
  }

  private void respond(String id, ObjectNode response) {
    ObjectNode line = Json.mapper().createObjectNode().put("type", "control_response");
    line.putObject("response")
        .put("subtype", "success")
        .put("request_id", id)
        .set("response", response);
    send(line);
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    boolean refused =
        launch.start().resumedSession() != null && !begun && errors.contains("No conversation");
    return new AgentEnd(
        refused ? AgentEnd.Kind.SESSION_REFUSED : AgentEnd.Kind.FAILED,
        "",
        exit,
        ("the agent ended without a result, exit code " + exit + ": " + errors).strip());
  }

  @Override
  protected void requestStop() {
    send(request("interrupt"));
  }
}
