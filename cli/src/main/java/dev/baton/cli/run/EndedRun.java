/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.Client;
import dev.baton.cli.client.RunEvent;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.ExitCode;
import dev.baton.protocol.state.RunStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A run after its last event was seen: the API's view follows the log, a moment behind. */
public final class EndedRun {
  private static final Duration VIEW_WITHIN = Duration.ofSeconds(2);
  private static final long FIRST_PAUSE_MS = 5;
  private static final long LONGEST_PAUSE_MS = 100;

  private EndedRun() {}

  /**
   * The API's view of it, with the status the event says, whatever the view does. Waits up to two
   * seconds for the view, since the rest of it, the steps, is there only then.
   *
   * @param last null where no event was seen: then the view is asked once and believed
   */
  public static JsonNode view(Client client, String id, @Nullable RunEvent last) {
    JsonNode view = client.get("/runs/" + id);
    if (last == null || !last.isLast()) {
      return view;
    }
    long end = System.nanoTime() + VIEW_WITHIN.toNanos();
    long pauseMs = FIRST_PAUSE_MS;
    while (!hasEnded(view) && System.nanoTime() < end) {
      sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      view = client.get("/runs/" + id);
    }
    if (view instanceof ObjectNode known) {
      known.put("status", status(last));
    }
    return view;
  }

  /** Whether no runner will carry it on. */
  static boolean hasEnded(JsonNode run) {
    String word = run.path("status").asText();
    return Arrays.stream(RunStatus.values())
        .anyMatch(known -> known.word().equals(word) && known.isTerminal());
  }

  private static String status(RunEvent last) {
    return last.type().substring("run_".length());
  }

  private static void sleep(long ms) {
    try {
      TimeUnit.MILLISECONDS.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
  }
}
