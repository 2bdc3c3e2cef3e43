/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.approval.ToolCallPrinter;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.FieldPrinter;
import dev.baton.cli.terminal.TerminalStyle;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TextTable;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.trace.RunId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints runs as text. */
public final class RunPrinter {
  private RunPrinter() {}

  public static String displayId(JsonNode run) {
    String display = run.path("display_id").asText("");
    String id = run.path("id").asText("");
    return display.isEmpty() && RunId.isValid(id) ? RunId.display(id) : display;
  }

  static void list(CommandContext context, Iterable<JsonNode> runs) {
    TerminalStyle style = context.style();
    Instant now = Instant.now();
    TextTable table =
        new TextTable("ID", "WORKFLOW", "STATUS", "STEP", "DONE", "EPOCH", "AGE", "TOOK");
    for (JsonNode run : runs) {
      Instant created = TimeFormatter.instant(run.path("created_at"));
      table.row(
          displayId(run),
          run.path("workflow").asText("-"),
          style.status(run.path("status").asText()) + queued(run),
          String.join(", ", FieldPrinter.texts(run.path("current_steps"))),
          run.path("completed_steps").asText("0"),
          run.path("epoch").asText(),
          created == null ? "" : TimeFormatter.duration(Duration.between(created, now)),
          TimeFormatter.span(run.path("started_at"), run.path("ended_at"), now));
    }
    context.print(table, "no runs");
  }

  private static String queued(JsonNode run) {
    JsonNode position = run.path("queued").path("position");
    return position.isNumber() ? " (queued " + position.asText() + ")" : "";
  }

  private static String wait(JsonNode queued) {
    String launcher = queued.path("launcher").asText("");
    String pool = queued.path("pool").asText("");
    String position = queued.path("position").asText();
    String limit = queued.path("limit").asText("none");
    String detail = queued.path("detail").asText("");
    if (!detail.isEmpty()) {
      return "position %s; launcher %s, pool %s %s: %s"
          .formatted(
              position,
              launcher,
              pool,
              switch (queued.path("reason").asText()) {
                case "launcher_rejected" -> "rejects its runners";
                case "launcher_unavailable" -> "cannot be reached";
                case "pool_missing" -> "does not exist";
                default -> "has no room";
              },
              detail);
    }
    return launcher.isEmpty()
        ? "position %s; the workflow's limit is %s".formatted(position, limit)
        : "position %s; launcher %s%s is full; its limit is %s"
            .formatted(position, launcher, pool.isEmpty() ? "" : ", pool " + pool, limit);
  }

  private static String origin(JsonNode from) {
    if (!from.isObject()) {
      return "";
    }
    String step = from.path("step").asText("");
    String checkpoint = from.path("checkpoint").asText("");
    return from.path("run").asText()
        + (step.isEmpty() ? "" : ", step " + step)
        + (checkpoint.isEmpty() ? "" : ", checkpoint " + RunId.display(checkpoint));
  }

