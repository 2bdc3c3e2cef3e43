/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.approval;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.TextEscaper;
import dev.baton.protocol.json.TextShortener;

/** Prints the tool call that an approval is about. */
public final class ToolCallPrinter {
  /** Characters of an input in a terminal; {@code -o json} has all of them. */
  private static final int MAX_INPUT = 2_000;

  private ToolCallPrinter() {}

  /**
   * Prints nothing for an approval step.
   *
   * @param indent before each line
   */
  public static void print(CommandContext context, JsonNode tool, String indent) {
    if (!tool.isObject()) {
      return;
    }
    String input =
        tool.hasNonNull("input") ? tool.path("input").toString() : "(large; see GET /approvals)";
    context.print(
        indent
            + "tool "
            + TextEscaper.oneLine(tool.path("name").asText())
            + ", call "
            + TextEscaper.oneLine(tool.path("call").asText()));
    context.print(indent + "input " + TextEscaper.block(TextShortener.shorten(input, MAX_INPUT)));
    if (tool.hasNonNull("reason")) {
      context.print(indent + "reason " + TextEscaper.block(tool.path("reason").asText()));
    }
  }
}
