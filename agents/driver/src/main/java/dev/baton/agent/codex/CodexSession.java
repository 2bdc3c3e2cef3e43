/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.core.JsonProcessingException;
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
import dev.baton.agent.process.JsonRpcSession;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.PromptImages;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A running app server of Codex. */
final class CodexSession extends JsonRpcSession {
  private static final Duration END_BOUND = Duration.ofSeconds(15);
  private static final int PAYMENT_REQUIRED = 402;

  private final AgentLaunch launch;
  private final CodexEventReader events;
  private final ArrayNode prompt;

  /** Null with the gateway. */
  private final @Nullable CodexHookLink hooks;

  private final Deque<CodexSubAgent> dormant = new ArrayDeque<>();
  private String thread = "";
  private String turn = "";
  private boolean ending;

  private CodexSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      ArrayNode prompt,
      @Nullable CodexHookFolder folder) {
    super(process, listener);
    this.launch = launch;
    this.prompt = prompt;
    this.events = new CodexEventReader(this::emit);
    this.hooks =
        folder == null
            ? null
            : new CodexHookLink(
                listener,
                launch.task().tools(),
                events,
                folder,
                new CodexHookLink.SessionActions(
                    this::locked, this::later, message -> endNow(AgentEnd.Kind.FAILED, message)));
  }

  /**
   * @param prompt what the turn begins with, of {@link #input}
   * @param folder of the hooks, which the session closes at its end; null with the gateway
   */
  static CodexSession begin(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      ArrayNode prompt,
      @Nullable CodexHookFolder folder) {
    CodexSession session = new CodexSession(process, listener, launch, prompt, folder);
    CodexHookLink hooks = session.hooks;
    if (hooks != null) {
      hooks.begin();
      session.end().whenComplete((_, _) -> hooks.close());
    }
    ObjectNode initialize = object();
    initialize
        .putObject("clientInfo")
        .put("name", "baton")
        .put("title", "Baton")
        .put("version", "1");
    session.locked(
        () -> session.request("initialize", initialize, result -> session.initialized()));
    session.begin();
    return session;
  }

  /** What a turn begins with; nothing to continue one. */
  static ArrayNode input(AgentLaunch launch) throws IOException {
    ArrayNode input = Json.mapper().createArrayNode();
    String text =
        switch (launch.start()) {
          case AgentStart.Fresh(String prompt) -> prompt;
          case AgentStart.Fallback(String prompt, String refused) -> prompt;
          case AgentStart.Continue(String id, String prompt) -> prompt;
          case AgentStart.Resume resume -> null;
          case AgentStart.Fork fork -> fork.prompt();
        };
    if (text != null) {
      for (PromptImages.PromptImage image : PromptImages.read(launch.task().images())) {
        input.addObject().put("type", "image").put("url", image.dataUrl());
      }
      input.addObject().put("type", "text").put("text", text);
    }
    return input;
  }

  /**
   * Returns when the agent requests approvals. Not in its configuration: a file with {@code
   * untrusted} is refused since 0.169, the same value of a request is not.
   */
  private String approvalPolicy() {
    return launch.task().tools().allowsEverything() ? "never" : "untrusted";
  }

  private ObjectNode settings() {
    ObjectNode settings =
        object()
            .put("cwd", launch.folders().workspace().toString())
            .put("modelProvider", CodexHome.provider(launch))
            .put("approvalPolicy", approvalPolicy());
    if (!launch.model().model().isEmpty()) {
      settings.put("model", launch.model().model());
    }
    if (!launch.task().system().isBlank()) {
      settings.put("developerInstructions", launch.task().system());
    }
    return settings;
  }

  private void initialized() {
    notify("initialized", object());
    Map<String, String> login = launch.model().login();
    if (login == null) {
      open();
      return;
    }
    Optional<String> key = CodexHome.key(login);
    if (key.isEmpty()) {
      trustHooks();
    } else {
      request(
          "account/login/start",
          object().put("type", "apiKey").put("apiKey", key.get()),
          done -> trustHooks());
    }
  }

  /** Codex runs the hooks of its configuration only when their digests are recorded there. */
  private void trustHooks() {
    listHooks(
        found -> {
          ObjectNode trust = object();
          found.forEach(
              hook ->
                  trust
                      .putObject(hook.path("key").asText())
                      .put("trusted_hash", hook.path("currentHash").asText()));
          ObjectNode params = object().put("reloadUserConfig", true);
          ObjectNode edit = params.putArray("edits").addObject();
          edit.put("keyPath", "hooks.state").put("mergeStrategy", "upsert").set("value", trust);
          request("config/batchWrite", params, written -> listHooks(this::openTrusted));
        });
  }

  private void listHooks(Consumer<List<JsonNode>> then) {
    ObjectNode params = object();
    params.putArray("cwds").add(launch.folders().workspace().toString());
    String source = new CodexHome(launch.folders().home()).configFile().toString();
    request(
        "hooks/list",
        params,
        result -> {
          List<JsonNode> found = new ArrayList<>();
          for (JsonNode folder : result.path("data")) {
            for (JsonNode hook : folder.path("hooks")) {
              if (hook.path("sourcePath").asText().equals(source)) {
                found.add(hook);
              }
            }
          }
          then.accept(found);
        });
  }

  private void openTrusted(List<JsonNode> found) {
    long usable =
        found.stream()
            .filter(
                hook ->
                    hook.path("trustStatus").asText().equals("trusted")
                        && hook.path("enabled").asBoolean())
            .count();
    if (usable == CodexHookLink.EVENTS.size()) {
      open();
    } else {
      endNow(
          AgentEnd.Kind.FAILED,
          "Codex %s runs %d of the hooks %s, which hold it between two turns without the gateway; use a release that runs all of them, such as 0.169"
              .formatted(
                  launch.program().version(), usable, String.join(", ", CodexHookLink.EVENTS)));
    }
  }

  private void open() {
    ObjectNode params = settings();
    switch (launch.start()) {
      case AgentStart.Fresh fresh -> request("thread/start", params, result -> started(result, ""));
      case AgentStart.Fallback fallback ->
          request("thread/start", params, result -> started(result, ""));
      case AgentStart.Resume(String id) -> resume(params, id);
      case AgentStart.Continue(String id, String text) -> resume(params, id);
      case AgentStart.Fork fork -> resume(params, fork.to());
    }
  }

  private void resume(ObjectNode params, String id) {
    try {
      dormant.addAll(CodexSubAgent.of(new CodexHome(launch.folders().home()).sessions(), id));
    } catch (IOException e) {
      refused("its sub-agents cannot be read: " + e.getMessage());
      return;
    }
    params.put("threadId", id).put("excludeTurns", true);
    request(
        "thread/resume",
        params,
        result -> started(result, id),
        error -> refused("thread/resume: " + error.path("message").asText()));
  }

  private void refused(String reason) {
    endNow(AgentEnd.Kind.SESSION_REFUSED, reason);
  }

  private void started(JsonNode result, String asked) {
    thread = result.path("thread").path("id").asText();
    if (!asked.isEmpty() && !thread.equals(asked)) {
      refused("the agent took session " + thread + " instead of " + asked);
      return;
    }
    events.main(thread);
    emit(
        new AgentEvent.SessionStarted(
            thread,
            "codex",
            launch.program().version(),
            result.path("model").asText(launch.model().model()),
            Map.of()));
    wakeSubAgents();
  }

  /**
   * Loads the threads of the sub-agents: the session may wait for any of them. Those that were
   * within a turn continue it. Then the turn of the session continues.
   */
  private void wakeSubAgents() {
    CodexSubAgent next = dormant.poll();
    if (next == null) {
      startTurn();
      return;
    }
    request(
        "thread/resume",
        settings().put("threadId", next.thread()).put("excludeTurns", true),
        result -> {
          if (next.working()) {
            ObjectNode params = thread(next.thread());
            params.putArray("input");
            request("turn/start", params, started -> wakeSubAgents(), error -> lost(next, error));
          } else {
            wakeSubAgents();
          }
        },
        error -> lost(next, error));
  }

  private void lost(CodexSubAgent agent, JsonNode error) {
    emit(
        new AgentEvent.Notice(
            "sub-agent %s cannot continue: %s"
                .formatted(agent.thread(), error.path("message").asText())));
    wakeSubAgents();
  }

  private static ObjectNode thread(String id) {
    return object().put("threadId", id);
  }

  private void startTurn() {
    ObjectNode params = thread(thread);
    params.set("input", prompt);
    if (!launch.task().outputSchema().isBlank()) {
      try {
        params.set("outputSchema", Json.mapper().readTree(launch.task().outputSchema()));
      } catch (JsonProcessingException e) {
        endNow(AgentEnd.Kind.FAILED, "the output schema is not JSON: " + e.getOriginalMessage());
        return;
      }
    }
    request("turn/start", params, turnResult -> turn = turnResult.path("turn").path("id").asText());
  }

  @Override
  protected void notified(String method, JsonNode params) {
    switch (method) {
      case "turn/completed" -> {
        if (params.path("threadId").asText().equals(thread)) {
          completed(params.path("turn"));
        }
      }
      case "error" -> failing(params);
      case "hook/started" -> {
        if (hooks != null) {
          hooks.started(params.path("run").path("eventName").asText());
        }
      }
      default -> {
        if (!events.notified(method, params)) {
          unknown(method, params.toString());
        }
      }
    }
  }

  private void failing(JsonNode params) {
    JsonNode error = params.path("error");
    String details = error.path("additionalDetails").asText(error.path("message").asText());
    if (CodexEventReader.status(error) == PAYMENT_REQUIRED) {
      // Codex would repeat the request for ten seconds.
      decide(AgentEnd.Kind.BUDGET, "", details);
      finish();
    } else {
      emit(new AgentEvent.Notice("request of the model: failed: " + details));
    }
  }

  private void completed(JsonNode turnNode) {
    switch (turnNode.path("status").asText()) {
      case "completed" -> decide(AgentEnd.Kind.COMPLETED, events.finalText(turnNode), "");
      case "interrupted" -> {
        if (!isStopped()) {
          decide(AgentEnd.Kind.FAILED, "", "the turn was interrupted");
        }
      }
      default ->
          decide(AgentEnd.Kind.FAILED, "", turnNode.path("error").path("message").asText("failed"));
    }
    finish();
  }

  private void finish() {
    if (!ending) {
      ending = true;
      closeInput();
      endWithin(END_BOUND);
    }
  }

  @Override
  protected void requested(JsonNode id, String method, JsonNode params) {
    switch (method) {
      case "item/commandExecution/requestApproval", "item/fileChange/requestApproval" ->
          approve(id, params);
      case "mcpServer/elicitation/request" -> respond(id, object().put("action", "decline"));
      default -> {
        unknown("request " + method, params.toString());
        refuse(id, method);
      }
    }
  }

  private void approve(JsonNode id, JsonNode params) {
    String item = params.path("itemId").asText();
    PendingToolCalls.PendingCall call = events.call(item);
    String tool = call == null ? "shell" : call.tool();
    ToolInput input =
        call == null
            ? new ToolInput(object().put("command", params.path("command").asText()))
            : call.input();
    ToolRules.Verdict verdict = launch.task().tools().judge(tool, input.main());
    switch (verdict) {
      case ALLOW -> {
        if (hooks == null) {
          emit(new AgentEvent.ToolAllowed(item));
          respond(id, object().put("decision", "accept"));
        } else {
          listener()
              .begin(input.approval(item, tool, ""))
              .whenComplete((decision, problem) -> locked(() -> decided(id, decision)));
        }
      }
      case DENY -> respond(id, object().put("decision", "decline"));
      case ASK ->
          listener()
              .decide(input.approval(item, tool, params.path("reason").asText("")))
              .whenComplete((decision, problem) -> locked(() -> decided(id, decision)));
    }
  }

  private void decided(JsonNode id, @Nullable ToolDecision decision) {
    respond(
        id,
        object().put("decision", decision instanceof ToolDecision.Allow ? "accept" : "decline"));
  }

  @Override
  protected void requestStop() {
    if (turn.isEmpty()) {
      process().kill();
      return;
    }
    request(
        "turn/interrupt",
        object().put("threadId", thread).put("turnId", turn),
        result -> {},
        error -> process().kill());
  }
}
