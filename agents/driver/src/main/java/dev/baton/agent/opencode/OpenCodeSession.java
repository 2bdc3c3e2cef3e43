/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

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
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.PromptImages;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A running server of OpenCode with one session. */
final class OpenCodeSession extends OpenCodeServerSession {
  private static final Pattern LISTENING =
      Pattern.compile("listening on (http://127\\.0\\.0\\.1:\\d+)");
  private static final Duration END_BOUND = Duration.ofSeconds(5);

  /** How long a request of a permission waits for the event with the input of its call. */
  private static final Duration INPUT_WITHIN = Duration.ofSeconds(5);

  private static final int MOST_EARLY = 1_000;

  private static final int PAYMENT_REQUIRED = 402;
  private static final String ASKED = "permission.asked";

  private final AgentLaunch launch;
  private final OpenCodeHome home;
  private final OpenCodeHome.ProviderModel model;
  private final String password;
  private final OpenCodeAnswerReader answers;

  /** Null with the gateway. */
  private final @Nullable OpenCodePluginLink plugin;

  private final ArrayNode prompt;
  private final Map<String, CompletionStage<ToolDecision>> decisions = new LinkedHashMap<>();

  private final OpenCodePermissionReplier permissions = new OpenCodePermissionReplier(this::reply);

  /** Requests of permissions whose calls are not known yet. */
  private final List<JsonNode> early = new ArrayList<>();

  private volatile @Nullable OpenCodeClient client;
  private @Nullable JsonNode error;
  private boolean ending;

