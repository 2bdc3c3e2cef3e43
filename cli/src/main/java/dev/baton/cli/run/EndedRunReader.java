/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A run after its last event was seen: the API's view follows the log, a moment behind. */
public final class EndedRunReader {
  private static final Duration VIEW_WITHIN = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

  private EndedRunReader() {}

  /**
   * The API's view of it, paused runs included. Waits up to five seconds, and for the request under
   * way then, until that view has ended as well: the steps are in it only then. Where it has not,
   * or cannot be had, what the last event says of the run's end stands in for it.
   *
   * @param last null where no event was seen: then the view is asked once and believed
   * @throws CliException when the view is asked once and cannot be had, or this thread is
   *     interrupted
   */
  public static JsonNode view(
      OrchestratorRestClient client, String id, @Nullable ApiRunEvent last) {
    return view(client, id, last, VIEW_WITHIN);
  }

  static JsonNode view(
      OrchestratorRestClient client, String id, @Nullable ApiRunEvent last, Duration within) {
    if (last == null || !(last.isLast() || last.isPause())) {
      return client.get("/runs/" + id);
    }
    ObjectNode known = Json.mapper().createObjectNode().put("id", id);
    RetryBackoff pause = new RetryBackoff(FIRST_PAUSE, LONGEST_PAUSE);
    long end = System.nanoTime() + within.toNanos();
    while (true) {
      try {
        if (client.get("/runs/" + id) instanceof ObjectNode view) {
          if (hasEnded(view) || (last.isPause() && isPaused(view))) {
            return view;
          }
          known = view;
        }
      } catch (CliException e) {
        // How the run has ended is known, whatever has become of the server since.
        if (e.code() == CliExitCode.INTERRUPTED) {
          throw e;
        }
      }
      if (System.nanoTime() - end >= 0) {
        return complete(known, last);
      }
      pause.next();
    }
  }

  /** Whether no runner will carry it on: not where it is queued to be resumed. */
  static boolean hasEnded(JsonNode run) {
    return !run.path("queued").isObject() && isTerminal(run);
  }

  /** The run once it has a place, where it is an ended one that is queued to be resumed. */
  static JsonNode placed(OrchestratorRestClient client, JsonNode run) {
    JsonNode now = run;
    RetryBackoff pause = new RetryBackoff(FIRST_PAUSE, LONGEST_PAUSE);
    while (now.path("queued").isObject() && isTerminal(now)) {
      pause.next();
      now = client.get("/runs/" + run.path("id").asText());
    }
    return now;
  }

  private static boolean isTerminal(JsonNode run) {
    return RunStatus.of(run.path("status").asText()).filter(RunStatus::isTerminal).isPresent();
  }

  static boolean isPaused(JsonNode run) {
    return run.path("status").asText().equals(RunStatus.PAUSED.word());
  }

  /** With what the event says and the view would say by now. */
  private static ObjectNode complete(ObjectNode view, ApiRunEvent last) {
    view.put("status", last.isPause() ? "paused" : last.type().substring("run_".length()));
    JsonNode output = last.data().path("output");
    if (output.isObject()) {
      // A large one is a reference to an object, in the view as in the event.
      view.set("output", output.has("value") ? output.path("value") : output);
    }
    if (last.data().path("error").isObject()) {
      view.set("error", last.data().path("error"));
    }
    return view;
  }
}
