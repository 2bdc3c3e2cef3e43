/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.acp;

import dev.baton.agent.AgentLaunch;
import dev.baton.agent.StateFiles;
import dev.baton.agent.claude.ClaudeTranscript;
import dev.baton.agent.process.AgentEnvironment;
import dev.baton.agent.process.SessionRenamer;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folders and environment of an agent that speaks ACP: where the well-known agents keep their
 * files, and a folder for the others.
 *
 * @param home of the step
 */
record AcpHome(Path home) {
  private static final String FOLDER = "acp";
  private static final String CLAUDE = FOLDER + "/claude";
  private static final String PROJECT = "x";

  /** Largest file in which a call is searched. */
  private static final long MOST_BYTES = 256L << 20;

  /** Data of agents, without what is known to be a credential, a cache or a log. */
  static final StateFiles STATE =
      new StateFiles(
          List.of(
              CLAUDE + "/projects/**",
              CLAUDE + "/tasks/**",
              CLAUDE + "/todos/**",
              CLAUDE + "/plans/**",
              FOLDER + "/codex/sessions/**",
              FOLDER + "/data/**",
              FOLDER + "/agent/**"),
          List.of(
              "**/*auth*.json",
              "**/*cred*",
              "**/*.key",
              "**/*.pem",
              "**/*.lock",
              "**/.lock",
              "**/*.log",
              "**/*.part",
              "**/*-shm",
              "**/{log,logs,cache,tmp,node_modules,bin}/**"));

  void prepare() throws IOException {
    Files.createDirectories(home.resolve("tmp"));
    for (String name : List.of("agent", "claude", "codex", "config", "data", "state", "cache")) {
      Files.createDirectories(home.resolve(FOLDER).resolve(name));
    }
    // Transcripts older than this are deleted at a start; a run may wait for months. Suggestions
    // for the next prompt are calls of the model after the turn.
    StateText.write(
        home.resolve(CLAUDE).resolve("settings.json"),
        Json.mapper()
            .createObjectNode()
            .put("cleanupPeriodDays", 36_500)
            .put("promptSuggestionEnabled", false)
            .toString());
  }

  void deleteSessions() throws IOException {
    StateText.delete(home.resolve(FOLDER));
  }

  /** The transcript of an agent that is built on Claude Code; may be absent. */
  private Path transcript(String session) {
    return home.resolve(CLAUDE).resolve("projects").resolve(PROJECT).resolve(session + ".jsonl");
  }

  /** Why a session cannot be resumed; null when it may be, and for files that are not known. */
  @Nullable String problem(String session) throws IOException {
    if (states().isEmpty()) {
      return "the agent has no files of an earlier session";
    }
    return isClaude() ? ClaudeTranscript.problem(transcript(session)) : null;
  }

  /**
   * Gives a session another id.
   *
   * @return why it cannot; null when it has: where other agents than Claude Code name their session
   *     is not known
   */
  @Nullable String fork(String from, String to) throws IOException {
    if (!isClaude()) {
      return "the files of this agent are not known";
    }
    SessionRenamer.rename(home, STATE, from, to);
    return null;
  }

  /** Whether the agent is built on Claude Code. */
  private boolean isClaude() {
    Path folder = home.resolve(CLAUDE);
    return Files.exists(folder.resolve(".claude.json"))
        || Files.isDirectory(folder.resolve("projects").resolve(PROJECT));
  }

  private List<Path> states() throws IOException {
    List<Path> states = new ArrayList<>();
    Path folder = home.resolve(FOLDER);
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        files
            .filter(Files::isRegularFile)
            .filter(file -> STATE.contains(home.relativize(file)))
            .forEach(states::add);
      }
    }
    return states;
  }

  /**
   * Waits until the agent's files contain the results of calls: the rows of a transcript of Claude
   * Code, or two mentions of each id in files that are not known, one for the call and one for its
   * result. An agent that keeps no files is never settled.
   */
  boolean settled(String session, List<String> calls, Duration bound)
      throws IOException, InterruptedException {
    Path transcript = transcript(session);
    Path subAgents = transcript.resolveSibling(session).resolve("subagents");
    return StateText.await(
        bound,
        () ->
            isClaude()
                ? ClaudeTranscript.contains(transcript, subAgents, calls)
                : isMentioned(calls));
  }

  private boolean isMentioned(List<String> calls) throws IOException {
    List<Path> states = states();
    Set<String> left = new HashSet<>(calls);
    for (Path file : states) {
      if (left.isEmpty()) {
        break;
      }
      if (Files.size(file) <= MOST_BYTES) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        left.removeIf(call -> isTwiceIn(text, call));
      }
    }
    return left.isEmpty() && !states.isEmpty();
  }

  private static boolean isTwiceIn(String text, String call) {
    int first = text.indexOf(call);
    return first >= 0 && text.indexOf(call, first + call.length()) >= 0;
  }

  Map<String, String> environment(AgentLaunch launch) {
    String base = launch.model().baseUrl().toString();
    String model = launch.model().model();
    Path folder = home.resolve(FOLDER);
    Map<String, String> own = new HashMap<>();
    own.put("ANTHROPIC_BASE_URL", base);
    own.put("ANTHROPIC_API_KEY", launch.model().token());
    own.put("OPENAI_BASE_URL", base + "/v1");
    own.put("OPENAI_API_KEY", launch.model().token());
    if (!model.isBlank()) {
      own.put("ANTHROPIC_MODEL", model);
      own.put("ANTHROPIC_DEFAULT_HAIKU_MODEL", model);
      own.put("BATON_MODEL", model);
    }
    own.put("BATON_AGENT_HOME", folder.resolve("agent").toString());
    own.put("CLAUDE_CONFIG_DIR", folder.resolve("claude").toString());
    own.put("CLAUDE_CODE_PROJECT_DIR_NAME", PROJECT);
    own.put("CLAUDE_CODE_TMPDIR", home.resolve("tmp").toString());
    own.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    own.put("CLAUDE_CODE_DISABLE_TERMINAL_TITLE", "1");
    // Sub-agents in the background are lost at a resume, and keep boundaries away.
    own.put("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    own.put("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION", "false");
    own.put("DISABLE_AUTOUPDATER", "1");
    own.put("DISABLE_TELEMETRY", "1");
    own.put("DISABLE_ERROR_REPORTING", "1");
    own.put("IS_SANDBOX", "1");
    own.put("CODEX_HOME", folder.resolve("codex").toString());
    own.put("XDG_CONFIG_HOME", folder.resolve("config").toString());
    own.put("XDG_DATA_HOME", folder.resolve("data").toString());
    own.put("XDG_STATE_HOME", folder.resolve("state").toString());
    own.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    own.put("TMPDIR", home.resolve("tmp").toString());
    return AgentEnvironment.of(launch.environment(), own);
  }
}
