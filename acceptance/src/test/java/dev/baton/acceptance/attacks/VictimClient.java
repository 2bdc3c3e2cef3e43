/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.acceptance.Await;
import dev.baton.acceptance.attacks.AttackHttpClient.Answer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Uses an installation as its owner does, with a key where one is needed. */
final class VictimClient {
  /** Enough for the start of a runner on a busy machine. */
  static final Duration LONG = Duration.ofSeconds(120);

  private final AttackTarget target;
  private final AttackHttpClient http;

  VictimClient(AttackTarget target, AttackHttpClient http) {
    this.target = target;
    this.http = http;
  }

  /** Stores a workflow, and starts a run of it; returns its id. */
  String start(String definition) throws IOException, InterruptedException {
    return start(definition, "{}");
  }

  String start(String definition, String input) throws IOException, InterruptedException {
    JsonNode stored =
        require(http.post("/workflows", Map.of("Content-Type", "application/yaml"), definition));
    String body =
        "{\"workflow\": \"%s\", \"input\": %s}".formatted(stored.path("name").asText(), input);
    return require(http.post("/runs", AttackHttpClient.JSON_TYPE, body)).path("id").asText();
  }

  /**
   * Starts a run with a runner of its own whose only step waits until the gate is {@link #open};
   * returns its id once the step has started.
   */
  String startGated(String name, Path gate) throws IOException, InterruptedException {
    String run =
        start(
            """
            name: %s
            steps:
              - id: work
                shell: until [ -e '%s' ]; do sleep 0.1; done
                workspace: none
            """
                .formatted(name, gate));
    Await.until("run " + run + " works", LONG, () -> types(run).contains("step_started"));
    Await.until("its runner is known", LONG, () -> runnerPid(run) > 0);
    return run;
  }

  JsonNode run(String run) throws IOException, InterruptedException {
    return require(http.get("/runs/" + run));
  }

  String status(String run) throws IOException, InterruptedException {
    return run(run).path("status").asText();
  }

  int epoch(String run) throws IOException, InterruptedException {
    return run(run).path("epoch").asInt();
  }

  /** Returns the process id that the run's runner has reported, 0 for none. */
  long runnerPid(String run) throws IOException, InterruptedException {
    return run(run).path("runner").path("pid").asLong();
  }

  void awaitStatus(String run, String status) {
    awaitStatus(run, status, LONG);
  }

  void awaitStatus(String run, String status, Duration bound) {
    Await.until("run " + run + " is " + status, bound, () -> status(run).equals(status));
  }

  /** Returns the run's events as they are stored, oldest first. */
  List<JsonNode> events(String run) throws IOException, InterruptedException {
    Answer answer = http.get("/runs/" + run + "/events?limit=1000");
    List<JsonNode> events = new ArrayList<>();
    if (answer.status() != 404) {
      require(answer).path("events").forEach(events::add);
    }
    return events;
  }

  /** Returns the types of the run's events without their prefix. */
  List<String> types(String run) throws IOException, InterruptedException {
    return events(run).stream()
        .map(event -> event.path("type").asText())
        .map(type -> type.substring(type.lastIndexOf('.') + 1))
        .toList();
  }

  /** Waits until the run waits for an answer; returns the id of the approval. */
  String awaitApproval(String run) throws IOException, InterruptedException {
    Await.until("run " + run + " waits", LONG, () -> !approval(run).isEmpty());
    return approval(run);
  }

  private String approval(String run) throws IOException, InterruptedException {
    return run(run).path("waiting").path(0).path("approval").asText();
  }

  void cancel(String run) throws IOException, InterruptedException {
    require(http.post("/runs/" + run + "/cancel", AttackHttpClient.JSON_TYPE, "{}"));
  }

  /** Ends a run that an attack has left. */
  void cancelIfOpen(String run) throws IOException, InterruptedException {
    http.post("/runs/" + run + "/cancel", AttackHttpClient.JSON_TYPE, "{}");
  }

  /** Returns the reasons of the run's dead letters; empty before there were any of them. */
  List<String> deadLetters(String run) throws IOException, InterruptedException {
    Answer answer = http.get("/dead-letters?run=" + run);
    List<String> reasons = new ArrayList<>();
    if (answer.status() != 404) {
      require(answer)
          .path("dead_letters")
          .forEach(letter -> reasons.add(letter.path("message").asText()));
    }
    return reasons;
  }

  /** Returns the output of a step, by the end of its path; empty before it has completed. */
  Optional<String> output(String run, String step) throws IOException, InterruptedException {
    return events(run).stream()
        .filter(event -> event.path("type").asText().endsWith("step_completed"))
        .map(event -> event.path("data"))
        .filter(data -> data.path("step").asText().endsWith(step))
        .map(data -> data.path("output").path("value").asText())
        .findFirst();
  }

  /** Returns the path at which the approval is answered. */
  String approvalPath(String approval) {
    return target.version().approvalsPath + "/" + approval;
  }

  /** Whether the condition holds within the time. */
  static boolean holdsWithin(Duration bound, Await.Condition condition) {
    try {
      Await.until("the effect of the attack", bound, condition);
      return true;
    } catch (AssertionError notWithinTheTime) {
      return false;
    }
  }

  AttackHttpClient http() {
    return http;
  }

  static JsonNode require(Answer answer) throws IOException {
    if (!answer.isSuccess()) {
      throw new IOException("the owner's request failed: " + answer);
    }
    return answer.json();
  }
}
