/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CommandContext;
import picocli.CommandLine.Command;

/** {@code baton checkpoint show ID}. */
@Command(
    name = "show",
    description = "Show a checkpoint with its manifest.",
    footer = {
      "%nExamples:",
      "  baton checkpoint show 4v8k2m",
      "  baton checkpoint show 4v8k2m -o json | jq .manifest.git"
    })
final class CheckpointShowCommand extends SingleCheckpointCommand implements Runnable {
  CheckpointShowCommand(CommandContext context) {
    super(context);
  }

  @Override
  public void run() {
    JsonNode checkpoint = context.client().get(checkpoint().path(""));
    context.show(checkpoint, () -> CheckpointPrinter.detail(context, checkpoint));
  }
}
