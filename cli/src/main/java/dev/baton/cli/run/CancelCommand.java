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
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton cancel ID}, or all runs that match a filter. */
@Command(
    name = "cancel",
    description =
        "Stop a run permanently, or all active runs that match a filter. An ended run is a conflict.",
    footer = {
      "%nExamples:",
      "  baton cancel 7c9e2f --reason 'wrong branch'",
      "  baton cancel --workflow nightly --status pending --dry-run",
      "  baton cancel --label team=search --since 2h --yes -o json"
    })
public final class CancelCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "A run's id, or its last six characters.")
  private @Nullable String id;

  @Mixin private BulkRunAction bulk = new BulkRunAction();

  @Option(names = "--reason", description = "The reason, stored in the run's trace.")
  private @Nullable String reason;

  public CancelCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    if ((id == null) != bulk.isWanted()) {
      throw CliException.usage(
          "give a run's id, or a filter (--label, --status, --workflow, --since, --all)");
    }
    if (id == null) {
      return bulk.run(
          context,
          "cancel",
          body -> {
            if (reason != null) {
              body.put("reason", reason);
            }
          });
    }
    String run = RunRef.parse(id).id(context.client());
    ObjectNode body = Json.mapper().createObjectNode();
    if (reason != null) {
      body.put("reason", reason);
    }
    JsonNode answer = context.client().post("/runs/" + run + "/cancel", body);
    context.show(answer, RunPrinter.displayId(answer) + " is being cancelled");
    return CliExitCode.OK.number();
  }
}
