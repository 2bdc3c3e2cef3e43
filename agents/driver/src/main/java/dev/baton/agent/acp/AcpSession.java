/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentStart;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.process.JsonRpcSession;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.ToolInput;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A running agent that speaks ACP. It gets no access to files or terminals of the runner. */
final class AcpSession extends JsonRpcSession {
  /**
   * The prompt with which a turn is continued. {@code AgentFamily.ACP} leaves it out of keys. It
   * has fewer than 10 characters: claude-agent-acp requests titles for longer ones.
   */
  static final String CONTINUE = "Continue.";

  private static final int PROTOCOL = 1;
  private static final Duration START_BOUND = Duration.ofSeconds(120);
  private static final Duration END_BOUND = Duration.ofSeconds(10);

  private final AgentLaunch launch;
  private final AcpPrompt prompt;
  private final AcpEventReader events;
  private String agent = "";
  private String version = "";
  private String session = "";
  private boolean opening;
  private boolean systemPrompt;
  private boolean prompted;

  private AcpSession(
      AgentProcess process, AgentListener listener, AgentLaunch launch, AcpPrompt prompt) {
    super(process, listener);
    this.launch = launch;
    this.prompt = prompt;
    this.events = new AcpEventReader(this::emit);
  }

  static AcpSession begin(
      AgentProcess process, AgentListener listener, AgentLaunch launch, AcpPrompt prompt) {
    AcpSession session = new AcpSession(process, listener, launch, prompt);
    ObjectNode initialize = object().put("protocolVersion", PROTOCOL);
    ObjectNode capabilities = initialize.putObject("clientCapabilities");
    capabilities.putObject("fs").put("readTextFile", false).put("writeTextFile", false);
    capabilities.put("terminal", false);
    initialize
        .putObject("clientInfo")
        .put("name", "baton")
        .put("title", "Baton")
        .put("version", "1");
    session.locked(() -> session.request("initialize", initialize, session::initialized));
    session.later(START_BOUND, session::endWithoutSession);
    session.begin();
    return session;
  }

  private void endWithoutSession() {
    if (!prompted) {
      fail("the agent has not opened its session within " + START_BOUND.toSeconds() + " s");
    }
  }

  private void fail(String message) {
    endNow(AgentEnd.Kind.FAILED, message);
  }

  private void refuse(String id, String reason) {
    endNow(AgentEnd.Kind.SESSION_REFUSED, "session " + id + " cannot be resumed: " + reason);
  }

  private void initialized(JsonNode result) {
    int protocol = result.path("protocolVersion").asInt(0);
    if (protocol != PROTOCOL) {
      fail(
          "the agent speaks version %d of ACP, version %d is required"
              .formatted(protocol, PROTOCOL));
      return;
    }
    agent = result.path("agentInfo").path("name").asText(launch.program().command().getFirst());
    version = result.path("agentInfo").path("version").asText(launch.program().version());
    JsonNode capabilities = result.path("agentCapabilities");
    if (!prompt.images().isEmpty()
        && !capabilities.path("promptCapabilities").path("image").asBoolean()) {
      fail("agent " + agent + " takes no images; remove 'images' from the step");
      return;
    }
    if (!launch.task().mcp().isEmpty()
        && !capabilities.path("mcpCapabilities").path("http").asBoolean()) {
      fail("agent " + agent + " reaches no MCP servers by HTTP; set 'mcp: []' for the step");
      return;
    }
    JsonNode sessions = capabilities.path("sessionCapabilities");
    systemPrompt = sessions.has("systemPrompt");
    ObjectNode params = object().put("cwd", launch.folders().workspace().toString());
    params.set("mcpServers", AcpPrompt.servers(launch.task().mcp()));
    String system = launch.task().system();
    if (systemPrompt && !system.isBlank()) {
      ObjectNode text = params.putObject("systemPrompt").put("mode", "append");
      text.putArray("content").addObject().put("type", "text").put("text", system);
    }
    String id = launch.start().resumedSession();
    if (id == null) {
      request("session/new", params, opened -> opened(opened.path("sessionId").asText(), opened));
    } else if (sessions.has("resume")) {
      open("session/resume", params, id);
    } else if (capabilities.path("loadSession").asBoolean()) {
      open("session/load", params, id);
    } else {
      refuse(id, "agent " + agent + " can neither resume nor load sessions");
    }
  }

  /** Opens an older session; what the agent reports until then is its history. */
  private void open(String method, ObjectNode params, String id) {
    opening = true;
    request(
        method,
        params.put("sessionId", id),
        result -> {
          opening = false;
          String found = result.path("sessionId").asText(id);
          if (found.equals(id)) {
            opened(id, result);
          } else {
            refuse(id, "the agent took session " + found);
          }
        },
        error -> refuse(id, method + ": " + message(error)));
  }

