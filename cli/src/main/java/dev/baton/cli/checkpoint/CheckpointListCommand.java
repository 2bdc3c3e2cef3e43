/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.PageReader;
import dev.baton.cli.client.RunRef;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton checkpoint list [RUN]}. */
@Command(
    name = "list",
    description = "List the checkpoints of a run, or of a project, newest first.",
    footer = {
      "%nExamples:",
      "  baton checkpoint list 7c9e2f",
      "  baton checkpoint list --project website --limit 100 -o json"
    })
final class CheckpointListCommand implements Runnable {
  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description =
          "A run's id, or its last six characters. Without one: all checkpoints of the project.")
  private @Nullable String run;

  @Option(names = "--project", description = "The project. Default: the project 'default'.")
  private @Nullable String project;

  @Option(
      names = "--limit",
      description = "Maximum number of checkpoints. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  CheckpointListCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    PageReader.check(limit);
    JsonNode all = all();
    context.show(all, () -> CheckpointPrinter.list(context, all.path("checkpoints"), run != null));
  }

  private JsonNode all() {
    String text = run == null ? null : RunRef.parse(run).text();
    return PageReader.read(
        context.client(),
        "checkpoints",
        limit,
        () -> UrlQueryBuilder.of("/checkpoints").with("run", text).with("project", project));
  }
}
