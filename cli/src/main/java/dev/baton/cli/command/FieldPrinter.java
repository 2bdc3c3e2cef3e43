/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.TextEscaper;
import java.util.ArrayList;
import java.util.List;

/** Prints one object, one line per field; skips empty fields. */
public final class FieldPrinter {
  private final CommandContext context;
  private final String format;

  /**
   * @param width of the name column
   */
  public FieldPrinter(CommandContext context, int width) {
    this.context = context;
    this.format = "%-" + width + "s %s";
  }

  public void add(String name, String value) {
    if (!value.isEmpty()) {
      context.print(String.format(format, name, TextEscaper.block(value)));
    }
  }

  /** Returns the entries of an array of strings. */
  public static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
