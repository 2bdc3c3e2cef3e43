/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.protocol.json.TextShortener;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** A stack whose runners reach scripted models instead of real ones. */
final class ScriptedModelStack implements AutoCloseable {
  /** A form of requests, each with an endpoint of its own. */
  enum Form {
    MESSAGES("BATON_MODELS_ANTHROPIC_MESSAGES"),
    RESPONSES("BATON_MODELS_OPENAI_RESPONSES"),
    CHAT("BATON_MODELS_OPENAI_CHAT");

    private final String variable;

    Form(String variable) {
      this.variable = variable;
    }
  }

  final SharedStackExtension.RunningStack on;
  private final Map<Form, ScriptedModelServer> models;

  /** Deleted with the stack. */
  private final List<Path> folders;

  private ScriptedModelStack(
      SharedStackExtension.RunningStack on,
      Map<Form, ScriptedModelServer> models,
      List<Path> folders) {
    this.on = on;
    this.models = models;
    this.folders = folders;
  }

  /** Starts one with the form of Anthropic Messages. */
  static ScriptedModelStack start(ModelScript messages) throws IOException {
    return start(Map.of(Form.MESSAGES, messages), Map.of());
  }

  /**
   * Starts one with the real coding agents in the path of its runners, under the names that the
   * examples use. Skips the test where they are not installed.
   */
  static ScriptedModelStack startWithAgents(Map<Form, ModelScript> scripts) throws IOException {
    Path programs = Files.createTempDirectory("baton-agents-");
    link(programs, "claude", InstalledAgents.claude());
    link(programs, "codex", InstalledAgents.codex());
    link(programs, "opencode", InstalledAgents.opencode());
    link(programs, "claude-agent-acp", InstalledAgents.acp());
    return start(
        scripts,
        Map.of(
            "PATH",
            programs + File.pathSeparator + System.getenv("PATH"),
            // The shells of agents run the user's start-up files, which may take locks.
            "HOME",
            "/nonexistent"),
        List.of(programs));
  }

  private static void link(Path folder, String name, List<String> command) throws IOException {
    List<String> words =
        command.stream().map(word -> "'" + Path.of(word).toAbsolutePath() + "'").toList();
    Path script = folder.resolve(name);
    Files.writeString(script, "#!/bin/sh\nexec " + String.join(" ", words) + " \"$@\"\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /**
   * @param environment more variables of the orchestrator, which may replace the keys of the models
   */
  static ScriptedModelStack start(Map<Form, ModelScript> scripts, Map<String, String> environment)
      throws IOException {
    return start(scripts, environment, List.of());
  }

  private static ScriptedModelStack start(
      Map<Form, ModelScript> scripts, Map<String, String> environment, List<Path> folders)
      throws IOException {
    Map<Form, ScriptedModelServer> models = new EnumMap<>(Form.class);
    Map<String, String> variables = new HashMap<>();
    for (Map.Entry<Form, ModelScript> script : scripts.entrySet()) {
      ScriptedModelServer model = ScriptedModelServer.start(script.getValue());
      models.put(script.getKey(), model);
      variables.put(script.getKey().variable + "_URL", model.baseUrl().toString());
      variables.put(script.getKey().variable + "_KEY", "none");
    }
    variables.putAll(environment);
    return new ScriptedModelStack(
        SharedStackExtension.RunningStack.of(
            builder -> {
              variables.forEach(
                  (name, value) -> builder.environment(StackComponent.ORCHESTRATOR, name, value));
              return builder;
            }),
        models,
        folders);
  }

  ScriptedModelServer model(Form form) {
    return Objects.requireNonNull(models.get(form), form::toString);
  }

  /** Returns the endpoint of Anthropic Messages. */
  ScriptedModelServer messages() {
    return model(Form.MESSAGES);
  }

  /** Returns the checkpoint of the boundary before a turn of the run's agent, from 1 on. */
  String boundaryBefore(String run, int turn) throws IOException, InterruptedException {
    int answers = 0;
    String boundary = "";
    for (JsonNode event : on.api.events(run)) {
      if (event.path("data").path("turn").isObject()) {
        boundary = event.path("data").path("checkpoint").asText();
      }
      answers += event.path("type").asText().equals("model_answered") ? 1 : 0;
      if (answers == turn) {
        return boundary;
      }
    }
    throw new AssertionError(turn + " of " + answers + " answers");
  }

  /** Waits until the run has completed; a failure shows its events and its log. */
  JsonNode completed(String run, Duration bound) throws Exception {
    try {
      return on.api.awaitStatus(run, "completed", bound);
    } catch (AssertionError e) {
      BatonCliInvoker.Result log = BatonCliInvoker.run(on, "logs", run);
      throw new AssertionError(e.getMessage() + "\n" + history(run) + "\n" + log.out(), e);
    }
  }

  /** Returns the run's events, for a failure. */
  String history(String run) {
    try {
      return on.api.events(run).stream()
          .map(
              event ->
                  event.path("time").asText()
                      + " "
                      + event.path("id").asText()
                      + " "
                      + event.path("type").asText()
                      + " "
                      + TextShortener.shorten(event.path("data").toString(), 400))
          .collect(Collectors.joining("\n"));
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }

  @Override
  public void close() throws IOException {
    on.close();
    models.values().forEach(ScriptedModelServer::close);
    for (Path folder : folders) {
      DirectoryTreeDeleter.delete(folder);
    }
  }
}