  private static String message(JsonNode error) {
    String details = error.path("data").path("details").asText("");
    String message = error.path("message").asText("no message");
    return details.isEmpty() ? message : message + ": " + details;
  }

  private void opened(String id, JsonNode result) {
    if (id.isEmpty()) {
      fail("session/new: the response has no 'sessionId'");
      return;
    }
    session = id;
    String model = result.path("models").path("currentModelId").asText(launch.model().model());
    emit(new AgentEvent.SessionStarted(id, agent, version, model, Map.of()));
    prompted = true;
    ObjectNode params = object().put("sessionId", id);
    boolean before = !systemPrompt && launch.start() instanceof AgentStart.Fresh;
    params.set("prompt", prompt.blocks(before ? launch.task().system() : ""));
    request("session/prompt", params, this::completed, this::failed);
  }

  private void completed(JsonNode result) {
    events.flush();
    JsonNode usage = result.path("usage");
    if (usage.isObject()) {
      emit(
          new AgentEvent.UsageReported(
              usage.path("inputTokens").asLong(0),
              usage.path("outputTokens").asLong(0),
              usage.path("cachedReadTokens").asLong(0),
              -1));
    }
    String reason = result.path("stopReason").asText("");
    switch (reason) {
      case "end_turn" -> decide(AgentEnd.Kind.COMPLETED, events.finalText(), "");
      case "cancelled" -> {
        if (!isStopped()) {
          decide(AgentEnd.Kind.FAILED, "", "the agent has cancelled its turn");
        }
      }
      default -> decide(AgentEnd.Kind.FAILED, "", "the agent stopped its turn: " + reason);
    }
    finish();
  }

  private void failed(JsonNode error) {
    events.flush();
    if (!isStopped()) {
      String message = message(error);
      decide(
          message.contains("402") ? AgentEnd.Kind.BUDGET : AgentEnd.Kind.FAILED,
          "",
          "session/prompt: " + message);
    }
    finish();
  }

  private void finish() {
    closeInput();
    endWithin(END_BOUND);
  }

  @Override
  protected void notified(String method, JsonNode params) {
    if (method.equals("session/update")) {
      String kind = params.path("update").path("sessionUpdate").asText();
      if (!opening && !events.updated(params.path("update"))) {
        unknown(kind, params.toString());
      }
    } else if (!method.equals("_auth/status_update")) {
      unknown(method, params.toString());
    }
  }

  @Override
  protected void requested(JsonNode id, String method, JsonNode params) {
    if (method.equals("session/request_permission")) {
      approve(id, params);
    } else {
      unknown("request " + method, params.toString());
      refuse(id, method);
    }
  }

  private void approve(JsonNode id, JsonNode params) {
    JsonNode call = params.path("toolCall");
    String callId = call.path("toolCallId").asText();
    events.asked(call);
    PendingToolCalls.PendingCall known = events.call(callId);
    String tool = known == null ? AcpEventReader.name(call) : known.tool();
    ToolInput input =
        call.path("rawInput").isObject() || known == null
            ? new ToolInput(call.path("rawInput").isObject() ? call.path("rawInput") : object())
            : known.input();
    Map<String, String> options = options(params.path("options"));
    switch (launch.task().tools().judge(tool, input.main())) {
      case ALLOW -> {
        emit(new AgentEvent.ToolAllowed(callId));
        answer(id, callId, options, true);
      }
      case DENY -> answer(id, callId, options, false);
      case ASK ->
          listener()
              .decide(input.approval(callId, tool, call.path("title").asText("")))
              .whenComplete(
                  (decision, problem) ->
                      locked(
                          () ->
                              answer(id, callId, options, decision instanceof ToolDecision.Allow)));
    }
  }

  private static Map<String, String> options(JsonNode list) {
    Map<String, String> options = new LinkedHashMap<>();
    list.forEach(
        option ->
            options.putIfAbsent(option.path("kind").asText(), option.path("optionId").asText()));
    return options;
  }

  /** Selects an option for this call alone: a rule of the agent would outlive the decision. */
  private void answer(JsonNode id, String call, Map<String, String> options, boolean allowed) {
    if (!allowed) {
      events.denied(call);
    }
    String option =
        (allowed ? List.of("allow_once", "allow_always") : List.of("reject_once", "reject_always"))
            .stream().map(options::get).filter(found -> found != null).findFirst().orElse(null);
    ObjectNode result = object();
    ObjectNode outcome = result.putObject("outcome");
    if (option == null) {
      outcome.put("outcome", "cancelled");
    } else {
      outcome.put("outcome", "selected").put("optionId", option);
    }
    respond(id, result);
  }

  @Override
  protected void requestStop() {
    if (prompted) {
      notify("session/cancel", object().put("sessionId", session));
    } else {
      process().kill();
    }
  }
}
