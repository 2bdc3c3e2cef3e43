/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextTable;
import dev.baton.protocol.trace.RunId;
import picocli.CommandLine.Command;

/** {@code baton runners}. */
@Command(name = "runners", description = "Show the runner processes and their runs.")
public final class RunnersCommand implements Runnable {
  private final CommandContext context;

  public RunnersCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    JsonNode answer = context.client().get("/runners");
    if (context.json()) {
      context.printJson(answer);
      return;
    }
    TextTable table = new TextTable("RUNNER", "MODE", "PID", "RUN", "EPOCH", "STATE");
    for (JsonNode runner : answer.isArray() ? answer : answer.path("runners")) {
      String run = runner.path("run").asText("");
      table.row(
          runner.path("id").asText(runner.path("runner_id").asText("")),
          runner.path("mode").asText(""),
          runner.path("pid").asText(""),
          RunId.isValid(run) ? RunId.display(run) : run,
          runner.path("epoch").asText(""),
          runner.path("state").asText(""));
    }
    context.print(table, "no runners");
  }
}
