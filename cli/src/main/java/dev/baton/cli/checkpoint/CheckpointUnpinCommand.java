/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.command.CommandContext;
import picocli.CommandLine.Command;

/** {@code baton checkpoint unpin ID}. */
@Command(
    name = "unpin",
    description = "Unpin a checkpoint: retention applies to it again.",
    footer = {"%nExample:", "  baton checkpoint unpin 4v8k2m"})
final class CheckpointUnpinCommand extends SingleCheckpointCommand implements Runnable {
  CheckpointUnpinCommand(CommandContext context) {
    super(context);
  }

  @Override
  public void run() {
    JsonNode unpinned =
        context.client().delete(checkpoint().path("/pin"), OrchestratorRestClient.REQUEST);
    context.show(unpinned, "checkpoint " + unpinned.path("id").asText() + " is not pinned");
  }
}
