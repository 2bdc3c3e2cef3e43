/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files, arguments and environment of OpenCode.
 *
 * @param home of the step
 */
record OpenCodeHome(Path home) {
  /** Name of the provider in OpenCode's configuration: the gateway. */
  private static final String PROVIDER = "baton";

  private static final String FOLDER = "opencode";
  private static final String DATA = FOLDER + "/data/opencode";
  private static final String BOUNDARY = FOLDER + "/boundary.json";
  private static final String TOKEN = "BATON_MODEL_TOKEN";
  private static final String PLUGIN = FOLDER + "/plugin/baton.js";

  /** Instructions of a project, of which OpenCode reads the first. */
  private static final List<String> INSTRUCTIONS = List.of("AGENTS.md", "CLAUDE.md", "CONTEXT.md");

  /** Of an argument in bytes: Linux allows 128 KiB. */
  private static final int MAX_ARGUMENT = 120_000;

  private static final String HEADER = "SQLite format 3\0";

  /** OpenCode summarizes a conversation before it has so many tokens. */
  private static final int CONTEXT_TOKENS = 200_000;

  private static final int OUTPUT_TOKENS = 32_000;

  /**
   * The database with its write-ahead log, and outputs of tools that were too long for the
   * conversation. Not {@code auth.json}, logs and caches.
   */
  static final StateFiles STATE =
      new StateFiles(
          List.of(
              DATA + "/opencode.db", DATA + "/opencode.db-wal", DATA + "/tool-output/**", BOUNDARY),
          List.of());

  /**
   * A model by OpenCode's names.
   *
   * @param provider the gateway, or one that OpenCode knows
   */
  record ProviderModel(String provider, String model) {
    String full() {
      return provider + "/" + model;
    }
  }

  /**
   * Returns the model of a launch. With an own login its name has the provider before the first
   * slash.
   *
   * @throws IOException when none is named, or none with a provider
   */
  static ProviderModel model(AgentLaunch launch) throws IOException {
    String name = launch.model().model();
    if (!launch.model().isOwnLogin()) {
      if (name.isBlank()) {
        throw new IOException(
            "agent 'opencode' needs a model; name it in 'model' of the step or in"
                + " baton.agent.model");
      }
      return new ProviderModel(PROVIDER, name);
    }
    int slash = name.indexOf('/');
    if (slash < 1 || slash == name.length() - 1) {
      throw new IOException(
          "agent 'opencode' with 'gateway: off': '%s' names no model; allowed in 'model': PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5"
              .formatted(name));
    }
    return new ProviderModel(name.substring(0, slash), name.substring(slash + 1));
  }

  Path database() {
    return home.resolve(DATA).resolve("opencode.db");
  }

  /** What the newest boundary contains: {@link OpenCodeBoundary}. */
  Path boundary() {
    return home.resolve(BOUNDARY);
  }

  /** Why no session of this home can be resumed; null when one may be. */
  @Nullable String problem() throws IOException {
    if (!Files.isRegularFile(database())) {
      return "its database opencode.db is missing";
    }
    byte[] head;
    try (var in = Files.newInputStream(database())) {
      head = in.readNBytes(HEADER.length());
    }
    return HEADER.equals(new String(head, StandardCharsets.ISO_8859_1))
        ? null
        : "its file opencode.db is not a database";
  }

  /** Removes all sessions. */
  void deleteSessions() throws IOException {
    StateText.delete(home.resolve(DATA));
    StateText.delete(boundary());
  }

  void prepare(AgentLaunch launch) throws IOException {
    Files.createDirectories(home.resolve("tmp"));
    Files.createDirectories(home.resolve(FOLDER).resolve("user"));
    Files.createDirectories(home.resolve(DATA));
    ObjectNode config = config(launch);
    config.set("mcp", servers(launch.task().mcp()));
    StateText.write(configFile(), config.toString());
    if (launch.model().isOwnLogin()) {
      StateText.write(home.resolve(PLUGIN), OpenCodePluginLink.SOURCE);
    }
    if (launch.task().interactive()) {
      StateText.write(instructions(), launch.task().system());
    }
    preventInstallation();
  }

