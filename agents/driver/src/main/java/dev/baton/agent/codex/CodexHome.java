/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

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
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files, arguments and environment of Codex.
 *
 * @param home of the step
 */
record CodexHome(Path home) {
  private static final String CONFIG = "codex";
  private static final String TOKEN = "BATON_MODEL_TOKEN";
  private static final String ENDPOINT = "OPENAI_BASE_URL";

  /** Variables of a login with the key of an API; the first one counts. */
  private static final List<String> KEYS = List.of("CODEX_API_KEY", "OPENAI_API_KEY");

  /** Codex gives up a hook after this time: longer than any wait of a step. */
  private static final int HOOK_SECONDS = 1_000_000;

  /** Of an argument in bytes: Linux allows 128 KiB. */
  private static final int MAX_ARGUMENT = 120_000;

  /** Continues a turn on a screen; {@code AgentFamily.CODEX} leaves it out of keys. */
  private static final String CONTINUE = "Continue from where you left off.";

  /** Rollouts alone: databases contain absolute paths, snapshots of shells the environment. */
  static final StateFiles STATE = new StateFiles(List.of(CONFIG + "/sessions/**.jsonl"), List.of());

  /** The provider of the model by its name in Codex. */
  static String provider(AgentLaunch launch) {
    Map<String, String> login = launch.model().login();
    if (login == null) {
      return "baton";
    }
    return login.containsKey(ENDPOINT) ? "own" : "openai";
  }

  /** Returns the key of an API in a login; empty where it has none. */
  static Optional<String> key(Map<String, String> login) {
    return KEYS.stream().flatMap(name -> Optional.ofNullable(login.get(name)).stream()).findFirst();
  }

  Path configFile() {
    return folder().resolve("config.toml");
  }

  Path hooks() {
    return home.resolve("codex-hooks/events");
  }

  Path hookScript() {
    return home.resolve("codex-hooks/hook.sh");
  }

  Path folder() {
    return home.resolve(CONFIG);
  }

  Path sessions() {
    return folder().resolve("sessions");
  }

