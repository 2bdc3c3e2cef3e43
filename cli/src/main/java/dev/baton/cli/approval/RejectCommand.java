/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code baton reject ID|APPROVAL}. */
@Command(name = "reject", description = "Answer an approval with {\"approved\": false}.")
public final class RejectCommand implements Runnable {
  private final CommandContext context;

  @Mixin private ApprovalAnswerOptions options = new ApprovalAnswerOptions();

  public RejectCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    options.send(context, Json.mapper().createObjectNode().put("approved", false));
  }
}
