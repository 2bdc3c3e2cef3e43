/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentStart;
import dev.baton.agent.McpAccess;
import dev.baton.agent.StateFiles;
import dev.baton.agent.process.AgentEnvironment;
import dev.baton.agent.process.StateText;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files, arguments and environment of Claude Code.
 *
 * @param home of the step
 */
record ClaudeHome(Path home) {
  private static final String CONFIG = "claude";
  private static final String PROJECT = "x";

  /** Of an argument in bytes: Linux allows 128 KiB. */
  private static final int MAX_ARGUMENT = 120_000;

  /**
   * Transcripts, those of sub-agents, stored results, task lists; output of background commands.
   */
  static final StateFiles STATE =
      new StateFiles(
          List.of(
              CONFIG + "/projects/" + PROJECT + "/**",
              CONFIG + "/tasks/**",
              CONFIG + "/todos/**",
              CONFIG + "/plans/**",
              "tmp/**/*.output"),
          List.of("**/*.lock", "**/.lock"));

  Path transcript(String session) {
    return home.resolve(CONFIG).resolve("projects").resolve(PROJECT).resolve(session + ".jsonl");
  }

  Path subAgents(String session) {
    return home.resolve(CONFIG)
        .resolve("projects")
        .resolve(PROJECT)
        .resolve(session)
        .resolve("subagents");
  }

  private Path file(String name) {
    return home.resolve(CONFIG).resolve(name);
  }

  /** Writes settings and servers; for a screen also what answers the questions of a first start. */
  void prepare(AgentLaunch launch) throws IOException {
    Files.createDirectories(home.resolve("tmp"));
    ObjectNode settings = Json.mapper().createObjectNode();
    // Transcripts older than this are deleted at a start; a run may wait for months.
    settings.put("cleanupPeriodDays", 36_500);
    StateText.write(file("settings.json"), settings.toString());
    StateText.write(file("mcp.json"), servers(launch.task().mcp()).toString());
    if (!launch.task().system().isBlank()) {
      StateText.write(file("system.md"), launch.task().system());
    }
    if (launch.task().interactive()) {
      StateText.write(file(".claude.json"), answered(launch.folders().workspace()).toString());
    }
  }

  private static ObjectNode answered(Path workspace) throws IOException {
    ObjectNode root = Json.mapper().createObjectNode();
    root.put("hasCompletedOnboarding", true)
        .put("theme", "dark")
        .put("bypassPermissionsModeAccepted", true);
    ObjectNode projects = root.putObject("projects");
    Set<Path> names = new LinkedHashSet<>(List.of(workspace));
    if (Files.isDirectory(workspace)) {
      names.add(workspace.toRealPath());
    }
    for (Path name : names) {
      projects
          .putObject(name.toString())
          .put("hasTrustDialogAccepted", true)
          .put("hasCompletedProjectOnboarding", true);
    }
    return root;
  }

  private static ObjectNode servers(List<McpAccess> all) {
    ObjectNode root = Json.mapper().createObjectNode();
    ObjectNode servers = root.putObject("mcpServers");
    for (McpAccess access : all) {
      ObjectNode server = servers.putObject(access.name());
      switch (access) {
        case McpAccess.Stdio stdio -> {
          server.put("type", "stdio").put("command", stdio.command().getFirst());
          ArrayNode arguments = server.putArray("args");
          stdio.command().stream().skip(1).forEach(arguments::add);
          ObjectNode environment = server.putObject("env");
          stdio.environment().forEach(environment::put);
        }
        case McpAccess.Http http -> {
          server.put("type", "http").put("url", http.url().toString());
          ObjectNode headers = server.putObject("headers");
          http.headers().forEach(headers::put);
        }
      }
    }
    return root;
  }