  /**
   * OpenCode installs the types of its plugins from npm into each folder of configuration. A folder
   * of modules and a lock file that lists them count as installed.
   */
  private void preventInstallation() throws IOException {
    Path folder = home.resolve(FOLDER).resolve("config/opencode");
    Files.createDirectories(folder.resolve("node_modules"));
    ObjectNode lock = Json.mapper().createObjectNode();
    lock.putObject("packages")
        .putObject("")
        .putObject("dependencies")
        .put("@opencode-ai/plugin", "*");
    StateText.write(folder.resolve("package-lock.json"), lock.toString());
  }

  /** The system text: on a screen people send messages, which have none. */
  private Path instructions() {
    return home.resolve(FOLDER).resolve("instructions.md");
  }

  private Path configFile() {
    return home.resolve(FOLDER).resolve("opencode.json");
  }

  /** What no configuration of a project may change. */
  private ObjectNode config(AgentLaunch launch) throws IOException {
    String model = model(launch).full();
    ObjectNode config =
        Json.mapper()
            .createObjectNode()
            .put("autoupdate", false)
            .put("share", "disabled")
            .put("snapshot", false)
            .put("model", model)
            .put("small_model", model);
    config.set("permission", permission(launch.task()));
    ArrayNode instructions = config.putArray("instructions");
    if (launch.task().interactive()) {
      config.putObject("agent").putObject("title").put("disable", true);
      if (!launch.task().system().isBlank()) {
        instructions.add(instructions().toString());
      }
    }
    if (launch.model().isOwnLogin()) {
      config.putArray("plugin").add(home.resolve(PLUGIN).toUri().toString());
      addInstructions(instructions, launch.folders().workspace());
    } else {
      config.putArray("enabled_providers").add(PROVIDER);
      config.putObject("provider").set(PROVIDER, gateway(launch.model()));
    }
    return config;
  }

  /** Without the configuration of a project, OpenCode does not search for its instructions. */
  private static void addInstructions(ArrayNode to, Path workspace) {
    INSTRUCTIONS.stream()
        .map(workspace::resolve)
        .filter(Files::isRegularFile)
        .findFirst()
        .ifPresent(file -> to.add(file.toString()));
  }

  private static ObjectNode gateway(AgentLaunch.ModelAccess access) {
    String model = access.model();
    ObjectNode provider = Json.mapper().createObjectNode();
    provider.put("name", PROVIDER).put("npm", client(model));
    provider
        .putObject("options")
        .put("baseURL", access.baseUrl() + "/v1")
        .put("apiKey", "{env:" + TOKEN + "}");
    ObjectNode entry = provider.putObject("models").putObject(model);
    entry.put("name", model).put("tool_call", true).put("attachment", true);
    entry.putObject("limit").put("context", CONTEXT_TOKENS).put("output", OUTPUT_TOKENS);
    ObjectNode modalities = entry.putObject("modalities");
    modalities.putArray("input").add("text").add("image");
    modalities.putArray("output").add("text");
    return provider;
  }

  /** The client, which decides the form of requests; both are parts of OpenCode. */
  private static String client(String model) {
    return model.startsWith("claude") ? "@ai-sdk/anthropic" : "@ai-sdk/openai-compatible";
  }

  /** A question has no one to answer it, but on a screen. */
  private static ObjectNode permission(AgentLaunch.AgentTask task) {
    return Json.mapper()
        .createObjectNode()
        .put("*", task.tools().allowsEverything() ? "allow" : "ask")
        .put("question", task.interactive() ? "allow" : "deny");
  }

