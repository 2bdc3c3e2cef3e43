/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.json.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of a command that answers an approval; sends the answer. */
final class ApprovalAnswerOptions {
  @Parameters(
      index = "0",
      paramLabel = "ID|APPROVAL",
      description = "An approval's id, or the run that waits for it.")
  private String ref = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "WHICH",
      description =
          "Which approval of the run, where it waits for several: the end of its id, the id of its tool call, or the name of its step or tool.")
  private @Nullable String which;

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

  void send(CommandContext context, JsonNode answer) {
    String approval = new ApprovalRef(ref, which).resolve(context.client());
    String seen = checkpoint == null ? show(context, approval) : checkpoint;
    ObjectNode body = Json.mapper().createObjectNode();
    body.set("answer", answer);
    context.putAuthor(body, by);
    if (comment != null) {
      body.put("comment", comment);
    }
    if (seen != null) {
      body.put("checkpoint", seen);
    }
    JsonNode result = context.client().post("/approvals/" + UrlQueryBuilder.encode(approval), body);
    context.show(result, approval + " answered: " + answer);
  }

  /**
   * Shows the question and the checkpoint that the answer is bound to. Returns that checkpoint's
   * digest.
   */
  private static @Nullable String show(CommandContext context, String approval) {
    JsonNode asked = context.client().get("/approvals/" + UrlQueryBuilder.encode(approval));
    String checkpoint = asked.hasNonNull("checkpoint") ? asked.path("checkpoint").asText() : null;
    if (!context.json()) {
      context.print("prompt: " + TextEscaper.block(asked.path("prompt").asText()));
      ToolCallPrinter.print(context, asked.path("tool"), "");
      if (checkpoint != null) {
        context.print("about checkpoint " + checkpoint);
      }
    }
    return checkpoint;
  }
}
