/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton reject ID|APPROVAL}. */
@Command(name = "reject", description = "Answer an approval with {\"approved\": false}.")
public final class RejectCommand implements Runnable {
  private final CommandContext context;

  @Mixin private ApprovalAnswerOptions options = new ApprovalAnswerOptions();

  @Option(
      names = "--message",
      description = "The result that the agent's model gets of a refused tool call.")
  private @Nullable String message;

  public RejectCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    ObjectNode answer = Json.mapper().createObjectNode().put("approved", false);
    if (message != null) {
      answer.put("message", message);
    }
    options.send(context, answer);
  }
}