  /** Prints one run with its steps. */
  static void detail(CommandContext context, JsonNode run) {
    TerminalStyle style = context.style();
    Instant now = Instant.now();
    FieldPrinter fields = new FieldPrinter(context, 10);
    fields.add("run", run.path("id").asText());
    fields.add("workflow", run.path("workflow").asText("-"));
    fields.add("status", style.status(run.path("status").asText()));
    JsonNode queued = run.path("queued");
    if (queued.isObject()) {
      fields.add("queued", style.attention(wait(queued)));
    }
    JsonNode parked = run.path("parked");
    if (parked.isObject()) {
      fields.add(
          "parked",
          "since %s, without a runner; resumes %s"
              .formatted(
                  parked.path("since").asText(),
                  parked.hasNonNull("until")
                      ? "at "
                          + parked.path("until").asText()
                          + (run.path("waiting").isEmpty() ? "" : ", or when it is answered")
                      : "when it is answered"));
    }
    int priority = run.path("priority").asInt(0);
    fields.add("priority", priority == 0 ? "" : Integer.toString(priority));
    fields.add("deadline", run.path("deadline").asText(""));
    fields.add("forked from", origin(run.path("forked_from")));
    fields.add("steps now", String.join(", ", FieldPrinter.texts(run.path("current_steps"))));
    fields.add("epoch", run.path("epoch").asText());
    JsonNode runner = run.path("runner");
    if (runner.isObject()) {
      fields.add("runner", runner(runner));
    }
    long fenced = run.path("fenced").asLong(0);
    fields.add(
        "fenced",
        fenced == 0
            ? ""
            : style.attention(fenced + " events of runners that no longer held it were dropped"));
    String gap = run.path("trace_gap").asText("");
    fields.add("trace gap", gap.isEmpty() ? "" : style.bad(gap + ": an event was lost"));
    String logGap = logGap(run.path("log_gap"), run.path("display_id").asText());
    fields.add("log gap", logGap.isEmpty() ? "" : style.bad(logGap));
    String loop = crashLoop(run.path("crash_loop"));
    fields.add("crash loop", loop.isEmpty() ? "" : style.bad(loop));
    for (JsonNode lost : run.path("degraded")) {
      fields.add("degraded", style.attention(damaged(lost)));
    }
    JsonNode agent = run.path("agent");
    if (agent.isObject()) {
      fields.add("agent", agent(agent));
      fields.add("spent", spent(agent));
      String lostSession = agent.path("degraded").asText("");
      fields.add(
          "resume",
          lostSession.isEmpty()
              ? ""
              : style.attention("degraded, in a new session: " + lostSession));
      fields.add(
          "login",
          agent.path("own_login").asBoolean(false)
              ? style.attention("its own, without the gateway: answers may be paid twice")
              : "");
      for (JsonNode call : agent.path("repeated_calls")) {
        fields.add("repeated", style.attention(repeated(call)));
      }
      long more = agent.path("repeated_count").asLong() - agent.path("repeated_calls").size();
      fields.add("", more > 0 ? style.attention("and %d older calls".formatted(more)) : "");
    }
    fields.add("labels", labels(run.path("labels")));
    fields.add("created", run.path("created_at").asText(""));
    fields.add("took", TimeFormatter.span(run.path("started_at"), run.path("ended_at"), now));
    JsonNode error = run.path("error");
    if (error.isObject()) {
      fields.add(
          "error", style.bad(error.path("code").asText() + ": " + error.path("message").asText()));
    }
    for (JsonNode notice : run.path("notifications")) {
      fields.add("notified", told(notice));
    }
    List<String> unsaved = FieldPrinter.texts(run.path("without_checkpoint"));
    if (!unsaved.isEmpty()) {
      fields.add(
          "no checkpoint",
          style.attention(String.join(", ", unsaved) + " (a replacement runs them again)"));
    }
    List<String> leftOut = FieldPrinter.texts(run.path("left_out"));
    if (!leftOut.isEmpty()) {
      fields.add("left out", style.attention(String.join(", ", leftOut) + " (missing here)"));
    }
    if (run.hasNonNull("output")) {
      fields.add("output", run.path("output").toString());
    }
    steps(context, run.path("steps"), style);
    for (JsonNode waiting : run.path("waiting")) {
      context.print("");
      context.print(
          style.attention("waits: ") + TextEscaper.block(waiting.path("prompt").asText()));
      ToolCallPrinter.print(context, waiting.path("tool"), "  ");
      if (waiting.hasNonNull("checkpoint")) {
        context.print("  about checkpoint " + waiting.path("checkpoint").asText());
      }
      String approval = waiting.path("approval").asText();
      context.print("  baton approve " + approval);
      if (waiting.path("tool").isObject()) {
        context.print("  baton reject " + approval + " --message TEXT");
      }
    }
  }

  private static String repeated(JsonNode call) {
    return "%s(%s), %s: the resumed agent may have repeated it"
        .formatted(
            call.path("tool").asText("a call"),
            call.path("input").asText(""),
            call.path("outcome").asText("outcome unknown"));
  }

  private static String damaged(JsonNode lost) {
    String branch = lost.path("branch").asText();
    return "continued without %s%s: %s"
        .formatted(
            lost.path("digest").asText(),
            branch.isEmpty() ? "" : " of branch '" + branch + "'",
            lost.path("reason").asText());
  }

