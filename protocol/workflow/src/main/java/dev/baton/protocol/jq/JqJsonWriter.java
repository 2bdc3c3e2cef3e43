/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes values as jq does: compact, with jq's number format. */
final class JqJsonWriter {
  private JqJsonWriter() {}

  static String of(JqEvaluator m, JsonNode value) {
    Writer writer = new Writer(m, Integer.MAX_VALUE);
    writer.write(value);
    return writer.out.toString();
  }

  /**
   * Shortens a value for error messages to at most {@code most} UTF-8 bytes, with three dots at the
   * end where it was cut.
   */
  static String shortened(JsonNode value, int most) {
    Writer writer = new Writer(null, most + 1);
    writer.write(value);
    String text = writer.out.toString();
    if (text.getBytes(StandardCharsets.UTF_8).length <= most) {
      return text;
    }
    int bytes = 0;
    int at = 0;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > most - 3) {
        break;
      }
      at += Character.charCount(point);
    }
    return text.substring(0, at) + "...";
  }

  private static final class Writer {
    final StringBuilder out = new StringBuilder();
    private final @Nullable JqEvaluator m;
    private final int enough;

    Writer(@Nullable JqEvaluator m, int enough) {
      this.m = m;
      this.enough = enough;
    }

    void write(JsonNode value) {
      if (out.length() >= enough) {
        return;
      }
      if (value.isTextual()) {
        text(value.textValue());
      } else if (value.isNumber()) {
        append(JqArithmetic.text(value));
      } else if (value.isArray()) {
        char before = '[';
        for (JsonNode element : value) {
          append(before == '[' ? "[" : ",");
          before = ',';
          write(element);
          if (out.length() >= enough) {
            return;
          }
        }
        append(before == '[' ? "[]" : "]");
      } else if (value.isObject()) {
        char before = '{';
        for (Map.Entry<String, JsonNode> member : value.properties()) {
          append(before == '{' ? "{" : ",");
          before = ',';
          text(member.getKey());
          append(":");
          write(member.getValue());
          if (out.length() >= enough) {
            return;
          }
        }
        append(before == '{' ? "{}" : "}");
      } else {
        append(value.asText());
      }
    }

    private void text(String text) {
      String shown = text.length() > enough ? text.substring(0, enough) : text;
      append("\"");
      if (m != null) {
        m.charge(2L * shown.length());
      }
      JsonStringEncoder.getInstance().quoteAsString(shown, out);
      append("\"");
    }

    private void append(String part) {
      if (m != null) {
        m.charge(2L * part.length());
      }
      out.append(part);
    }
  }
}
