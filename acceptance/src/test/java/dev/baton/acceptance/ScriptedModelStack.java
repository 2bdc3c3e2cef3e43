/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.TextShortener;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A stack whose runners reach scripted models instead of real ones. The classes with {@link
 * UsesScriptedModels} share one, one class after the other: each has scripts of its own and counts
 * its requests from zero.
 */
final class ScriptedModelStack implements AutoCloseable {
  /** A form of requests, each with an endpoint of its own. */
  enum Form {
    MESSAGES("BATON_MODELS_ANTHROPIC_MESSAGES"),
    RESPONSES("BATON_MODELS_OPENAI_RESPONSES"),
    CHAT("BATON_MODELS_OPENAI_CHAT");

    /** The start of the names of the orchestrator's variables. */
    final String variable;

    Form(String variable) {
      this.variable = variable;
    }
  }

  private static final Duration END = Duration.ofSeconds(60);

  final SharedStackExtension.RunningStack on;
  private final Map<Form, ScriptedModelServer> models;

  ScriptedModelStack(SharedStackExtension.RunningStack on, Map<Form, ScriptedModelServer> models) {
    this.on = on;
    this.models = models;
  }

  /** Uses the shared one with a script of Anthropic Messages. */
  static ScriptedModelStack with(ModelScript messages) throws IOException {
    return with(Map.of(Form.MESSAGES, messages));
  }

  /** Uses the shared one. */
  static ScriptedModelStack with(Map<Form, ModelScript> scripts) throws IOException {
    return ScriptedModelsExtension.shared().use(scripts);
  }

  /**
   * Uses the shared one with the real coding agents in the path of its runners, under the names
   * that the examples use. Skips the test where they are not installed.
   */
  static ScriptedModelStack withAgents(Map<Form, ModelScript> scripts) throws IOException {
    ScriptedModelsExtension.SharedModels shared = ScriptedModelsExtension.shared();
    shared.linkAgents();
    return shared.use(scripts);
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

  /** Cancels the runs that this class has left, so that the next class has the runners. */
  @Override
  public void close() throws IOException {
    try {
      ObjectNode all = AcceptanceApiClient.JSON.createObjectNode().put("all", true);
      Await.until(
          "the class's runs have ended",
          END,
          () -> {
            AcceptanceApiClient.Answer left = on.api.post("/runs/bulk/cancel", all);
            return left.status() == 200 && left.body().path("results").isEmpty();
          });
    } finally {
      models.values().forEach(model -> model.answerFrom(ScriptedModelsExtension.NONE));
    }
  }
}
