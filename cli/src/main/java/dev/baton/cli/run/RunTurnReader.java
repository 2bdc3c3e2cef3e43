/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** Reads the turns of a run's agents from its events. Thread-safe. */
final class RunTurnReader {
  private static final int PAGE = 1000;

  private final OrchestratorRestClient client;

  RunTurnReader(OrchestratorRestClient client) {
    this.client = client;
  }

  /**
   * A turn: one answer of a model.
   *
   * @param number from 1, over all agent steps of the run
   * @param checkpoint the newest boundary before the answer was requested; empty where there is
   *     none
   */
  record Turn(int number, String checkpoint, ApiRunEvent event) {}

  /**
   * Reads turns until one is not wanted.
   *
   * @param run its whole id
   * @param wants called with each turn, in the order of the log; returns whether to continue
   * @return the number of turns read
   */
  int read(String run, Predicate<Turn> wants) {
    long position = 0;
    int turns = 0;
    String checkpoint = "";
    int read;
    do {
      JsonNode page =
          client.get(
              UrlQueryBuilder.of("/runs/" + run + "/events")
                  .with("after", position)
                  .with("limit", PAGE)
                  .toString());
      read = page.path("events").size();
      for (JsonNode envelope : page.path("events")) {
        ApiRunEvent event = ApiRunEvent.of(envelope);
        position = event.position();
        if (event.type().equals("checkpoint_saved") && event.data().path("turn").isObject()) {
          checkpoint = event.data().path("checkpoint").asText();
        } else if (event.type().equals("model_answered")
            && !wants.test(new Turn(++turns, checkpoint, event))) {
          return turns;
        }
      }
    } while (read == PAGE);
    return turns;
  }

  /**
   * Returns the boundary at which a turn was requested.
   *
   * @throws CliException when the run has no such turn, or no boundary before it
   */
  String checkpointOf(String run, int number) {
    AtomicReference<Optional<Turn>> found = new AtomicReference<>(Optional.empty());
    int turns =
        read(
            run,
            turn -> {
              found.set(Optional.of(turn).filter(each -> each.number() == number));
              return turn.number() < number;
            });
    Turn turn =
        found
            .get()
            .orElseThrow(
                () ->
                    CliException.usage(
                        "run %s has no turn %d; allowed: 1 to %d (baton turns %s)"
                            .formatted(run, number, turns, run)));
    if (turn.checkpoint().isEmpty()) {
      throw CliException.usage(
          "run %s: no boundary was captured before turn %d; choose a later turn (baton turns %s)"
              .formatted(run, number, run));
    }
    return turn.checkpoint();
  }
}
