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
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TimeFormatter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton events ID [-f]}. */
@Command(
    name = "events",
    description = "Show a run's trace. With -o json: one event per line, as it was recorded.")
public final class EventsCommand implements Runnable {
  private static final int PAGE = 1000;

  private final CommandContext context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Follow until the run ends, also across a restart of the server.")
  private boolean follow;

  @Option(
      names = "--after",
      paramLabel = "POSITION",
      description = "Omit events up to this position.")
  private long after;

  public EventsCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (after < 0) {
      throw CliException.usage("--after " + after + " is not 0 or more");
    }
    String run = RunRef.parse(id).id(context.client());
    if (follow) {
      RunRef.parse(run).fetch(context.client());
      new RunEventFollower(context.client(), run, after)
          .follow(
              event -> {
                print(event);
                return true;
              });
      return;
    }
    long position = after;
    int read;
    do {
      JsonNode page =
          context
              .client()
              .get(
                  UrlQueryBuilder.of("/runs/" + run + "/events")
                      .with("after", position)
                      .with("limit", PAGE)
                      .toString());
      read = page.path("events").size();
      for (JsonNode envelope : page.path("events")) {
        ApiRunEvent event = ApiRunEvent.of(envelope);
        position = event.position();
        print(event);
      }
    } while (read == PAGE);
  }

  private void print(ApiRunEvent event) {
    if (context.json()) {
      context.printJsonLine(event.envelope());
    } else {
      context.print(
          context.style().dim(TimeFormatter.clock(event.time()))
              + "  "
              + EventLineFormatter.of(event));
    }
  }
}