  private static ObjectNode servers(List<McpAccess> all) {
    ObjectNode servers = Json.mapper().createObjectNode();
    for (McpAccess access : all) {
      ObjectNode server = servers.putObject(access.name());
      switch (access) {
        case McpAccess.Stdio stdio -> {
          server.put("type", "local");
          ArrayNode command = server.putArray("command");
          stdio.command().forEach(command::add);
          ObjectNode environment = server.putObject("environment");
          stdio.environment().forEach(environment::put);
        }
        case McpAccess.Http http -> {
          server.put("type", "remote").put("url", http.url().toString()).put("oauth", false);
          ObjectNode headers = server.putObject("headers");
          http.headers().forEach(headers::put);
        }
      }
    }
    return servers;
  }

  /**
   * The server on a free port of loopback, without plugins of the user: with an own login only that
   * of the driver, since the folders of configuration are the driver's and the project's are not
   * read.
   */
  static List<String> arguments(AgentLaunch launch) {
    List<String> arguments = new ArrayList<>(launch.program().command());
    arguments.addAll(List.of("serve", "--hostname", "127.0.0.1", "--port", "0"));
    if (!launch.model().isOwnLogin()) {
      arguments.add("--pure");
    }
    return arguments;
  }

  /**
   * Returns the command of the agent's own screen. The program creates a new session from its
   * prompt; other prompts are sent when the session is checked.
   *
   * @param port of loopback for its server
   * @throws IOException when the prompt is longer than an argument may be
   */
  static List<String> screenArguments(AgentLaunch launch, int port) throws IOException {
    List<String> arguments = new ArrayList<>(launch.program().command());
    arguments.addAll(
        List.of("--pure", "--hostname", "127.0.0.1", "--port", Integer.toString(port)));
    arguments.add("--model=" + PROVIDER + "/" + launch.model().model());
    String session = launch.start().resumedSession();
    if (session != null) {
      arguments.add("--session=" + session);
    }
    String prompt =
        switch (launch.start()) {
          case AgentStart.Fresh(String text) -> text;
          case AgentStart.Fallback(String text, String refused) -> text;
          case AgentStart.Resume resume -> "";
          case AgentStart.Continue proceed -> "";
          case AgentStart.Fork fork -> {
            arguments.add("--fork");
            yield "";
          }
        };
    int bytes = prompt.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_ARGUMENT) {
      throw new IOException(
          "the prompt of an interactive step has %d bytes; allowed: %d"
              .formatted(bytes, MAX_ARGUMENT));
    }
    if (!prompt.isBlank()) {
      arguments.add("--prompt=" + prompt);
    }
    return arguments;
  }

  /**
   * @param password of the server, for its user {@code opencode}
   */
  Map<String, String> environment(AgentLaunch launch, String password) throws IOException {
    Map<String, String> login = launch.model().login();
    Map<String, String> own = new HashMap<>();
    if (login == null) {
      own.put(TOKEN, launch.model().token());
    } else {
      own.putAll(login);
      own.put("OPENCODE_DISABLE_PROJECT_CONFIG", "1");
    }
    own.putAll(folders());
    own.put("OPENCODE_CONFIG", configFile().toString());
    own.put("OPENCODE_CONFIG_CONTENT", config(launch).toString());
    own.put("OPENCODE_SERVER_PASSWORD", password);
    return AgentEnvironment.of(launch.environment(), own);
  }

  /** The environment in which OpenCode finds its database. */
  Map<String, String> folders() {
    Path folder = home.resolve(FOLDER);
    Map<String, String> own = new HashMap<>();
    own.put("XDG_CONFIG_HOME", folder.resolve("config").toString());
    own.put("XDG_DATA_HOME", folder.resolve("data").toString());
    own.put("XDG_STATE_HOME", folder.resolve("state").toString());
    own.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    own.put("OPENCODE_TEST_HOME", folder.resolve("user").toString());
    own.put("OPENCODE_DISABLE_AUTOUPDATE", "1");
    own.put("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
    own.put("OPENCODE_DISABLE_MODELS_FETCH", "1");
    own.put("OPENCODE_DISABLE_SHARE", "1");
    own.put("OPENCODE_DISABLE_TERMINAL_TITLE", "1");
    own.put("TMPDIR", home.resolve("tmp").toString());
    return own;
  }
}
