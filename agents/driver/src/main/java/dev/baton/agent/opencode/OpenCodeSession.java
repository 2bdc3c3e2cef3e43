/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

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
import dev.baton.agent.process.OutputLineReader;
import dev.baton.agent.process.PendingToolCalls;
import dev.baton.agent.process.ProcessAgentSession;
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
final class OpenCodeSession extends ProcessAgentSession {
  private static final Pattern LISTENING =
      Pattern.compile("listening on (http://127\\.0\\.0\\.1:\\d+)");
  private static final Duration START_BOUND = Duration.ofSeconds(120);
  private static final Duration END_BOUND = Duration.ofSeconds(5);

  /** How long a request of a permission waits for the event with the input of its call. */
  private static final Duration INPUT_WITHIN = Duration.ofSeconds(5);

  private static final int MOST_EARLY = 1_000;

  /** The longest event; the server shortens outputs of tools. */
  private static final int MOST_EVENT = 16 << 20;

  /** Messages in which a boundary is searched. */
  private static final int NEWEST_MESSAGES = 30;

  private static final int PAYMENT_REQUIRED = 402;
  private static final String DATA = "data:";

  private final AgentLaunch launch;
  private final OpenCodeHome home;
  private final OpenCodeHome.ProviderModel model;
  private final String password;
  private final OpenCodeEventReader events;
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
  private String session = "";
  private boolean begun;
  private boolean ending;

