/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code baton checkpoint pin ID}. */
@Command(
    name = "pin",
    description = "Exclude a checkpoint from retention until it is unpinned.",
    footer = {"%nExample:", "  baton checkpoint pin 4v8k2m --reason 'before the migration'"})
final class CheckpointPinCommand extends SingleCheckpointCommand implements Runnable {
  @Option(names = "--reason", description = "The reason, shown with the checkpoint.")
  private @Nullable String reason;

  @Option(names = "--by", description = "The name of the person that pins it. Default: $$USER.")
  private @Nullable String by;

  CheckpointPinCommand(CommandContext context) {
    super(context);
  }

  @Override
  public void run() {
    ObjectNode body = Json.mapper().createObjectNode();
    if (reason != null) {
      body.put("reason", reason);
    }
    context.putAuthor(body, by);
    JsonNode pinned = context.client().put(checkpoint().path("/pin"), body);
    context.show(pinned, "checkpoint " + pinned.path("id").asText() + " is pinned");
  }
}