  /** Returns its process, or why it has not attached yet. */
  private static String runner(JsonNode runner) {
    String phase = runner.path("phase").asText("");
    String reason = runner.path("reason").asText("");
    String state =
        phase.isEmpty()
            ? "pid %s on %s"
                .formatted(runner.path("pid").asText("?"), runner.path("host").asText("?"))
            : reason.isEmpty() ? phase : phase + ": " + reason;
    return "%s (%s)".formatted(runner.path("id").asText(), state);
  }

  private static String logGap(JsonNode gap, String run) {
    return gap.isObject()
        ? "lane %s: expected seq %s, found %s: paused; check the run, then `baton resume %s`"
            .formatted(
                gap.path("lane").asText(),
                gap.path("expected").asText(),
                gap.path("found").asText(),
                run)
        : "";
  }

  private static String crashLoop(JsonNode loop) {
    if (!loop.isObject()) {
      return "";
    }
    String next = loop.path("next_attempt_at").asText("");
    return "%d failovers without progress, %s%s"
        .formatted(
            loop.path("failovers").asInt(),
            next.isEmpty() ? "trying" : "next attempt at " + next,
            lastExit(loop.path("last_exit")));
  }

  private static String lastExit(JsonNode exit) {
    if (!exit.isObject()) {
      return "";
    }
    String how =
        exit.hasNonNull("signal")
            ? "signal " + exit.path("signal").asText()
            : exit.hasNonNull("exit_code")
                ? "exit code " + exit.path("exit_code").asText()
                : exit.path("reason").asText().replace('_', ' ');
    return ", last exit: " + how;
  }

  private static String told(JsonNode notice) {
    String error = notice.path("last_error").asText("");
    return "%s by %s: %s after %s attempts%s"
        .formatted(
            notice.path("event").asText(),
            notice.path("channel").asText(),
            notice.path("status").asText(),
            notice.path("attempts").asText(),
            error.isEmpty() || notice.path("status").asText().equals("delivered")
                ? ""
                : " (" + error + ")");
  }

  private static void steps(CommandContext context, JsonNode steps, TerminalStyle style) {
    if (!steps.isArray() || steps.isEmpty()) {
      return;
    }
    context.print("");
    TextTable table =
        new TextTable("STEP", "KIND", "STATUS", "VISIT", "FAILED TRIES", "TOOK", "NOTE");
    for (JsonNode step : steps) {
      JsonNode error = step.path("error");
      table.row(
          step.path("step").asText(),
          step.path("kind").asText(""),
          style.status(step.path("status").asText()),
          step.path("visit").asText("1"),
          step.path("failed_attempts").asText("0"),
          took(step),
          error.isObject()
              ? error.path("code").asText() + ": " + error.path("message").asText()
              : step.path("reason").asText(""));
    }
    table.print(context.terminal().out(), style);
  }

  private static String took(JsonNode step) {
    long micros = step.path("duration_us").asLong(0);
    return micros == 0 ? "" : TimeFormatter.duration(Duration.ofNanos(micros * 1000));
  }

  static String labels(JsonNode labels) {
    List<String> pairs = new ArrayList<>();
    labels
        .properties()
        .forEach(label -> pairs.add(label.getKey() + "=" + label.getValue().asText()));
    return String.join(" ", pairs);
  }

  private static String agent(JsonNode agent) {
    String session = agent.path("session").asText("");
    return (agent.path("use").asText("") + " in step " + agent.path("step").asText("")).strip()
        + (session.isEmpty() ? "" : ", session " + session);
  }

  /** An unknown cost is never shown as a number alone. */
  private static String spent(JsonNode agent) {
    long diverged = agent.path("diverged").asLong();
    String cost =
        agent.path("cost").isNumber()
            ? agent.path("cost").decimalValue().toPlainString() + " USD"
            : "cost unknown (%s USD known, %d answers unknown)"
                .formatted(
                    agent.path("known_cost").decimalValue().toPlainString(),
                    agent.path("unknown_costs").asLong());
    return "%d turns, %d tokens, %s%s"
        .formatted(
            agent.path("turns").asLong(),
            agent.path("tokens").asLong(),
            cost,
            diverged == 0 ? "" : ", %d calls differed after a resume".formatted(diverged));
  }
}
