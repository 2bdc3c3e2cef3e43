/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.wire.MessagesForm;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.SseEventReader;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A model of an agent, with parallel calls and a sub-agent, dies at random moments together with
 * its gateway, and is resumed from the newest boundary and the answers journaled since: every
 * effect happens once, and no answer is paid twice but one that was coming when it died.
 */
class AgentDeathTest {
  private static final int CONVERSATIONS = Integer.getInteger("baton.gateway.conversations", 25);
  private static final int MAX_KILLS = 8;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  /** Ends an agent and its gateway, as SIGKILL of their processes would. */
  private static final class DeathException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** What happens to the run: its log, which outlives the runner. A file of JSON lines. */
  private static final class RunLog {
    private final Path file;
    private @Nullable Object writer;
    private int answers;

    RunLog(Path file) {
      this.file = file;
    }

    synchronized void open(Object epoch) {
      writer = epoch;
    }

    /** Appends, unless the writer is dead. */
    synchronized void append(Object epoch, String type, Object value) throws IOException {
      if (writer != epoch) {
        throw new IOException("fenced");
      }
      ObjectNode line = Json.mapper().createObjectNode().put("type", type);
      line.set("value", Json.mapper().valueToTree(value));
      Files.write(
          file,
          (line + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      if (type.equals("answer")) {
        answers++;
      }
    }

    synchronized int answers() {
      return answers;
    }

    synchronized List<JsonNode> lines() throws IOException {
      List<JsonNode> lines = new ArrayList<>();
      if (Files.exists(file)) {
        for (String line : Files.readAllLines(file)) {
          lines.add(Json.mapper().readTree(line));
        }
      }
      return lines;
    }
  }

  /** The state of the agent that a cut contains: its transcript and the files of its tools. */
  private static final class AgentHome {
    final ArrayNode transcript;
    final List<String> files;

    AgentHome(ArrayNode transcript, List<String> files) {
      this.transcript = transcript;
      this.files = files;
    }

    synchronized ObjectNode copy() {
      ObjectNode copy = Json.mapper().createObjectNode();
      copy.set("transcript", transcript.deepCopy());
      ArrayNode all = copy.putArray("files");
      files.forEach(all::add);
      return copy;
    }
  }

  /** One life of the agent and its gateway. */
  private final class AgentLife {
    private final Random random;
    private final RunLog log;
    private final AgentHome home;
    private final ModelGateway gateway;
    private final GatewaySession session;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Thread agent = Thread.currentThread();
    private int ticksLeft;
    private volatile boolean dead;
    private boolean ended;

    AgentLife(
        Random random,
        RunLog log,
        AgentHome home,
        List<JournaledAnswer> answers,
        ScriptedModelServer endpoint,
        int ticks)
        throws IOException {
      this.random = random;
      this.log = log;
      this.home = home;
      this.ticksLeft = ticks;
      log.open(this);
      gateway =
          ModelGateway.start(
              GatewayConfig.of(
                      Map.of(
                          "anthropic-messages",
                          new ModelUpstream(endpoint.baseUrl(), null, Map.of())))
                  .withRetries(GatewayRig.FAST),
              reference -> "",
              Clock.systemUTC(),
              GatewayObserver.NONE);
      SpendLedger ledger =
          new SpendLedger(
              "01run",
              SpendBudget.UNLIMITED,
              ModelPriceTable.standard(),
              Clock.systemUTC(),
              SpendTotal.NONE);
      session =
          gateway.open(
              new SessionSpec(
                  "01run",
                  1,
                  "work",
                  AgentFamily.CLAUDE,
                  ledger,
                  answers,
                  answer -> {
                    tick();
                    log.append(this, "answer", answer);
                    tick();
                  },
                  point -> {
                    tick();
                    ObjectNode copy = home.copy();
                    tick();
                    log.append(this, "cut", copy);
                    tick();
                  },
                  max -> LeaseGate.Standing.HELD,
                  GatewayObserver.NONE));
    }

    /** One of the moments at which the agent may die. */
    private void tick() {
      synchronized (log) {
        if (!dead && --ticksLeft < 0) {
          dead = true;
          log.open(new Object());
        }
      }
      if (dead) {
        synchronized (log) {
          if (!ended) {
            agent.interrupt();
          }
        }
        throw new DeathException();
      }
    }

    void run() throws IOException, InterruptedException {
      converse(home.transcript, "main");
    }

    private String converse(ArrayNode messages, String name)
        throws IOException, InterruptedException {
      while (true) {
        tick();
        ObjectNode answer = request(messages, name);
        tick();
        ObjectNode message = Json.mapper().createObjectNode().put("role", "assistant");
        message.set("content", answer.path("content"));
        synchronized (home) {
          messages.add(message);
        }
        ObjectNode results = Json.mapper().createObjectNode().put("role", "user");
        ArrayNode content = results.putArray("content");
        for (JsonNode block : answer.path("content")) {
          if (block.path("type").asText().equals("tool_use")) {
            content
                .addObject()
                .put("type", "tool_result")
                .put("tool_use_id", block.path("id").asText())
                .put("content", execute(block));
          }
        }
        if (content.isEmpty()) {
          return answer.path("content").path(0).path("text").asText();
        }
        synchronized (home) {
          messages.add(results);
        }
      }
    }

    private String execute(JsonNode call) throws IOException, InterruptedException {
      tick();
      String label = call.path("input").path("label").asText();
      if (call.path("name").asText().equals("Task")) {
        ArrayNode messages = Json.mapper().createArrayNode();
        messages.addObject().put("role", "user").put("content", label);
        return converse(messages, label);
      }
      synchronized (home) {
        if (dead) {
          throw new DeathException();
        }
        home.files.add(label);
      }
      tick();
      return "did " + label;
    }

    private ObjectNode request(ArrayNode messages, String name)
        throws IOException, InterruptedException {
      ObjectNode body = Json.mapper().createObjectNode();
      body.put("model", "claude-sonnet-4-5").put("max_tokens", 1_000).put("stream", true);
      body.putArray("system")
          .addObject()
          .put("type", "text")
          .put("text", "the environment is " + random.nextInt());
      body.putArray("tools").addObject().put("name", "Write");
      body.set("messages", messages.deepCopy());
      HttpRequest.Builder request =
          HttpRequest.newBuilder(gateway.baseUrl().resolve("/v1/messages?beta=true"))
              .timeout(Duration.ofSeconds(30))
              .header("x-api-key", session.token())
              .header("x-claude-code-session-id", "s")
              .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)));
      if (!name.equals("main")) {
        request.header("x-claude-code-agent-id", name + "-" + random.nextInt());
      }
      List<SseEvent> events = new ArrayList<>();
      HttpResponse<java.io.InputStream> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        throw new IOException("status " + response.statusCode());
      }
      try (java.io.InputStream in = response.body()) {
        SseEventReader reader = new SseEventReader(in, 1 << 20);
        for (SseEvent event = reader.next(); event != null; event = reader.next()) {
          if (!"ping".equals(event.name())) {
            events.add(event);
            tick();
          }
        }
      }
      MessagesForm form = new MessagesForm();
      if (!form.isComplete(events)) {
        throw new IOException("incomplete");
      }
      return form.assemble(events);
    }

    void end() {
      synchronized (log) {
        dead = true;
        ended = true;
        log.open(new Object());
      }
      Thread.interrupted();
      gateway.close();
      client.shutdownNow();
      Thread.interrupted();
    }
  }

  /** The scripts of a session: main conversation and sub-agents, by their opening text. */
  private static Map<String, List<ScriptedReply>> scripts(Random random) {
    Map<String, List<ScriptedReply>> scripts = new HashMap<>();
    List<ScriptedReply> main = new ArrayList<>();
    int turns = 3 + random.nextInt(6);
    for (int turn = 0; turn < turns; turn++) {
      ScriptedReply reply = ScriptedReply.empty();
      if (random.nextBoolean()) {
        reply = reply.with(new ReplyPart.Thinking("thinking about turn " + turn));
      }
      if (random.nextBoolean()) {
        reply = reply.with(new ReplyPart.Text("Now turn " + turn));
      }
      int calls = 1 + random.nextInt(3);
      for (int call = 0; call < calls; call++) {
        String label = "main " + turn + " " + call;
        if (random.nextInt(5) == 0) {
          List<ScriptedReply> sub = new ArrayList<>();
          int subTurns = 1 + random.nextInt(3);
          for (int i = 0; i < subTurns; i++) {
            sub.add(write(ScriptedReply.empty(), "sub of " + label + " " + i));
          }
          sub.add(ScriptedReply.text("sub-agent is done"));
          scripts.put("task " + label, sub);
          reply = reply.with(new ReplyPart.ToolCall("Task", "{\"label\":\"task " + label + "\"}"));
        } else {
          reply = write(reply, label);
        }
      }
      main.add(reply);
    }
    main.add(ScriptedReply.text("all done"));
    scripts.put("go", main);
    return scripts;
  }

  private static ScriptedReply write(ScriptedReply reply, String label) {
    return reply.with(new ReplyPart.ToolCall("Write", "{\"label\":\"" + label + "\"}"));
  }

  private static ModelScript script(Map<String, List<ScriptedReply>> scripts) {
    return request -> {
      String opening = request.body().path("messages").path(0).path("content").asText();
      List<ScriptedReply> replies = scripts.getOrDefault(opening, List.of());
      return replies.get(Math.min(request.turn(), replies.size() - 1));
    };
  }

  @Test
  void shouldKeepEffectsAndPayOnceOverDeaths() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("agent deaths: -Dbaton.seed=" + seed);
    int killed = 0;
    int lost = 0;
    for (int i = 0; i < CONVERSATIONS; i++) {
      Random random = new Random(seed + i);
      Map<String, List<ScriptedReply>> scripts = scripts(random);
      Outcome undisturbed = run(scripts, random, folder.resolve("calm-" + i), 0);
      Outcome disturbed = run(scripts, random, folder.resolve("killed-" + i), MAX_KILLS);
      assertThat(disturbed.files)
          .as("conversation %d of seed %d", i, seed)
          .isEqualTo(undisturbed.files)
          .doesNotHaveDuplicates();
      // Each answer that was journaled is paid once; others only if they were coming at a kill.
      assertThat(disturbed.answers)
          .as("answers of conversation %d of seed %d, %d kills", i, seed, disturbed.kills)
          .isEqualTo(undisturbed.calls);
      assertThat(disturbed.calls - disturbed.answers)
          .as("lost answers of conversation %d of seed %d", i, seed)
          .isBetween(0, disturbed.kills);
      killed += disturbed.kills;
      lost += disturbed.calls - disturbed.answers;
    }
    System.out.printf(
        "agent deaths: %d conversations, %d kills, %d answers paid again since they were coming%n",
        CONVERSATIONS, killed, lost);
    assertThat(killed).isGreaterThan(CONVERSATIONS);
  }

  /**
   * @param answers number of journaled answers
   */
  private record Outcome(List<String> files, int calls, int kills, int answers) {}

  private Outcome run(
      Map<String, List<ScriptedReply>> scripts, Random random, Path file, int maxKills)
      throws IOException, InterruptedException {
    RunLog log = new RunLog(file);
    int kills = 0;
    try (ScriptedModelServer endpoint = ScriptedModelServer.start(script(scripts))) {
      while (true) {
        List<JournaledAnswer> answers = new ArrayList<>();
        AgentHome home = restored(log.lines(), answers, random);
        int ticks = kills < maxKills ? random.nextInt(120) : Integer.MAX_VALUE;
        AgentLife life = new AgentLife(random, log, home, answers, endpoint, ticks);
        boolean done = false;
        try {
          life.run();
          done = true;
        } catch (DeathException | IOException | InterruptedException e) {
          if (!life.dead) {
            throw e;
          }
        } finally {
          life.end();
        }
        if (done) {
          return new Outcome(
              List.copyOf(home.files), endpoint.requests().size(), kills, log.answers());
        }
        kills++;
      }
    }
  }

  /** The state of the newest cut, with what an agent adds and changes when it resumes. */
  private static AgentHome restored(
      List<JsonNode> lines, List<JournaledAnswer> answers, Random random) throws IOException {
    ArrayNode transcript = Json.mapper().createArrayNode();
    List<String> files = new ArrayList<>();
    boolean resumed = false;
    for (JsonNode line : lines) {
      JsonNode value = line.path("value");
      if (line.path("type").asText().equals("answer")) {
        answers.add(Json.mapper().treeToValue(value, JournaledAnswer.class));
      } else {
        resumed = true;
        answers.clear();
        files.clear();
        value.path("files").forEach(name -> files.add(name.asText()));
        transcript = (ArrayNode) value.path("transcript");
      }
    }
    if (!resumed) {
      transcript.addObject().put("role", "user").put("content", "go");
      return new AgentHome(transcript, files);
    }
    boolean forgetsThinking = random.nextBoolean();
    for (JsonNode message : transcript) {
      if (forgetsThinking && message.path("content") instanceof ArrayNode content) {
        for (int i = content.size() - 1; i >= 0; i--) {
          if (content.get(i).path("type").asText().equals("thinking")) {
            content.remove(i);
          }
        }
      }
    }
    transcript
        .addObject()
        .put("role", "user")
        .putArray("content")
        .addObject()
        .put("type", "text")
        .put("text", "Continue from where you left off." + (random.nextBoolean() ? "\n" : ""));
    return new AgentHome(transcript, files);
  }
}
