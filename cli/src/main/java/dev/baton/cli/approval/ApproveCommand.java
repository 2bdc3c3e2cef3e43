/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.command.JsonArgumentReader;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code baton approve ID|APPROVAL}. */
@Command(
    name = "approve",
    description = "Answer an approval. Default answer: {\"approved\": true}.",
    footer = {
      "%nExamples:",
      "  baton approve 7c9e2f --comment 'looks fine'",
      "  baton approve 7c9e2f toolu_01          # one of several tool calls",
      "  baton approve 7c9e2f --answer '{\"approved\": true, \"channel\": \"beta\"}'",
      "  baton approve APPROVAL --checkpoint sha256:…   # valid for these files only"
    })
public final class ApproveCommand implements Runnable {
  private final CommandContext context;

  @Mixin private ApprovalAnswerOptions options = new ApprovalAnswerOptions();

  @Option(
      names = "--answer",
      paramLabel = "JSON",
      description = "The answer that the approval requests.")
  private @Nullable String answer;

  public ApproveCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public void run() {
    JsonNode value =
        answer == null
            ? Json.mapper().createObjectNode().put("approved", true)
            : JsonArgumentReader.read(answer, "--answer");
    options.send(context, value);
  }
}
