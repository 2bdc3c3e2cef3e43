/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TimeFormatter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Formats one event as one line. */
public final class EventLineFormatter {
  private static final int WIDEST = 120;

  private EventLineFormatter() {}

  /** Formats the event without its time: {@code step_completed clone (1.2 s)}. */
  public static String of(ApiRunEvent event) {
    return TextEscaper.oneLine(event.type() + " " + detail(event));
  }

  private static String detail(ApiRunEvent event) {
    JsonNode data = event.data();
    return switch (event.type()) {
      case "run_created" -> data.path("workflow").asText("");
      case "runner_assigned" ->
          "epoch %s (%s)".formatted(data.path("epoch").asText(), data.path("reason").asText());
      case "runner_started" -> runnerStarted(event);
      case "step_started" -> step(data) + attempt(data);
      case "step_completed" -> stepCompleted(data);
      case "step_failed" -> step(data) + ": " + failure(data.path("error"));
      case "step_retried" ->
          "%s: attempt %s failed: %s; next in %s"
              .formatted(
                  step(data),
                  data.path("attempt").asText(),
                  failure(data.path("error")),
                  TimeFormatter.duration(Duration.ofMillis(data.path("delay_ms").asLong())));
      case "step_skipped" -> step(data) + ": " + data.path("reason").asText();
      case "pause_requested" ->
          (data.path("now").asBoolean() ? "now" : "after the step in progress")
              + by(data)
              + (data.hasNonNull("reason") ? ": " + data.path("reason").asText() : "");
      case "resume_requested" -> resumeRequested(data);
      case "step_rerouted" -> step(data) + " → " + data.path("to").asText();
      case "approval_requested" -> step(data) + ": " + shorten(data.path("prompt").asText());
      case "approval_answered" ->
          "%s: %s%s".formatted(step(data), shorten(data.path("answer").toString()), by(data));
      case "labels_changed" -> RunPrinter.labels(data.path("labels"));
      case "checkpoint_saved" -> data.path("trigger").asText() + " " + step(data) + milestone(data);
      case "model_answered" -> modelAnswered(data);
      case "tool_begun", "tool_invoked" ->
          "%s: %s %s"
              .formatted(step(data), data.path("tool").asText(), data.path("outcome").asText(""))
              .strip();
      case "agent_session_created" ->
          "%s: %s, session %s%s"
              .formatted(
                  step(data),
                  data.path("agent").asText(),
                  data.path("session").asText(),
                  data.path("resumed").asBoolean() ? ", resumed" : "");
      case "agent_compacted" ->
          "%s: a summary replaces a conversation of %s tokens"
              .formatted(step(data), data.path("tokens_before").asText("unknown"));
      case "background_resumed" -> backgroundResumed(data);
      case "calls_repeated" ->
          "%s: %d calls may run again"
              .formatted(step(data), data.path("calls").size() + data.path("omitted").asInt());
      case "run_completed" -> shorten(data.path("output").path("value").toString());
      case "run_failed" -> step(data) + " " + failure(data.path("error"));
      case "run_cancelled" -> data.path("reason").asText("") + by(data);
      case "run_lost" -> data.path("reason").asText() + " " + data.path("detail").asText("");
      default -> step(data);
    };
  }

  private static String backgroundResumed(JsonNode data) {
    List<String> processes = new ArrayList<>();
    for (JsonNode process : data.path("processes")) {
      processes.add(
          process.path("command").asText()
              + " "
              + process.path("outcome").asText()
              + (process.hasNonNull("reason") ? ": " + process.path("reason").asText() : ""));
    }
    return step(data) + ": " + shorten(String.join("; ", processes));
  }

  private static String modelAnswered(JsonNode data) {
    List<String> tools = new ArrayList<>();
    data.path("tools").forEach(tool -> tools.add(tool.asText()));
    JsonNode usage = data.path("usage");
    return "%s: %s, %s tokens, %s%s"
        .formatted(
            step(data),
            data.path("model").asText(),
            TurnsCommand.tokens(usage),
            data.path("cost").isNumber()
                ? data.path("cost").decimalValue().toPlainString() + " USD"
                : "cost unknown",
            tools.isEmpty() ? "" : "; calls " + shorten(String.join(", ", tools)));
  }

  private static String runnerStarted(ApiRunEvent event) {
    JsonNode data = event.data();
    int replayed = data.path("replayed_steps").asInt();
    return "epoch %d pid %s%s%s"
        .formatted(
            event.epoch(),
            data.path("pid").asText("?"),
            data.hasNonNull("restored") ? ", workspace restored" : "",
            replayed > 0 ? ", takes over " + replayed + " completed steps" : "");
  }

  private static String stepCompleted(JsonNode data) {
    return "%s (%s)%s"
        .formatted(
            step(data),
            TimeFormatter.duration(Duration.ofNanos(data.path("duration_us").asLong() * 1000)),
            data.path("without_cut").asBoolean(false) ? " without a checkpoint" : "");
  }

  private static String resumeRequested(JsonNode data) {
    List<String> said = new ArrayList<>();
    if (data.hasNonNull("from")) {
      said.add("from " + data.path("from").asText());
    }
    data.path("set").fieldNames().forEachRemaining(step -> said.add("corrects " + step));
    data.path("skip").forEach(step -> said.add("skips " + step.asText()));
    data.path("changes").forEach(change -> said.add(change.asText()));
    data.path("budget")
        .properties()
        .forEach(limit -> said.add(limit.getKey() + " budget " + limit.getValue().asText()));
    return shorten(String.join(", ", said)) + by(data);
  }

  private static String step(JsonNode data) {
    int visit = data.path("visit").asInt(1);
    String step = data.path("step").asText("");
    return visit > 1 ? step + " (visit " + visit + ")" : step;
  }

  private static String attempt(JsonNode data) {
    int attempt = data.path("attempt").asInt(1);
    return attempt > 1 ? " (attempt " + attempt + ")" : "";
  }

  private static String milestone(JsonNode data) {
    JsonNode made = data.path("milestone");
    return made.isObject()
        ? ": milestone %d, %s, commit %s"
            .formatted(
                made.path("index").asInt(),
                shorten(made.path("title").asText()),
                made.path("commit").asText())
        : "";
  }

  private static String by(JsonNode data) {
    return data.hasNonNull("by") ? " by " + data.path("by").asText() : "";
  }

  private static String failure(JsonNode error) {
    return shorten(error.path("code").asText() + ": " + error.path("message").asText());
  }

  private static String shorten(String text) {
    return TextEscaper.oneLine(text, WIDEST);
  }
}