  /**
   * Returns the command of the agent's own screen. A prompt is its last argument.
   *
   * @throws IOException when the prompt is longer than an argument may be
   */
  List<String> screenArguments(AgentLaunch launch, String id, boolean resumes) throws IOException {
    List<String> arguments = new ArrayList<>(launch.program().command());
    arguments.addAll(
        List.of(
            resumes ? "--resume=" + id : "--session-id=" + id,
            "--model",
            launch.model().model(),
            "--permission-mode",
            "bypassPermissions",
            "--mcp-config",
            file("mcp.json").toString(),
            "--strict-mcp-config"));
    if (!launch.task().system().isBlank()) {
      arguments.add("--append-system-prompt-file");
      arguments.add(file("system.md").toString());
    }
    String prompt =
        switch (launch.start()) {
          case AgentStart.Fresh(String text) -> text;
          case AgentStart.Fallback(String text, String refused) -> text;
          case AgentStart.Continue(String of, String text) -> text;
          case AgentStart.Resume resume -> "";
          case AgentStart.Fork fork -> throw new IllegalStateException("not forked yet: " + fork);
        };
    int bytes = prompt.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_ARGUMENT) {
      throw new IOException(
          "the prompt of an interactive step has %d bytes; allowed: %d"
              .formatted(bytes, MAX_ARGUMENT));
    }
    if (!prompt.isBlank()) {
      arguments.add("--");
      arguments.add(prompt);
    }
    return arguments;
  }

  List<String> arguments(AgentLaunch launch, String id, boolean resumes) {
    List<String> arguments = new ArrayList<>(launch.program().command());
    arguments.addAll(
        List.of(
            "-p",
            "--output-format",
            "stream-json",
            "--input-format",
            "stream-json",
            "--verbose",
            resumes ? "--resume=" + id : "--session-id=" + id,
            "--permission-mode",
            launch.task().tools().allowsEverything() ? "bypassPermissions" : "default",
            "--permission-prompt-tool",
            "stdio",
            "--mcp-config",
            file("mcp.json").toString(),
            "--strict-mcp-config"));
    if (!launch.model().model().isEmpty() || !launch.model().isOwnLogin()) {
      arguments.addAll(List.of("--model", launch.model().model()));
    }
    if (launch.model().isOwnLogin()) {
      // Only these lines have the final usage of each answer.
      arguments.add("--include-partial-messages");
    }
    if (!launch.task().system().isBlank()) {
      arguments.add("--append-system-prompt-file");
      arguments.add(file("system.md").toString());
    }
    if (!launch.task().outputSchema().isBlank()) {
      arguments.add("--json-schema");
      arguments.add(launch.task().outputSchema());
    }
    return arguments;
  }

  Map<String, String> environment(AgentLaunch launch) {
    Map<String, String> own = new HashMap<>();
    Map<String, String> login = launch.model().login();
    if (login == null) {
      own.put("ANTHROPIC_BASE_URL", launch.model().baseUrl().toString());
      // A screen asks whether it may use a key, but not for a token.
      own.put(
          launch.task().interactive() ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY",
          launch.model().token());
      own.put("ANTHROPIC_DEFAULT_HAIKU_MODEL", launch.model().model());
    } else {
      own.putAll(login);
    }
    own.put("CLAUDE_CONFIG_DIR", home.resolve(CONFIG).toString());
    own.put("CLAUDE_CODE_PROJECT_DIR_NAME", PROJECT);
    own.put("CLAUDE_CODE_TMPDIR", home.resolve("tmp").toString());
    own.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    own.put("CLAUDE_CODE_DISABLE_TERMINAL_TITLE", "1");
    // Sub-agents in the background are lost at a resume, and keep boundaries away.
    own.put("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    if (!(launch.start() instanceof AgentStart.Continue)) {
      // Before a new prompt it would be one more request.
      own.put("CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "1");
    }
    own.put("DISABLE_AUTOUPDATER", "1");
    own.put("DISABLE_TELEMETRY", "1");
    own.put("DISABLE_ERROR_REPORTING", "1");
    // As root, permissions can be bypassed only in a sandbox: the runner is one.
    own.put("IS_SANDBOX", "1");
    return AgentEnvironment.of(launch.environment(), own);
  }
}