  /** The rollout of a session. */
  Optional<Path> rollout(String id) throws IOException {
    if (!Files.isDirectory(sessions())) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(sessions(), 5)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith("-" + id + ".jsonl"))
          .findFirst();
    }
  }

  /** Writes the configuration; for a screen also what answers the questions of a first start. */
  void prepare(AgentLaunch launch) throws IOException {
    Files.createDirectories(home.resolve("tmp"));
    StateText.write(configFile(), config(launch));
  }

  private String config(AgentLaunch launch) throws IOException {
    boolean screen = launch.task().interactive();
    Map<String, String> login = launch.model().login();
    StringBuilder toml = new StringBuilder();
    if (!launch.model().model().isEmpty()) {
      toml.append("model = ").append(text(launch.model().model())).append('\n');
    }
    toml.append("model_provider = ").append(text(provider(launch))).append('\n');
    toml.append(
        """
            check_for_update_on_startup = false
            sandbox_mode = "danger-full-access"
            cli_auth_credentials_store = "%s"
            %s
            [analytics]
            enabled = false

            [feedback]
            enabled = false

            [history]
            persistence = "none"

            [features]
            shell_snapshot = false
            %s
            [shell_environment_policy]
            exclude = [%s]
            """
            .formatted(
                login == null ? "file" : "ephemeral",
                screen ? requested(launch) : "",
                // A server in the background would outlive its screen.
                screen ? "daemon_auto_start = false\n" : "",
                (login == null ? Set.of(TOKEN) : new TreeSet<>(login.keySet()))
                    .stream().map(CodexHome::text).collect(Collectors.joining(", "))));
    if (login == null) {
      addGateway(toml, launch.model());
    } else {
      addLogin(toml, login);
    }
    launch.task().mcp().forEach(server -> addServer(toml, server));
    if (screen) {
      addScreen(toml, launch.folders().workspace());
    }
    return toml.toString();
  }

  private static void addGateway(StringBuilder toml, AgentLaunch.ModelAccess access) {
    toml.append(
        """

        [model_providers.baton]
        name = "baton"
        base_url = %s
        wire_api = "responses"
        env_key = "%s"
        supports_websockets = false
        """
            .formatted(text(access.baseUrl() + "/v1"), TOKEN));
  }

  /** The endpoint of the login, and the hooks that hold Codex. */
  private void addLogin(StringBuilder toml, Map<String, String> login) {
    String endpoint = login.get(ENDPOINT);
    if (endpoint != null) {
      toml.append(
          """

          [model_providers.own]
          name = "own"
          base_url = %s
          wire_api = "responses"
          requires_openai_auth = true
          supports_websockets = false
          """
              .formatted(text(endpoint)));
    }
    String command = "sh " + quoted(hookScript()) + " " + quoted(hooks());
    for (String event : CodexHookLink.EVENTS) {
      toml.append(
          """

          [[hooks.%s]]
          [[hooks.%s.hooks]]
          type = "command"
          command = %s
          timeout = %d
          """
              .formatted(event, event, text(command), HOOK_SECONDS));
    }
  }

  /** A word of a shell command. */
  private static String quoted(Path file) {
    return "'" + file.toString().replace("'", "'\\''") + "'";
  }

  /** What a request to an app server says. */
  private static String requested(AgentLaunch launch) {
    String policy = "approval_policy = \"never\"\n";
    return launch.task().system().isBlank()
        ? policy
        : policy + "developer_instructions = " + text(launch.task().system()) + "\n";
  }

  /**
   * Sub-agents are off, since a resumed screen does not continue them. So are tips and summaries,
   * which cost requests.
   */
  private static void addScreen(StringBuilder toml, Path workspace) throws IOException {
    toml.append(
        """

        [agents]
        enabled = false

        [tui]
        resume_cwd = "current"
        show_tooltips = false
        auto_recap = false
        """);
    Set<Path> names = new LinkedHashSet<>(List.of(workspace));
    if (Files.isDirectory(workspace)) {
      names.add(workspace.toRealPath());
    }
    for (Path name : names) {
      toml.append("\n[projects.")
          .append(text(name.toString()))
          .append("]\ntrust_level = \"trusted\"\n");
    }
  }

  private static void addServer(StringBuilder toml, McpAccess access) {
    toml.append("\n[mcp_servers.").append(access.name()).append("]\n");
    switch (access) {
      case McpAccess.Stdio stdio -> {
        toml.append("command = ").append(text(stdio.command().getFirst())).append('\n');
        toml.append("args = [")
            .append(
                stdio.command().stream()
                    .skip(1)
                    .map(CodexHome::text)
                    .collect(Collectors.joining(", ")))
            .append("]\n");
        toml.append("env = ").append(table(stdio.environment())).append('\n');
      }
      case McpAccess.Http http -> {
        toml.append("url = ").append(text(http.url().toString())).append('\n');
        toml.append("http_headers = ").append(table(http.headers())).append('\n');
      }
    }
  }

  private static String table(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> text(field.getKey()) + " = " + text(field.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  /** A JSON string is a TOML string. */
  private static String text(String value) {
    return new String(Json.bytes(value), StandardCharsets.UTF_8).replace("\u007f", "\\u007f");
  }

  List<String> arguments(AgentLaunch launch) {
    List<String> arguments = new ArrayList<>(launch.program().command());
    arguments.add("app-server");
    return arguments;
  }

  /**
   * Returns the command of the agent's own screen. A prompt is its last argument.
   *
   * @param resumed rollout of the session that is resumed; null for a new one
   * @throws IOException when the prompt is longer than an argument may be
   */
  List<String> screenArguments(AgentLaunch launch, @Nullable Path resumed) throws IOException {
    List<String> arguments = new ArrayList<>(launch.program().command());
    String session = launch.start().resumedSession();
    if (session != null) {
      arguments.addAll(List.of("resume", session));
    }
    String prompt =
        switch (launch.start()) {
          case AgentStart.Fresh(String text) -> text;
          case AgentStart.Fallback(String text, String refused) -> text;
          case AgentStart.Continue(String of, String text) -> text;
          case AgentStart.Resume resume ->
              resumed != null && CodexRollout.hasOpenTurn(resumed) ? CONTINUE : "";
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

  Map<String, String> environment(AgentLaunch launch) {
    Map<String, String> own = new HashMap<>();
    own.put("CODEX_HOME", folder().toString());
    own.put("TMPDIR", home.resolve("tmp").toString());
    Map<String, String> login = launch.model().login();
    if (login == null) {
      own.put(TOKEN, launch.model().token());
    } else {
      own.putAll(login);
      KEYS.forEach(own::remove); // The session passes it, where no command can read it.
    }
    return AgentEnvironment.of(launch.environment(), own);
  }
}
