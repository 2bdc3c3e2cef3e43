/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import dev.baton.cli.command.CommandContext;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code baton reject ID|APPROVAL}. */
@Command(name = "reject", description = "Answer an approval with {\"approved\": false}.")
public final class RejectCommand implements Runnable {
  private final CommandContext context;

  @Parameters(
      paramLabel = "ID|APPROVAL",
      description = "An approval's id, or the run that waits for it.")
  private String ref = "";

  @Option(names = "--comment", description = "A comment, stored with the answer.")
  private @Nullable String comment;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "The name of the person that answers. Default: $$USER.")
  private @Nullable String by;

  @Option(
      names = "--checkpoint",
      paramLabel = "DIGEST",
      description = "The checkpoint that was reviewed. Default: the approval's current cut.")
  private @Nullable String checkpoint;

  public RejectCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    ApprovalAnswerSender.send(
        context,
        ref,
        Json.mapper().createObjectNode().put("approved", false),
        by,
        comment,
        checkpoint);
  }
}
