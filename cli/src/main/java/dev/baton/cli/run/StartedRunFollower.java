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

/** What a command that starts a run does then. */
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
        description = "Like --wait, and show its events as they come.")
    private boolean follow;

    @Option(names = "--detach", description = "Only start it. The default.")
    private boolean detach;
  }

  boolean waits() {
    return !waiting.detach && (waiting.wait || waiting.follow);
  }

  /**
   * @param run as the server told that it was created
   * @return the exit code
   */
  public int show(CommandContext context, JsonNode run) {
    return show(context, run, "started", 1);
  }

  /**
   * @param verb what has come of the run, for people
   * @param epoch what came before it is over, the run's earlier end for one, and not shown
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
    if (context.json()) {
      context.printJson(ended);
    } else {
      RunPrinter.detail(context, ended);
    }
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
      // Its trace still ends with its end, and a feed of it would, too.
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

  /** Whether an epoch begins with it, or a later one. */
  static boolean begins(ApiRunEvent event, int epoch) {
    return event.type().equals("runner_assigned") && event.data().path("epoch").asInt() >= epoch;
  }

  /** Ctrl-C pauses the run, then does so at once, then leaves it to itself. */
  private static void pressed(
      CommandContext context, ProgressIndicator progress, String id, int times) {
    if (times > 2) {
      progress.line("baton: left; the run goes on being paused");
      System.exit(CliExitCode.INTERRUPTED.number());
    }
    boolean now = times == 2;
    progress.line(
        now
            ? "baton: stopping the step in progress; Ctrl-C again leaves"
            : "baton: pausing after the step in progress; Ctrl-C again stops that at once");
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
