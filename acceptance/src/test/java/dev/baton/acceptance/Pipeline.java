/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A run of {@code pipeline.yaml} and what must be true of it, told from the trace and from the
 * ledger its steps wrote.
 */
final class Pipeline {
  static final String NAME = "acceptance-pipeline";
  private static final Duration END = Duration.ofSeconds(120);

  final String run;
  private final Api api;
  private final Path ledger;

  private Pipeline(Api api, String run, Path ledger) {
    this.api = api;
    this.run = run;
    this.ledger = ledger;
  }

  static String definition() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(Pipeline.class.getResourceAsStream("/pipeline.yaml"))) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * @param pace seconds that every shell step takes at least
   */
  static Pipeline start(Api api, Path folder, String name, String pace)
      throws IOException, InterruptedException {
    Path ledger = Files.createFile(folder.resolve(name + ".ledger"));
    ObjectNode input =
        Api.JSON.createObjectNode().put("ledger", ledger.toString()).put("pace", pace);
    return new Pipeline(api, api.start(NAME, input), ledger);
  }

  /** Answers the approval when it waits, until the run has ended. */
  JsonNode finish() {
    Await.until(
        "run " + run + " ends",
        END,
        () -> {
          String status = api.run(run).path("status").asText();
          if (status.equals("waiting")) {
            api.approve(run);
          }
          return ended(status);
        });
    try {
      return api.run(run);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("run " + run + " ended but cannot be read", e);
    }
  }

  private static boolean ended(String status) {
    return Set.of("completed", "failed", "cancelled", "lost").contains(status);
  }

  /** Waits until the ledger has a line that begins a step whose path contains {@code step}. */
  void awaitBegin(String step) {
    Await.until(
        "step " + step + " of " + run + " begins",
        END,
        () ->
            Files.readAllLines(ledger).stream()
                .anyMatch(l -> l.contains(step) && l.endsWith("begin")));
  }

  /** Steps that ran again after they had completed: from the trace, and from the ledger. */
  Set<String> repeated() throws IOException, InterruptedException {
    Set<String> repeated = new HashSet<>();
    Map<String, Integer> completedBy = new HashMap<>();
    for (JsonNode event : api.events(run)) {
      if (!event.path("type").asText().equals("step_completed")) {
        continue;
      }
      String step = event.path("data").path("step").asText();
      int epoch = Integer.parseInt(event.path("id").asText().split("/", -1)[1]);
      boolean withoutCut = event.path("data").path("without_cut").asBoolean();
      if (completedBy.containsKey(step)) {
        repeated.add(step + " completed by epochs " + completedBy.get(step) + " and " + epoch);
      }
      if (!withoutCut) {
        completedBy.put(step, epoch);
      }
    }
    if (completedBy.size() < 10) {
      throw new AssertionError(
          "the trace of " + run + " names too few completed steps: " + completedBy);
    }
    for (String line : Files.readAllLines(ledger)) {
      List<String> words = List.of(line.split(" ", -1));
      Integer by = completedBy.get(words.get(0));
      if (by != null && Integer.parseInt(words.get(1)) > by) {
        repeated.add(line + ", though epoch " + by + " had completed it");
      }
    }
    return repeated;
  }
}
