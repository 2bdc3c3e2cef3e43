/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.Terminal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton status [ID]}. */
@Command(
    name = "status",
    aliases = {"ps"},
    description = "Show runs, newest first, or one run with its steps.",
    footer = {
      "%nExamples:",
      "  baton status --status running,waiting --label team=search --since 2h",
      "  baton status 7c9e2f --watch"
    })
public final class StatusCommand implements Runnable {
  private static final Duration EACH = Duration.ofSeconds(1);

  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "A run's id, or its last six characters.")
  private @Nullable String id;

  @Mixin private RunFilterOptions filter = new RunFilterOptions();

  @Option(names = "--limit", description = "Maximum number of runs. Default: ${DEFAULT-VALUE}.")
  private int limit = 20;

  @Option(names = "--input", description = "Show the run's input instead, as JSON.")
  private boolean input;

  @Option(names = "--watch", description = "Refresh every second, until Ctrl-C or the run's end.")
  private boolean watch;

  public StatusCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    check();
    if (input) {
      if (id == null || watch) {
        throw CliException.usage(
            "--input requires a run's id, and cannot be combined with --watch");
      }
      String run = RunRef.parse(id).id(context.client());
      context.printJson(context.client().get("/runs/" + run + "/input"));
      return;
    }
    JsonNode before = null;
    RetryBackoff pause = RetryBackoff.of(EACH);
    while (true) {
      JsonNode answer = id == null ? list() : RunRef.parse(id).fetch(context.client());
      boolean screen = watch && context.style().colour();
      if (screen || !answer.equals(before)) {
        show(answer, screen);
      }
      if (!watch || id != null && EndedRunReader.hasEnded(answer)) {
        return;
      }
      before = answer;
      pause.next();
    }
  }

  private void check() {
    PageReader.check(limit);
    filter.check();
  }

  private void show(JsonNode answer, boolean screen) {
    if (context.json()) {
      if (watch) {
        context.printJsonLine(answer);
      } else {
        context.printJson(answer);
      }
      return;
    }
    if (screen) {
      context.terminal().out().print(Terminal.emptyScreen());
    }
    if (id == null) {
      RunPrinter.list(context, answer.path("runs"));
    } else {
      RunPrinter.detail(context, answer);
    }
    context.checkReader();
  }

  private JsonNode list() {
    return PageReader.read(
        context.client(), "runs", limit, () -> filter.on(UrlQueryBuilder.of("/runs")));
  }
}
