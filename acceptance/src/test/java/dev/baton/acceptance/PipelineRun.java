/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** A run of a {@link LedgerPipeline}, and its invariants, checked by its trace and its ledger. */
final class PipelineRun {
  private static final Duration END = Duration.ofSeconds(600);

  final String id;

  /** Ids of the steps that write to the ledger, in the order of the definition. */
  final List<String> shells;

  private final AcceptanceApiClient api;
  private final Path ledger;

  PipelineRun(AcceptanceApiClient api, String id, Path ledger, List<String> shells) {
    this.api = api;
    this.id = id;
    this.ledger = ledger;
    this.shells = shells;
  }

  /** Approves while the run waits, until it has completed; returns its output. */
  JsonNode output() throws IOException, InterruptedException {
    try {
      Await.until("run " + id + " ends", END, this::ended);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "; " + told(), e);
    }
    JsonNode run = api.run(id);
    if (!run.path("status").asText().equals("completed")) {
      throw new AssertionError("run " + id + " did not complete: " + told());
    }
    return run.path("output");
  }

  private boolean ended() throws IOException, InterruptedException {
    String status = api.run(id).path("status").asText();
    if (status.equals("waiting")) {
      api.approve(id);
    }
    return Set.of("completed", "failed", "cancelled", "lost").contains(status);
  }

  /** Waits until a step whose path contains {@code step} writes to the ledger. */
  void awaitBegin(String step) {
    Pattern line = Pattern.compile("(.*/)?" + Pattern.quote(step) + " \\d+");
    Await.until(
        "step " + step + " of " + id + " begins",
        END,
        () -> {
          if (api.run(id).path("status").asText().equals("waiting")) {
            api.approve(id);
          }
          return Files.readAllLines(ledger).stream().anyMatch(l -> line.matcher(l).matches());
        });
  }

  /**
   * Returns every completed step, including those in branches, with the epoch that completed it
   * last.
   */
  Map<String, Integer> completed() throws IOException, InterruptedException {
    Map<String, Integer> completed = new TreeMap<>();
    for (JsonNode event : completions()) {
      completed.put(event.path("data").path("step").asText(), epoch(event));
    }
    return completed;
  }

  /** Returns the steps that ran again after they had completed, by trace and ledger. */
  List<String> repeated() throws IOException, InterruptedException {
    List<String> repeated = new ArrayList<>();
    Map<String, Integer> completedBy = new HashMap<>();
    Set<String> withoutCut = new HashSet<>();
    for (JsonNode event : completions()) {
      String step = event.path("data").path("step").asText();
      Integer by = completedBy.get(step);
      if (by != null) {
        repeated.add(step + " completed by epochs " + by + " and " + epoch(event));
      }
      if (event.path("data").path("without_cut").asBoolean()) {
        withoutCut.add(step);
      } else {
        completedBy.put(step, epoch(event));
      }
    }
    for (String line : Files.readAllLines(ledger)) {
      List<String> words = List.of(line.split(" ", -1));
      Integer by = completedBy.get(words.get(0));
      if (by == null && withoutCut.contains(words.get(0))) {
        // Its files were not stored, so another epoch may have run it again.
        continue;
      }
      if (by == null) {
        throw new AssertionError(line + " is in the ledger, but its step has not completed");
      }
      if (Integer.parseInt(words.get(1)) > by) {
        repeated.add(line + ", though epoch " + by + " had completed it");
      }
    }
    return repeated;
  }

  private List<JsonNode> completions() throws IOException, InterruptedException {
    return api.events(id).stream()
        .filter(event -> event.path("type").asText().equals("step_completed"))
        .toList();
  }

  private static int epoch(JsonNode event) {
    return Integer.parseInt(event.path("id").asText().split("/", -1)[1]);
  }

  /** Returns the API's view of the run, and its last events. */
  private String told() throws IOException, InterruptedException {
    List<JsonNode> events = api.events(id);
    return api.run(id)
        + "\nits last events:\n"
        + String.join(
            "\n",
            events.subList(Math.max(0, events.size() - 12), events.size()).stream()
                .map(JsonNode::toString)
                .toList());
  }
}
