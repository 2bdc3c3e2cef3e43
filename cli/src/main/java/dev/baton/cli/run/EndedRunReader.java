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

/**
 * Reads a run after its last event was seen: the API's view is built from the log and may be a
 * moment behind.
 */
public final class EndedRunReader {
  private static final Duration VIEW_WITHIN = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

  private EndedRunReader() {}

  /**
   * Returns the API's view of the run, also for paused runs. Waits up to five seconds, plus the
   * duration of the last request, until that view has ended as well: only then it has the steps. If
   * it has not, or is unavailable, completes it from the last event.
   *
   * @param last null when no event was seen: then the view is requested once and used as is
   * @throws CliException when the view is requested once and unavailable, or this thread is
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
        // The last event has the run's end, so an unreachable server does not matter.
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

  /** Whether no runner will continue the run: false when it is queued to be resumed. */
  static boolean hasEnded(JsonNode run) {
    return !run.path("queued").isObject() && isTerminal(run);
  }

  /** Waits until an ended run that is queued to be resumed has its place; returns the run. */
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

  /** Adds what the last event contains, and the view will contain later. */
  private static ObjectNode complete(ObjectNode view, ApiRunEvent last) {
    view.put("status", last.isPause() ? "paused" : last.type().substring("run_".length()));
    JsonNode output = last.data().path("output");
    if (output.isObject()) {
      // A large output is a reference to an object, in the view as in the event.
      view.set("output", output.has("value") ? output.path("value") : output);
    }
    if (last.data().path("error").isObject()) {
      view.set("error", last.data().path("error"));
    }
    return view;
  }
}
