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

/** Sends the answer of an approval. */
final class ApprovalAnswerSender {
  private ApprovalAnswerSender() {}

  static void send(
      CommandContext context,
      String ref,
      JsonNode answer,
      @Nullable String by,
      @Nullable String comment,
      @Nullable String checkpoint) {
    String approval = new ApprovalRef(ref).resolve(context.client());
    String seen = checkpoint == null ? show(context, approval) : checkpoint;
    ObjectNode body = Json.mapper().createObjectNode();
    body.set("answer", answer);
    String name = by == null ? context.environment().get("USER") : by;
    if (name != null && !name.isBlank()) {
      body.put("by", name);
    }
    if (comment != null) {
      body.put("comment", comment);
    }
    if (seen != null) {
      body.put("checkpoint", seen);
    }
    JsonNode result = context.client().post("/approvals/" + UrlQueryBuilder.encode(approval), body);
    if (context.json()) {
      context.printJson(result);
    } else {
      context.print(approval + " answered: " + answer);
    }
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
      if (checkpoint != null) {
        context.print("about checkpoint " + checkpoint);
      }
    }
    return checkpoint;
  }
}
