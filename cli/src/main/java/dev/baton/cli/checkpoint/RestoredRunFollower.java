/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ByteSizeFormatter;
import dev.baton.cli.terminal.ProgressTreePrinter;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Follows a run that starts from a checkpoint until its runner has restored what the checkpoint
 * has, by the run's events, and prints each part as a line of a tree. For one run and one thread.
 */
final class RestoredRunFollower {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int PAGE = 1_000;

  private final CommandContext context;
  private final JsonNode checkpoint;
  private final String run;
  private final long end = System.nanoTime() + BOUND.toNanos();
  private final ObjectNode facts = Json.mapper().createObjectNode();
  private long position;

  /**
   * @param checkpoint with its manifest
   * @param run its id
   */
  RestoredRunFollower(CommandContext context, JsonNode checkpoint, String run) {
    this.context = context;
    this.checkpoint = checkpoint;
    this.run = run;
  }

  /**
   * Waits, two minutes at most, until the runner has restored the files, and has resumed the agent
   * where the checkpoint is a boundary of its turns.
   *
   * @return what was restored: {@code checkpoint}, {@code runner}, {@code size_bytes}, {@code
   *     screen}, {@code agent}
   * @throws CliException when the run ends or is paused before, or has not restored it in time
   */
  ObjectNode follow() throws IOException, InterruptedException {
    String id = checkpoint.path("id").asText();
    facts.put("checkpoint", id);
    ProgressTreePrinter tree =
        new ProgressTreePrinter(context.terminal(), context.style(), context.json());
    tree.title("Restoring checkpoint " + id + " in run " + run + "...");
    long bytes = checkpoint.path("size_bytes").asLong();
    String files = "Restoring workspace (" + ByteSizeFormatter.of(bytes) + ")";
    ProgressTreePrinter.Work restore =
        step -> {
          JsonNode started = await(event -> event.type().equals("runner_started"));
          facts.set("runner", started.path("runner"));
          facts.put("size_bytes", bytes);
          return "";
        };
    JsonNode manifest = checkpoint.path("manifest");
    if (!resumesAgent(manifest)) {
      tree.last(files, restore);
      return facts;
    }
    tree.step(files, restore);
    String path = manifest.path("run").path("step").asText();
    ObjectNode session = Json.mapper().createObjectNode();
    ProgressTreePrinter.Work screen =
        step -> {
          session.setAll((ObjectNode) await(event -> isSession(event, path)));
          return screen(session.path("screen"));
        };
    if (CheckpointPart.isIn(manifest, CheckpointPart.SCREEN)) {
      tree.step("Recreating tmux session", screen);
    }
    tree.last(
        "Resuming " + TextEscaper.oneLine(manifest.path("agent").path("use").asText()),
        step -> {
          if (session.isEmpty()) {
            session.setAll((ObjectNode) await(event -> isSession(event, path)));
          }
          return agent(session);
        });
    return facts;
  }

  /** Whether the agent continues at the checkpoint: only boundaries of its turns are for that. */
  private static boolean resumesAgent(JsonNode manifest) {
    return manifest.path("agent").isObject() && manifest.path("trigger").asText().equals("turn");
  }

  private static boolean isSession(ApiRunEvent event, String step) {
    return event.type().equals("agent_session_created")
        && event.step().equals(step)
        && !event.data().hasNonNull("parent");
  }

  private String screen(JsonNode restored) {
    if (!restored.isObject()) {
      return "an empty one; the log of the step has the reason";
    }
    facts.set("screen", restored);
    Map<String, Integer> counts = new LinkedHashMap<>();
    restored.properties().forEach(count -> counts.put(count.getKey(), count.getValue().asInt()));
    return CheckpointPart.counted(counts);
  }

  private String agent(JsonNode session) {
    ObjectNode agent = facts.putObject("agent");
    agent.set("use", session.path("agent"));
    agent.set("session", session.path("session"));
    String id = TextEscaper.oneLine(session.path("session").asText());
    String degraded = session.path("degraded").asText("");
    if (degraded.isEmpty()) {
      return "session " + id;
    }
    agent.put("degraded", degraded);
    return "in the new session %s: %s".formatted(id, TextEscaper.oneLine(degraded));
  }

  /** Returns the data of the next event that is wanted. */
  private JsonNode await(Predicate<ApiRunEvent> wanted) {
    RetryBackoff pause = new RetryBackoff(Duration.ofMillis(100), Duration.ofSeconds(1));
    while (true) {
      for (JsonNode each : page()) {
        ApiRunEvent event = ApiRunEvent.of(each);
        position = Math.max(position, event.position());
        if (wanted.test(event)) {
          return event.data();
        }
        if (event.isLast() || event.isPause()) {
          throw CliException.of(
              CliExitCode.FAILED,
              "run %s has the event %s; see `baton events %s`".formatted(run, event.type(), run));
        }
      }
      if (System.nanoTime() > end) {
        throw CliException.of(
            CliExitCode.TIMEOUT,
            "run %s was started, but has not restored the checkpoint within %s; see `baton status %s`"
                .formatted(run, TimeFormatter.duration(BOUND), run));
      }
      pause.next();
    }
  }

  /** Returns the next events; none where the server cannot answer now. */
  private JsonNode page() {
    try {
      return context
          .client()
          .get(
              UrlQueryBuilder.of("/runs/" + run + "/events")
                  .with("after", position)
                  .with("limit", PAGE)
                  .toString())
          .path("events");
    } catch (CliException e) {
      if (e.code() != CliExitCode.SERVER && e.code() != CliExitCode.UNREACHABLE) {
        throw e;
      }
      return Json.mapper().createArrayNode();
    }
  }
}