  private OpenCodeSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      OpenCodeHome home,
      OpenCodeHome.ProviderModel model,
      String password,
      ArrayNode prompt) {
    super(process, listener, launch);
    this.launch = launch;
    this.home = home;
    this.model = model;
    this.password = password;
    this.prompt = prompt;
    this.answers = new OpenCodeAnswerReader(this::answered);
    this.plugin =
        launch.model().isOwnLogin()
            ? new OpenCodePluginLink(
                listener,
                launch.task().tools(),
                events(),
                answers,
                new OpenCodePluginLink.SessionActions(this::locked, this::later, this::send))
            : null;
  }

  private void answered(AgentEvent answer) {
    emit(answer);
    if (plugin != null && !plugin.isSeen()) {
      fail("OpenCode does not run the plugin that holds it between two turns");
    }
  }

  static OpenCodeSession begin(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      OpenCodeHome home,
      OpenCodeHome.ProviderModel model,
      String password,
      ArrayNode prompt) {
    OpenCodeSession session =
        new OpenCodeSession(process, listener, launch, home, model, password, prompt);
    if (session.plugin == null) {
      session.closeInput();
    }
    session.limitStart();
    session.begin();
    return session;
  }

  /**
   * What a turn begins with. A message without parts continues a turn: OpenCode leaves it out of
   * the conversation, and the request is the one that was not answered.
   *
   * @throws IOException when an image cannot be read
   */
  static ArrayNode prompt(AgentLaunch launch) throws IOException {
    ArrayNode parts = Json.mapper().createArrayNode();
    String text =
        switch (launch.start()) {
          case AgentStart.Fresh(String words) -> words;
          case AgentStart.Fallback(String words, String refused) -> words;
          case AgentStart.Continue(String id, String words) -> words;
          case AgentStart.Resume resume -> null;
          case AgentStart.Fork fork -> fork.prompt();
        };
    if (text == null) {
      return parts;
    }
    for (PromptImages.PromptImage image : PromptImages.read(launch.task().images())) {
      parts
          .addObject()
          .put("type", "file")
          .put("mime", image.mediaType())
          .put("url", "data:" + image.mediaType() + ";base64," + image.base64());
    }
    parts.addObject().put("type", "text").put("text", text);
    return parts;
  }

  @Override
  protected boolean readsJson() {
    return false;
  }

  @Override
  protected void line(JsonNode line) {
    text(line.toString());
  }

  /** The server's output: its address, and warnings. */
  @Override
  protected void text(String line) {
    if (plugin != null && plugin.take(line)) {
      return;
    }
    Matcher matcher = LISTENING.matcher(line);
    if (client == null && matcher.find()) {
      OpenCodeClient server = new OpenCodeClient(URI.create(matcher.group(1)), password);
      client = server;
      end().whenComplete((_, _) -> server.close());
      Thread.ofVirtual().name("opencode-start").start(() -> open(server));
    } else {
      emit(new AgentEvent.Notice("stdout: " + TextShortener.shorten(line, ToolInput.SHORT)));
    }
  }

  private void open(OpenCodeClient server) {
    attempt(
        "opening the session",
        () -> {
          InputStream stream = server.events();
          Thread.ofVirtual().name("opencode-events").start(() -> follow(stream));
          OpenCodeSessionOpener opener = new OpenCodeSessionOpener(server, launch, home, model);
          JsonNode info = opener.open();
          Map<String, String> servers = opener.servers();
          locked(
              () -> {
                started(info, servers);
                answers.main(session());
              });
          opener.prompt(info.path("id").asText(), prompt);
        });
  }

  private void follow(InputStream stream) {
    read(stream);
    later(END_BOUND, () -> fail("the server has closed its stream of events"));
  }

  @Override
  boolean isQuestion(String type) {
    return type.equals(ASKED);
  }

  @Override
  void happened(String type, JsonNode properties) {
    if (type.equals(ASKED)) {
      asked(properties);
    } else {
      askEarlyOnes();
    }
    if (plugin != null) {
      answers.happened(type, properties);
      plugin.happened();
    }
    if (isBegun() && events().isMain(properties)) {
      if (type.equals("session.error")) {
        error = properties.path("error");
      } else if (type.equals("session.idle")) {
        idle();
      }
    }
  }

  /** The turn has ended. */
  private void idle() {
    if (ending) {
      return;
    }
    ending = true;
    JsonNode problem = error;
    if (isStopped()) {
      decide(AgentEnd.Kind.KILLED, "", "the agent was stopped");
    } else if (problem == null) {
      decide(AgentEnd.Kind.COMPLETED, events().finalText(), "");
    } else {
      String message =
          problem.path("data").path("message").asText(problem.path("name").asText("failed"));
      boolean budget = problem.path("data").path("statusCode").asInt(0) == PAYMENT_REQUIRED;
      decide(budget ? AgentEnd.Kind.BUDGET : AgentEnd.Kind.FAILED, "", message);
    }
    process().terminate();
    endWithin(END_BOUND);
  }

  /**
   * A tool may request its permission before the event with its input has come. The decision is
   * bound to the input, so it waits for that event.
   */
  private void asked(JsonNode properties) {
    String id = callOf(properties);
    if (id.isEmpty() || events().call(id) != null || early.size() >= MOST_EARLY) {
      decide(properties);
      return;
    }
    early.add(properties);
    CompletableFuture.delayedExecutor(INPUT_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
        .execute(
            () ->
                locked(
                    () -> {
                      if (early.remove(properties)) {
                        decide(properties);
                      }
                    }));
  }

  private void askEarlyOnes() {
    for (JsonNode properties : List.copyOf(early)) {
      if (events().call(callOf(properties)) != null && early.remove(properties)) {
        decide(properties);
      }
    }
  }

  private static String callOf(JsonNode properties) {
    return properties.path("tool").path("callID").asText("");
  }

  private void decide(JsonNode properties) {
    String request = properties.path("id").asText();
    String id = callOf(properties);
    PendingToolCalls.PendingCall call = events().call(id);
    String tool = call == null ? properties.path("permission").asText() : call.tool();
    ToolInput input = call == null ? new ToolInput(patterns(properties)) : call.input();
    ToolRules rules = launch.task().tools();
    permissions.requested(request);
    switch (rules.judge(tool, input.main())) {
      case ALLOW -> {
        if (rules.watches(tool, input.main())) {
          decision(id, () -> listener().begin(input.approval(id, tool, "")))
              .whenComplete(
                  (decision, problem) -> permissions.decided(request, denial(decision, problem)));
        } else {
          emit(new AgentEvent.ToolAllowed(id));
          permissions.decided(request, null);
        }
      }
      case DENY -> permissions.decided(request, "the rules of the workflow deny this call");
      case ASK ->
          decision(id, () -> listener().decideAndBegin(input.approval(id, tool, ""), rules))
              .whenComplete(
                  (decision, problem) -> permissions.decided(request, denial(decision, problem)));
    }
  }

  private static ObjectNode patterns(JsonNode properties) {
    ObjectNode input = Json.mapper().createObjectNode();
    input.set("pattern", properties.path("patterns"));
    return input;
  }

  /** OpenCode asks several times for one call: for the tool, and for a folder outside. */
  private CompletionStage<ToolDecision> decision(
      String id, Supplier<CompletionStage<ToolDecision>> request) {
    CompletionStage<ToolDecision> known = id.isEmpty() ? null : decisions.get(id);
    if (known != null) {
      return known;
    }
    CompletionStage<ToolDecision> decision = request.get();
    if (decisions.size() >= 1_000) {
      decisions.remove(decisions.keySet().iterator().next());
    }
    decisions.put(id, decision);
    return decision;
  }

  static @Nullable String denial(@Nullable ToolDecision decision, @Nullable Throwable problem) {
    return switch (decision) {
      case ToolDecision.Allow allow -> null;
      case ToolDecision.Deny(String message) -> message.isBlank() ? "denied" : message;
      case null -> "no decision: " + problem;
    };
  }

  /**
   * @param denial the message for the model; null to allow the call
   */
  private void reply(String request, @Nullable String denial) {
    OpenCodeClient server = client;
    if (server == null) {
      return;
    }
    ObjectNode body = Json.mapper().createObjectNode();
    if (denial == null) {
      body.put("reply", "once");
    } else {
      body.put("reply", "reject").put("message", denial);
    }
    attempt(
        "answering a permission",
        () -> {
          OpenCodeClient.ServerAnswer answer =
              server.post("/permission/" + request + "/reply", body);
          if (!answer.ok()) {
            throw new IOException("status " + answer.status() + ": " + answer.text());
          }
        });
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    String id = isBegun() ? null : launch.start().resumedSession();
    return id == null
        ? super.end(exit, errors)
        : new AgentEnd(
            AgentEnd.Kind.SESSION_REFUSED,
            "",
            exit,
            ("session " + id + " cannot be resumed: the server ended, exit code " + exit + ": ")
                + errors.strip());
  }

  @Override
  protected void requestStop() {
    OpenCodeClient server = client;
    if (server == null || !isBegun()) {
      process().kill();
      return;
    }
    Thread.ofVirtual().name("opencode-abort").start(() -> abort(server));
  }

  /** An answer may never come: the end of the turn ends the server. */
  private void abort(OpenCodeClient server) {
    try {
      server.post("/session/" + session() + "/abort", Json.mapper().createObjectNode());
    } catch (IOException e) {
      process().kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process().kill();
    }
  }
}
