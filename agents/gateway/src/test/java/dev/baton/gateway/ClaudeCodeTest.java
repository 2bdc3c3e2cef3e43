/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.gateway.boundary.BoundaryPoint;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real Claude Code before the gateway, killed and resumed. Skipped unless {@code
 * -Dbaton.agents=FOLDER} names a folder in which npm has installed {@code
 * \@anthropic-ai/claude-code-linux-x64}.
 */
class ClaudeCodeTest {
  private static final String SESSION = "11111111-2222-4333-8444-555555555555";
  private static final Path PROGRAM =
      Path.of(System.getProperty("baton.agents", "/none"))
          .resolve("node_modules/@anthropic-ai/claude-code-linux-x64/claude");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @BeforeEach
  void find() {
    assumeTrue(Files.isExecutable(PROGRAM), "Claude Code is not installed in -Dbaton.agents");
  }

  private static ScriptedReply bash(ScriptedReply reply, String word) {
    return reply.with(
        new ReplyPart.ToolCall(
            "Bash",
            "{\"command\":\"echo %s >> out.txt\",\"description\":\"Writes %s\"}"
                .formatted(word, word)));
  }

  private static final List<ScriptedReply> SCRIPT =
      List.of(
          bash(ScriptedReply.text("one"), "a"),
          bash(bash(ScriptedReply.text("two and three"), "b"), "c"),
          bash(ScriptedReply.empty(), "d"),
          bash(bash(bash(ScriptedReply.text("three calls"), "e"), "f"), "g"),
          bash(ScriptedReply.text("last"), "h"),
          ScriptedReply.text("all done"));

  @Test
  void shouldReplayAnswersAndKeepEffectsOverKills() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            request -> ModelScript.byTurn(SCRIPT).reply(request).slowly(Duration.ofMillis(5)))) {
      Path home = folder.resolve("home");
      Path work = folder.resolve("work");
      AtomicInteger cuts = new AtomicInteger();
      AtomicInteger journaledBefore = new AtomicInteger();
      rig.boundaries(
          point -> {
            awaitResults(home, point);
            Path cut = folder.resolve("cut-" + (cuts.get() + 1));
            delete(cut);
            copy(home, cut.resolve("home"));
            copy(work, cut.resolve("work"));
            journaledBefore.set(rig.journal.answers().size());
            cuts.incrementAndGet();
          });
      int kills = 0;
      for (int killAt : new int[] {2, 3, 4, 6, Integer.MAX_VALUE}) {
        delete(home);
        delete(work);
        Path cut = folder.resolve("cut-" + cuts.get());
        boolean resumes = false;
        if (cuts.get() > 0) {
          copy(cut.resolve("home"), home);
          copy(cut.resolve("work"), work);
          resumes = hasTranscript(home);
        }
        Files.createDirectories(home);
        Files.createDirectories(work);
        List<JournaledAnswer> all = rig.journal.answers();
        GatewaySession session =
            rig.open(
                rig.gateway, all.subList(journaledBefore.get(), all.size()), AgentFamily.CLAUDE);
        Process agent = start(rig, session, home, work, resumes);
        boolean killed = await(rig, agent, killAt);
        session.close();
        System.out.printf(
            "claude: resumed %s, killed %s, %d cuts, %d journaled, %d requests, out.txt %s%n",
            resumes,
            killed,
            cuts.get(),
            rig.journal.answers().size(),
            rig.endpoint.requests().size(),
            Files.exists(work.resolve("out.txt"))
                ? Files.readAllLines(work.resolve("out.txt"))
                : "none");
        kills += killed ? 1 : 0;
        if (!killed) {
          break;
        }
      }

      System.out.println("claude: " + rig.seen());
      assertThat(kills).isGreaterThanOrEqualTo(3);
      assertThat(Files.readAllLines(work.resolve("out.txt")))
          .containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "g", "h");
      assertThat(rig.endpoint.requests()).hasSize(SCRIPT.size());
      assertThat(rig.seen()).contains("replayed").noneMatch(e -> e.startsWith("diverged"));
    }
  }

  /** Waits until the agent has ended, or kills it when enough answers are journaled. */
  private static boolean await(GatewayRig rig, Process agent, int killAt) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (agent.isAlive() && System.nanoTime() < end) {
      if (rig.journal.answers().size() >= killAt) {
        List<ProcessHandle> all = new ArrayList<>(agent.descendants().toList());
        agent.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
        agent.waitFor();
        for (ProcessHandle tool : all) {
          tool.onExit().get(60, TimeUnit.SECONDS);
        }
        return true;
      }
      Thread.sleep(2);
    }
    assertThat(agent.isAlive()).as("the agent ends in time").isFalse();
    return false;
  }

  private Process start(
      GatewayRig rig, GatewaySession session, Path home, Path work, boolean resumes)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(PROGRAM.toString(), "-p"));
    if (resumes) {
      command.addAll(List.of("--resume=" + SESSION, "--input-format", "stream-json"));
    } else {
      command.addAll(List.of("go", "--session-id=" + SESSION));
    }
    command.addAll(
        List.of(
            "--output-format",
            "stream-json",
            "--verbose",
            "--model",
            "claude-sonnet-4-5",
            "--permission-mode",
            "bypassPermissions"));
    ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile());
    Map<String, String> environment = builder.environment();
    environment
        .keySet()
        .removeIf(name -> name.startsWith("CLAUDE") || name.startsWith("ANTHROPIC"));
    environment.put("ANTHROPIC_BASE_URL", rig.gateway.baseUrl().toString());
    environment.put("ANTHROPIC_API_KEY", session.token());
    environment.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    environment.put("DISABLE_AUTOUPDATER", "1");
    environment.put("CLAUDE_CONFIG_DIR", home.toString());
    environment.put("CLAUDE_CODE_PROJECT_DIR_NAME", "x");
    environment.put("CLAUDE_CODE_TMPDIR", folder.resolve("tmp").toString());
    environment.put("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    environment.put("CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "1");
    environment.put("IS_SANDBOX", "1");
    Files.createDirectories(folder.resolve("tmp"));
    Path log = folder.resolve("claude.log");
    builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    Process agent = builder.start();
    agent.getOutputStream().close();
    return agent;
  }

  private static @Nullable Path transcript(Path home) throws IOException {
    Path file = home.resolve("projects/x/" + SESSION + ".jsonl");
    return Files.exists(file) ? file : null;
  }

  private static boolean hasTranscript(Path home) throws IOException {
    return transcript(home) != null;
  }

  private static void awaitResults(Path home, BoundaryPoint point)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
    while (System.nanoTime() < end) {
      Path file = transcript(home);
      String text = file == null ? "" : Files.readString(file, StandardCharsets.UTF_8);
      if (file != null
          && point.lastCalls().stream()
              .allMatch(id -> text.contains("\"tool_use_id\":\"" + id + "\""))) {
        return;
      }
      Thread.sleep(5);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    if (!Files.exists(from)) {
      return;
    }
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else if (Files.isRegularFile(file)) {
          Files.copy(file, target);
        }
      }
    }
  }

  private static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
