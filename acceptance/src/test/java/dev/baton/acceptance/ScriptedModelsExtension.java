/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.acceptance.ScriptedModelStack.Form;
import dev.baton.agent.testkit.InstalledAgents;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Shares one stack with scripted models between the test classes with {@link UsesScriptedModels}:
 * started when the first class uses it, stopped after the last. If a test fails, the stack's folder
 * is kept and the ends of its logs are printed.
 */
final class ScriptedModelsExtension implements BeforeAllCallback, AfterTestExecutionCallback {
  /** The key of Anthropic Messages, which only the gateway has. */
  static final String KEY = "sk-canary-4711";

  /** The key of agents with a login of their own. */
  static final String LOGIN_KEY = "sk-of-the-own-login";

  private static final String KEY_VARIABLE = "SCRIPTED_MODELS_KEY";

  /** Answers where a class has no script. */
  static final ModelScript NONE = request -> ScriptedReply.text("no script");

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(ScriptedModelsExtension.class);

  private static final SharedModels SHARED = new SharedModels();

  /** Returns what the classes share. */
  static SharedModels shared() {
    return SHARED;
  }

  /** Returns how the names of the variables begin by which agents find a provider. */
  static String provider(Form form) {
    return form == Form.MESSAGES ? "ANTHROPIC" : "OPENAI";
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // The root's store closes it after the last class.
    context.getRoot().getStore(SPACE).getOrComputeIfAbsent(SharedModels.class, _ -> SHARED);
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      SHARED.failed(context.getDisplayName());
    }
  }

  /** A stack and the endpoints of its models. Thread-safe. */
  static final class SharedModels implements AutoCloseable {
    private final Map<Form, ScriptedModelServer> models = new EnumMap<>(Form.class);
    private @Nullable Path programs;
    private SharedStackExtension.@Nullable RunningStack on;

    /** Answers from these scripts from now on, and from no others. */
    synchronized ScriptedModelStack use(Map<Form, ModelScript> scripts) throws IOException {
      if (on == null) {
        start();
        SharedStackListener.add(ScriptedModelsExtension.class, this::close);
      }
      models.forEach((form, model) -> model.answerFrom(scripts.getOrDefault(form, NONE)));
      return new ScriptedModelStack(Objects.requireNonNull(on), models);
    }

    private void start() throws IOException {
      Map<String, String> variables = new HashMap<>();
      variables.put("PATH", programs() + File.pathSeparator + System.getenv("PATH"));
      // The shells of agents run the user's start-up files, which may take locks.
      variables.put("HOME", "/nonexistent");
      for (Form form : Form.values()) {
        ScriptedModelServer model = ScriptedModelServer.start(NONE);
        models.put(form, model);
        variables.put(form.variable + "_URL", model.baseUrl().toString());
        variables.put(form.variable + "_KEY", "none");
      }
      variables.put(Form.MESSAGES.variable + "_KEY", "env:" + KEY_VARIABLE);
      variables.put(KEY_VARIABLE, KEY);
      List<String> login = new ArrayList<>();
      for (Form form : List.of(Form.MESSAGES, Form.RESPONSES)) {
        String url = provider(form) + "_BASE_URL";
        String key = provider(form) + "_API_KEY";
        variables.put(url, Objects.requireNonNull(models.get(form)).baseUrl() + "/v1");
        variables.put(key, LOGIN_KEY);
        login.addAll(List.of(url, key));
      }
      variables.put("BATON_AGENT_LOGIN", String.join(", ", login));
      on =
          SharedStackExtension.RunningStack.of(
              builder -> {
                variables.forEach(
                    (name, value) -> builder.environment(StackComponent.ORCHESTRATOR, name, value));
                return builder;
              });
    }

    /**
     * Puts the real coding agents into the path of the runners, under the names that the examples
     * use. Skips the test where they are not installed.
     */
    synchronized void linkAgents() throws IOException {
      link("claude", InstalledAgents.claude());
      link("codex", InstalledAgents.codex());
      link("opencode", InstalledAgents.opencode());
      link("claude-agent-acp", InstalledAgents.acp());
    }

    private void link(String name, List<String> command) throws IOException {
      Path script = programs().resolve(name);
      if (!Files.exists(script)) {
        List<String> words =
            command.stream().map(word -> "'" + Path.of(word).toAbsolutePath() + "'").toList();
        Files.writeString(script, "#!/bin/sh\nexec " + String.join(" ", words) + " \"$@\"\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }

    private Path programs() throws IOException {
      if (programs == null) {
        programs = Files.createTempDirectory("baton-agents-");
      }
      return programs;
    }

    private synchronized void failed(String test) {
      if (on != null) {
        on.failed(test);
      }
    }

    @Override
    public synchronized void close() {
      try {
        if (on != null) {
          on.close();
          on = null;
        }
        models.values().forEach(ScriptedModelServer::close);
        models.clear();
        if (programs != null) {
          DirectoryTreeDeleter.delete(programs);
          programs = null;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
