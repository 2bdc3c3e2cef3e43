/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.EventFeed;
import dev.baton.cli.client.Query;
import dev.baton.cli.client.RunEvent;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.Context;
import dev.baton.cli.terminal.Times;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton events ID [-f]}. */
@Command(
    name = "events",
    description = "Show a run's trace. With -o json: one event per line, as it was recorded.")
public final class EventsCommand implements Runnable {
  private static final int PAGE = 1000;

  private final Context context;

  @Parameters(paramLabel = "ID", description = "A run's id, or its last six characters.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the run ends, also over a restart of the server.")
  private boolean follow;

  @Option(names = "--after", paramLabel = "POSITION", description = "Leave out what came before.")
  private long after;

  public EventsCommand(Context context) {
    this.context = context;
  }

  @Override
  public void run() {
    if (after < 0) {
      throw CliFailure.usage("--after " + after + " is not 0 or more");
    }
    String run = RunRef.parse(id).id(context.client());
    if (follow) {
      RunRef.parse(run).fetch(context.client());
      new EventFeed(context.client(), run, after)
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
                  Query.of("/runs/" + run + "/events")
                      .with("after", position)
                      .with("limit", PAGE)
                      .toString());
      read = page.path("events").size();
      for (JsonNode envelope : page.path("events")) {
        RunEvent event = RunEvent.of(envelope);
        position = event.position();
        print(event);
      }
    } while (read == PAGE);
  }

  private void print(RunEvent event) {
    if (context.json()) {
      context.printJsonLine(event.envelope());
    } else {
      context.print(context.style().dim(Times.clock(event.time())) + "  " + EventLine.of(event));
    }
  }
}
