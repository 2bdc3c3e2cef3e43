/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Returns the forms in which programs usually write a value: itself, the lines of a value with
 * several, Base64 at each of its three offsets, hexadecimal, and escaped for URLs and for JSON.
 */
final class SecretFormEncoder {
  /** Characters of a line of a value that count as secret by themselves. */
  static final int LEAST_LINE = 16;

  private static final Pattern LINE_ENDS = Pattern.compile("\\R");
  private static final Pattern ESCAPE = Pattern.compile("%[0-9A-F]{2}|\\\\u[0-9a-f]{4}");

  /** Characters that a kind of URL encoding keeps, in addition to letters and digits. */
  private static final List<String> KEPT_IN_URLS = List.of("-_.~", "-_.~/", "-_.!~*'()");

  private SecretFormEncoder() {}

  /** Returns the forms as bytes of UTF-8 without line ends. */
  static List<byte[]> forms(String value) {
    Set<String> texts = new LinkedHashSet<>();
    add(texts, value);
    // Messages have spaces in place of line ends.
    texts.add(LINE_ENDS.matcher(value).replaceAll(" "));
    for (String line : LINE_ENDS.split(value)) {
      String bare = line.strip();
      // The first and the last line of a key in PEM are not secret.
      if (bare.length() >= LEAST_LINE && !bare.startsWith("-----")) {
        add(texts, bare);
      }
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    for (int offset = 0; offset < 3; offset++) {
      texts.add(base64(bytes, offset, Base64.getEncoder()));
      texts.add(base64(bytes, offset, Base64.getUrlEncoder()));
    }
    texts.add(HexFormat.of().formatHex(bytes));
    texts.add(HexFormat.of().withUpperCase().formatHex(bytes));
    List<byte[]> forms = new ArrayList<>();
    for (String text : texts) {
      byte[] form = withoutLineEnds(text.getBytes(StandardCharsets.UTF_8));
      if (form.length > 0) {
        forms.add(form);
      }
    }
    return forms;
  }

  private static void add(Set<String> texts, String value) {
    texts.add(value);
    Set<String> escaped = new LinkedHashSet<>();
    for (String kept : KEPT_IN_URLS) {
      escaped.add(percent(value, kept));
    }
    escaped.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
    String json = json(value);
    escaped.add(json);
    escaped.add(json.replace("/", "\\/"));
    escaped.add(ascii(json, ""));
    // Some writers escape what HTML could interpret.
    escaped.add(ascii(json, "<>&='"));
    escaped.add(ascii(json, "<>&"));
    // JSON within JSON.
    escaped.add(json(json));
    texts.addAll(escaped);
    for (String text : escaped) {
      texts.add(
          ESCAPE
              .matcher(text)
              .replaceAll(
                  found ->
                      Matcher.quoteReplacement(
                          found.group().startsWith("%")
                              ? found.group().toLowerCase(Locale.ROOT)
                              : "\\u" + found.group().substring(2).toUpperCase(Locale.ROOT))));
    }
  }

  private static String json(String value) {
    String quoted = new String(Json.bytes(TextNode.valueOf(value)), StandardCharsets.UTF_8);
    return quoted.substring(1, quoted.length() - 1);
  }

  /** Escapes what is beyond ASCII, and these characters. */
  private static String ascii(String json, String more) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < json.length(); i++) {
      char next = json.charAt(i);
      if (next > 0x7e || more.indexOf(next) >= 0) {
        out.append("\\u").append(HexFormat.of().toHexDigits(next));
      } else {
        out.append(next);
      }
    }
    return out.toString();
  }

  private static String percent(String value, String kept) {
    StringBuilder out = new StringBuilder();
    for (byte next : value.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (next >= 'a' && next <= 'z')
              || (next >= 'A' && next <= 'Z')
              || (next >= '0' && next <= '9')
              || (next > 0 && kept.indexOf(next) >= 0);
      if (plain) {
        out.append((char) next);
      } else {
        out.append('%').append(HexFormat.of().withUpperCase().toHexDigits(next));
      }
    }
    return out.toString();
  }

  /**
   * Returns the characters of Base64 that depend only on the value, where it follows this many
   * other bytes.
   */
  private static String base64(byte[] value, int offset, Base64.Encoder encoder) {
    byte[] shifted = new byte[offset + value.length];
    System.arraycopy(value, 0, shifted, offset, value.length);
    String encoded = encoder.withoutPadding().encodeToString(shifted);
    int from = offset == 0 ? 0 : offset + 1;
    int to = shifted.length * 8 / 6;
    return encoded.substring(from, to);
  }

  private static byte[] withoutLineEnds(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    for (byte next : bytes) {
      if (next != '\r' && next != '\n') {
        out.write(next);
      }
    }
    return bytes.length == out.size() ? Arrays.copyOf(bytes, bytes.length) : out.toByteArray();
  }
}