  private OpenCodeSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      OpenCodeHome home,
      OpenCodeHome.ProviderModel model,
      String password,
      ArrayNode prompt) {
    super(process, listener);
    this.launch = launch;
    this.home = home;
    this.model = model;
    this.password = password;
    this.prompt = prompt;
    this.events = new OpenCodeEventReader(this::emit);
    this.answers = new OpenCodeAnswerReader(this::answered);
    this.plugin =
        launch.model().isOwnLogin()
            ? new OpenCodePluginLink(
                listener,
                launch.task().tools(),
                events,
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
    session.later(START_BOUND, session::endWithoutSession);
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

  private void endWithoutSession() {
    if (!begun) {
      fail("the server has not opened its session within " + START_BOUND.toSeconds() + " s");
    }
  }

  private void fail(String message) {
    endNow(AgentEnd.Kind.FAILED, message);
  }

  private void refuse(String message) {
    endNow(AgentEnd.Kind.SESSION_REFUSED, message);
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

  /** A request to the server, from a thread of its own. */
  @FunctionalInterface
  private interface ServerRequest {
    void run() throws IOException, InterruptedException;
  }

  private void attempt(String what, ServerRequest request) {
    try {
      request.run();
    } catch (IOException e) {
      locked(() -> fail(what + ": " + e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      locked(() -> fail(what + ": interrupted"));
    }
  }

  private void open(OpenCodeClient server) {
    attempt(
        "opening the session",
        () -> {
          InputStream stream = server.events();
          Thread.ofVirtual().name("opencode-events").start(() -> follow(stream));
          JsonNode info = session(server);
          if (info == null) {
            return;
          }
          Map<String, String> servers = servers(server);
          locked(() -> started(info, servers));
          prompt(server, info.path("id").asText());
        });
  }

  /** Creates or finds the session; null when it was refused. */
  private @Nullable JsonNode session(OpenCodeClient server)
      throws IOException, InterruptedException {
    return switch (launch.start()) {
      case AgentStart.Fresh fresh -> created(server);
      case AgentStart.Fallback fallback -> created(server);
      case AgentStart.Resume(String id) -> found(server, id);
      case AgentStart.Continue(String id, String text) -> found(server, id);
      case AgentStart.Fork fork -> forked(server, fork.from());
    };
  }

  /** Copies the session with its messages; the server chooses the new id. */
  private @Nullable JsonNode forked(OpenCodeClient server, String from)
      throws IOException, InterruptedException {
    if (found(server, from) == null) {
      return null;
    }
    OpenCodeClient.ServerAnswer answer =
        server.post("/session/" + from + "/fork", Json.mapper().createObjectNode());
    if (!answer.ok() || answer.body() == null) {
      String problem = "status " + answer.status() + ": " + answer.text();
      locked(() -> refuse("session " + from + " cannot be forked: " + problem));
      return null;
    }
    return answer.body();
  }

  private JsonNode created(OpenCodeClient server) throws IOException, InterruptedException {
    // A session with a title needs no call of the model for one.
    OpenCodeClient.ServerAnswer answer =
        server.post("/session", Json.mapper().createObjectNode().put("title", launch.step()));
    if (!answer.ok() || answer.body() == null) {
      throw new IOException("/session: status " + answer.status() + ": " + answer.text());
    }
    return answer.body();
  }

  private @Nullable JsonNode found(OpenCodeClient server, String id)
      throws IOException, InterruptedException {
    OpenCodeClient.ServerAnswer answer = server.get("/session/" + id);
    JsonNode info = answer.body();
    String problem =
        !answer.ok() || info == null
            ? "status " + answer.status() + ": " + answer.text()
            : mismatch(server, info, id);
    if (problem != null) {
      locked(() -> refuse("session " + id + " cannot be resumed: " + problem));
      return null;
    }
    return info;
  }

  private @Nullable String mismatch(OpenCodeClient server, JsonNode info, String id)
      throws IOException, InterruptedException {
    if (!info.path("id").asText().equals(id)) {
      return "the agent took session " + info.path("id").asText();
    }
    String folder = info.path("directory").asText();
    if (!folder.equals(launch.folders().workspace().toString())) {
      return "it works in '" + folder + "', not in '" + launch.folders().workspace() + "'";
    }
    OpenCodeBoundary boundary = OpenCodeBoundary.read(home.boundary());
    if (boundary == null || launch.start() instanceof AgentStart.Continue) {
      return null;
    }
    OpenCodeClient.ServerAnswer messages =
        server.get("/session/" + id + "/message?limit=" + NEWEST_MESSAGES);
    return !messages.ok() || messages.body() == null
        ? "its messages cannot be read, status " + messages.status() + ": " + messages.text()
        : boundary.problem(messages.body());
  }

  private Map<String, String> servers(OpenCodeClient server)
      throws IOException, InterruptedException {
    Map<String, String> states = new LinkedHashMap<>();
    if (!launch.task().mcp().isEmpty()) {
      OpenCodeClient.ServerAnswer answer = server.get("/mcp");
      if (answer.ok() && answer.body() != null) {
        answer
            .body()
            .properties()
            .forEach(
                entry ->
                    states.put(entry.getKey(), entry.getValue().path("status").asText("unknown")));
      }
    }
    return states;
  }

  private void started(JsonNode info, Map<String, String> servers) {
    begun = true;
    session = info.path("id").asText();
    events.main(session);
    answers.main(session);
    emit(
        new AgentEvent.SessionStarted(
            session, "opencode", launch.program().version(), launch.model().model(), servers));
  }

  private void prompt(OpenCodeClient server, String id) throws IOException, InterruptedException {
    ObjectNode message = Json.mapper().createObjectNode();
    message.putObject("model").put("providerID", model.provider()).put("modelID", model.model());
    if (!launch.task().system().isBlank()) {
      message.put("system", launch.task().system());
    }
    if (!launch.task().outputSchema().isBlank()) {
      try {
        message
            .putObject("format")
            .put("type", "json_schema")
            .set("schema", Json.checkedTree(launch.task().outputSchema()));
      } catch (JsonProcessingException e) {
        throw new IOException("the output schema is not JSON: " + e.getOriginalMessage(), e);
      }
    }
    message.set("parts", prompt);
    OpenCodeClient.ServerAnswer answer = server.post("/session/" + id + "/prompt_async", message);
    if (!answer.ok()) {
      throw new IOException("prompt_async: status " + answer.status() + ": " + answer.text());
    }
  }

  private void follow(InputStream stream) {
    try (stream) {
      OutputLineReader reader = new OutputLineReader(stream, MOST_EVENT);
      for (OutputLineReader.OutputLine next = reader.next(); next != null; next = reader.next()) {
        OutputLineReader.OutputLine line = next;
        if (line.text().startsWith(DATA)) {
          locked(() -> event(line));
        }
      }
    } catch (IOException e) {
      // The server has ended, or this session has closed the stream.
    }
    later(END_BOUND, () -> fail("the server has closed its stream of events"));
  }

  private void event(OutputLineReader.OutputLine line) {
    String text = line.text().substring(DATA.length());
    if (line.dropped() > 0) {
      unknown("too_long", text);
      return;
    }
    JsonNode json;
    try {
      json = Json.mapper().readTree(text);
    } catch (JsonProcessingException e) {
      unknown("garbage", text);
      return;
    }
    String type = json.path("type").asText();
    JsonNode properties = json.path("properties");
    if (type.equals("permission.asked")) {
      asked(properties);
    } else if (!events.happened(type, properties)) {
      unknown(type, text);
    } else {
      askEarlyOnes();
    }
    if (plugin != null) {
      answers.happened(type, properties);
      plugin.happened();
    }
    if (begun && events.isMain(properties)) {
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
      decide(AgentEnd.Kind.COMPLETED, events.finalText(), "");
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
    if (id.isEmpty() || events.call(id) != null || early.size() >= MOST_EARLY) {
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
      if (events.call(callOf(properties)) != null && early.remove(properties)) {
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
    PendingToolCalls.PendingCall call = events.call(id);
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
    String id = begun ? null : launch.start().resumedSession();
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
    if (server == null || !begun) {
      process().kill();
      return;
    }
    Thread.ofVirtual().name("opencode-abort").start(() -> abort(server));
  }

  /** An answer may never come: the end of the turn ends the server. */
  private void abort(OpenCodeClient server) {
    try {
      server.post("/session/" + session + "/abort", Json.mapper().createObjectNode());
    } catch (IOException e) {
      process().kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process().kill();
    }
  }
}
