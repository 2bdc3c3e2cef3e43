/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code baton label ID KEY=VALUE KEY-}. */
@Command(
    name = "label",
    description = "Change the labels of a run in any status.",
    footer = {
      "%nExamples:",
      "  baton label 7c9e2f team=search urgent=yes",
      "  baton label 7c9e2f urgent-        # removes it"
    })
public final class LabelCommand implements Runnable {
  private final CommandContext context;

  @Parameters(
      index = "0",
      paramLabel = "ID",
      description = "A run's id, or its last six characters.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "KEY=VALUE|KEY-",
      description = "Sets a label, or removes it if its name ends with a minus.")
  private List<String> changes = List.of();

  public LabelCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    ObjectNode body = Json.mapper().createObjectNode();
    for (String change : changes) {
      int equals = change.indexOf('=');
      if (equals > 0) {
        body.put(change.substring(0, equals), change.substring(equals + 1));
      } else if (equals < 0 && change.length() > 1 && change.endsWith("-")) {
        body.putNull(change.substring(0, change.length() - 1));
      } else {
        throw CliException.usage("'%s' is neither KEY=VALUE nor KEY-".formatted(change));
      }
    }
    JsonNode run = context.client().patch("/runs/" + RunRef.parse(id).text() + "/labels", body);
    context.show(run, RunPrinter.displayId(run) + " has " + RunPrinter.labels(run.path("labels")));
  }
}
