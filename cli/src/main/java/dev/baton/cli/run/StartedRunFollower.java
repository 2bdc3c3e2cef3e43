/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.RunEventFollower;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.CtrlCHandler;
import dev.baton.cli.terminal.ProgressIndicator;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.cli.terminal.TimeFormatter;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of commands that start a run, and the wait for its end. */
public final class StartedRunFollower {
  @ArgGroup private WaitOptions waiting = new WaitOptions();

  private static final class WaitOptions {
    @Option(
        names = "--wait",
        description =
            "Wait for its end; exit 1 when it does not complete, 9 when it is paused. Ctrl-C pauses"
                + " it; a second one stops the step in progress at once, a third one leaves.")
    private boolean wait;

    @Option(
        names = {"-f", "--follow"},
        description = "Like --wait, and show its events as they arrive.")
    private boolean follow;

    @Option(names = "--detach", description = "Only start the run (default).")
    private boolean detach;
  }

  /** Whether the command only starts the run, as the option says. */
  public boolean isDetached() {
    return waiting.detach;
  }

  /** Whether the command waits for the run's end. */
  public boolean waits() {
    return !waiting.detach && (waiting.wait || waiting.follow);
  }

  /**
   * @param run as returned by the server when it was created
   * @return the exit code
   */
  public int show(CommandContext context, JsonNode run) {
    return show(context, run, "started", 1);
  }

  /**
   * @param verb what happened to the run, for messages
   * @param epoch events before this epoch are past, such as the run's earlier end, and are not
   *     shown
   */
  int show(CommandContext context, JsonNode run, String verb, int epoch) {
    if (!waits()) {
      if (context.json()) {
        context.printJson(run);
      } else {
        String id = RunPrinter.displayId(run);
        context.print("run " + run.path("id").asText() + " " + verb);
        context.print("  baton events " + id + " -f    baton status " + id);
      }
      return CliExitCode.OK.number();
    }
    JsonNode ended = await(context, run, epoch);
    context.show(ended, () -> RunPrinter.detail(context, ended));
    if (EndedRunReader.isPaused(ended)) {
      if (!context.json()) {
        context.print("");
        context.print("  baton resume " + RunPrinter.displayId(ended));
      }
      return CliExitCode.PAUSED.number();
    }
    boolean completed = ended.path("status").asText().equals("completed");
    return (completed ? CliExitCode.OK : CliExitCode.FAILED).number();
  }

  private JsonNode await(CommandContext context, JsonNode run, int epoch) {
    String id = run.path("id").asText();
    AtomicBoolean begun = new AtomicBoolean(epoch <= 1);
    if (!context.json()) {
      context.print("run " + id);
    }
    try (ProgressIndicator progress =
            ProgressIndicator.start(context.terminal(), "run " + RunPrinter.displayId(run));
        CtrlCHandler _ = CtrlCHandler.caught(times -> pressed(context, progress, id, times))) {
      boolean interactive = context.terminal().errIsTerminal();
      // The trace still ends with the run's earlier end; following it now would stop there.
      EndedRunReader.placed(context.client(), run);
      ApiRunEvent last =
          new RunEventFollower(context.client(), id, 0)
              .follow(
                  event -> {
                    if (begins(event, epoch)) {
                      begun.set(true);
                    }
                    if (begun.get()) {
                      show(context, progress, event, interactive);
                    }
                    return true;
                  },
                  event -> begun.get() && (event.isLast() || event.isPause()));
      return EndedRunReader.view(context.client(), id, last);
    }
  }

  /** Whether this event starts the given epoch or a later one. */
  static boolean begins(ApiRunEvent event, int epoch) {
    return event.type().equals("runner_assigned") && event.data().path("epoch").asInt() >= epoch;
  }

  /**
   * Handles Ctrl-C: the first pauses the run, the second pauses it at once, the third only leaves.
   */
  private static void pressed(
      CommandContext context, ProgressIndicator progress, String id, int times) {
    if (times > 2) {
      progress.line("baton: leaving; the run is still being paused");
      System.exit(CliExitCode.INTERRUPTED.number());
    }
    boolean now = times == 2;
    progress.line(
        now
            ? "baton: stopping the step in progress; press Ctrl-C again to leave"
            : "baton: pausing after the step in progress; press Ctrl-C again to stop it at once");
    try {
      PauseCommand.pause(context, id, now, null);
    } catch (CliException e) {
      progress.line("baton: " + e.line());
    }
  }

  private void show(
      CommandContext context, ProgressIndicator progress, ApiRunEvent event, boolean interactive) {
    if (waiting.follow && context.json()) {
      context.terminal().err().println(TextEscaper.json(event.envelope().toString()));
    } else if (waiting.follow) {
      progress.line(
          context.style().dim(TimeFormatter.clock(event.time()))
              + "  "
              + EventLineFormatter.of(event));
    } else if (interactive) {
      progress.update(EventLineFormatter.of(event));
    }
    if (event.type().equals("approval_requested") && !context.json()) {
      progress.line(
          context.style().attention("waits for you: ")
              + TextEscaper.block(event.data().path("prompt").asText()));
      progress.line("  baton approve " + event.data().path("approval").asText());
    }
  }
}
