/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Formats such as {@code @base64}. */
final class JqFormatLibrary {
  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  private JqFormatLibrary() {}

  /**
   * @throws JqSyntaxException for an unknown format
   */
  static JqNativeCallFilter.Function of(String name, int offset) {
    return switch (name) {
      case "text" -> (m, in, a) -> JqTypeSystem.text(text(m, in));
      case "json" -> (m, in, a) -> JqTypeSystem.text(JqJsonWriter.of(m, in));
      case "html" -> (m, in, a) -> JqTypeSystem.text(html(m, text(m, in)));
      case "uri" -> (m, in, a) -> JqTypeSystem.text(uri(m, text(m, in)));
      case "urid" -> (m, in, a) -> JqTypeSystem.text(fromUri(m, text(m, in)));
      case "csv" -> (m, in, a) -> JqTypeSystem.text(row(m, in, "csv", ",", JqFormatLibrary::csv));
      case "tsv" -> (m, in, a) -> JqTypeSystem.text(row(m, in, "tsv", "\t", JqFormatLibrary::tsv));
      case "sh" -> (m, in, a) -> JqTypeSystem.text(shell(m, in));
      case "base64" ->
          (m, in, a) -> {
            byte[] bytes = bytes(m, in);
            m.charge(3L * bytes.length);
            return JqTypeSystem.text(Base64.getEncoder().encodeToString(bytes));
          };
      case "base64d" -> (m, in, a) -> fromBase64(m, in);
      case "base32" -> (m, in, a) -> JqTypeSystem.text(base32(m, bytes(m, in)));
      case "base32d" -> (m, in, a) -> fromBase32(m, in);
      default -> throw new JqSyntaxException(name + " is not a valid format", offset);
    };
  }

  /** Text unchanged, everything else as JSON. */
  static String text(JqEvaluator m, JsonNode in) {
    return in.isTextual() ? in.textValue() : JqJsonWriter.of(m, in);
  }

  private static byte[] bytes(JqEvaluator m, JsonNode in) {
    String text = text(m, in);
    m.charge(3L * text.length());
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String html(JqEvaluator m, String text) {
    m.charge(12L * text.length());
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '&' -> out.append("&amp;");
        case '\'' -> out.append("&apos;");
        case '"' -> out.append("&quot;");
        default -> out.append(c);
      }
    }
    return out.toString();
  }

  private static String uri(JqEvaluator m, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    m.charge(9L * bytes.length);
    StringBuilder out = new StringBuilder();
    for (byte b : bytes) {
      char c = (char) (b & 0xFF);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "-_.~".indexOf(c) >= 0;
      if (plain) {
        out.append(c);
      } else {
        out.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      }
    }
    return out.toString();
  }

  private static String fromUri(JqEvaluator m, String text) {
    m.charge(4L * text.length());
    ByteBuffer out = ByteBuffer.allocate(3 * text.length());
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '%') {
        int value = at + 2 < text.length() ? hex(text, at + 1) : -1;
        if (value < 0) {
          throw new JqException(
              JqOperatorLibrary.shown(JqTypeSystem.text(text)) + " is not a valid uri encoding");
        }
        out.put((byte) value);
        at += 3;
      } else {
        int codePoint = text.codePointAt(at);
        out.put(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
        at += Character.charCount(codePoint);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(out.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new JqException(
          JqOperatorLibrary.shown(JqTypeSystem.text(text)) + " is not a valid uri encoding");
    }
  }

  private static int hex(String text, int at) {
    int high = Character.digit(text.charAt(at), 16);
    int low = Character.digit(text.charAt(at + 1), 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  private static String row(
      JqEvaluator m, JsonNode in, String name, String separator, Function<String, String> quoted) {
    if (!in.isArray()) {
      throw new JqException(
          JqOperatorLibrary.shown(in) + " cannot be " + name + "-formatted, only an array can be");
    }
    StringBuilder out = new StringBuilder();
    String before = "";
    for (JsonNode element : in) {
      out.append(before);
      before = separator;
      if (element.isContainerNode()) {
        throw new JqException(
            JqOperatorLibrary.shown(element) + " is not valid in a " + name + " row");
      }
      String text = element.isNull() ? "" : text(m, element);
      m.charge(4L * text.length() + 2);
      out.append(element.isTextual() ? quoted.apply(text) : text);
    }
    return out.toString();
  }

  private static String csv(String text) {
    return "\"" + text.replace("\"", "\"\"") + "\"";
  }

  private static String tsv(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  private static String shell(JqEvaluator m, JsonNode in) {
    StringBuilder out = new StringBuilder();
    Iterable<JsonNode> words = in.isArray() ? in : List.of(in);
    String before = "";
    for (JsonNode word : words) {
      if (word.isContainerNode()) {
        throw new JqException(JqOperatorLibrary.shown(word) + " can not be escaped for shell");
      }
      String text = text(m, word);
      m.charge(8L * text.length());
      out.append(before).append(word.isTextual() ? "'" + text.replace("'", "'\\''") + "'" : text);
      before = " ";
    }
    return out.toString();
  }

  private static JsonNode fromBase64(JqEvaluator m, JsonNode in) {
    String text = text(m, in);
    m.charge(4L * text.length());
    String bare = text.replaceAll("=+$", "");
    if (bare.length() % 4 == 1) {
      throw new JqException(JqOperatorLibrary.shown(in) + " trailing base64 byte found");
    }
    try {
      return JqTypeSystem.text(
          new String(Base64.getDecoder().decode(bare), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new JqException(JqOperatorLibrary.shown(in) + " is not valid base64 data");
    }
  }

  private static String base32(JqEvaluator m, byte[] bytes) {
    m.charge(4L * bytes.length);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < bytes.length; i += 5) {
      long group = 0;
      int count = Math.min(5, bytes.length - i);
      for (int j = 0; j < 5; j++) {
        group = group << 8 | (j < count ? bytes[i + j] & 0xFF : 0);
      }
      int digits = (count * 8 + 4) / 5;
      for (int j = 0; j < 8; j++) {
        out.append(j < digits ? BASE32.charAt((int) (group >> (35 - 5 * j)) & 31) : '=');
      }
    }
    return out.toString();
  }

  private static JsonNode fromBase32(JqEvaluator m, JsonNode in) {
    String text = text(m, in);
    m.charge(2L * text.length());
    ByteBuffer out = ByteBuffer.allocate(text.length());
    int bits = 0;
    int held = 0;
    for (char c : text.replaceAll("=+$", "").toCharArray()) {
      int digit = BASE32.indexOf(c);
      if (digit < 0) {
        throw new JqException(JqOperatorLibrary.shown(in) + " is not valid base32 data");
      }
      held = held << 5 | digit;
      bits += 5;
      if (bits >= 8) {
        bits -= 8;
        out.put((byte) (held >> bits));
      }
    }
    return JqTypeSystem.text(new String(out.array(), 0, out.position(), StandardCharsets.UTF_8));
  }
}
