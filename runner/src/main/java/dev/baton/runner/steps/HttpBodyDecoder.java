/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decodes a response body by the type and charset that the response declares. */
final class HttpBodyDecoder {
  private static final Pattern CHARSET =
      Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";,\\s]+)", Pattern.CASE_INSENSITIVE);
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private HttpBodyDecoder() {}

  /**
   * Returns the body as JSON if its type declares JSON and it is valid, as text otherwise; JSON
   * null if it is empty. Text without a charset is decoded as UTF-8, or by its byte order mark.
   *
   * @param contentType the header's value; empty if there is none
   * @throws UnsupportedCharsetException when the declared charset is not supported
   */
  static JsonNode decode(byte[] body, String contentType) {
    if (body.length == 0) {
      return NullNode.getInstance();
    }
    Optional<Charset> declared = charset(contentType);
    if (isJson(contentType)) {
      try {
        // Without a charset the reader detects UTF-8, UTF-16 and UTF-32 by the first bytes.
        return declared.isEmpty() || declared.get().equals(StandardCharsets.UTF_8)
            ? json(Json.checkedTree(body), body, declared)
            : json(
                Json.checkedTree(text(body, declared).getBytes(StandardCharsets.UTF_8)),
                body,
                declared);
      } catch (JacksonException notJson) {
        return TextNode.valueOf(text(body, declared));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return TextNode.valueOf(text(body, declared));
  }

  private static JsonNode json(JsonNode value, byte[] body, Optional<Charset> declared) {
    return value.isMissingNode() ? TextNode.valueOf(text(body, declared)) : value;
  }

  private static boolean isJson(String contentType) {
    return contentType.toLowerCase(Locale.ROOT).contains("json");
  }

  private static Optional<Charset> charset(String contentType) {
    Matcher matcher = CHARSET.matcher(contentType);
    if (!matcher.find()) {
      return Optional.empty();
    }
    String name = matcher.group(1);
    try {
      return Optional.of(Charset.forName(name));
    } catch (IllegalCharsetNameException e) {
      throw new UnsupportedCharsetException(name);
    }
  }

  private static String text(byte[] body, Optional<Charset> declared) {
    String text = new String(body, declared.orElseGet(() -> byMark(body)));
    return !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
  }

  private static Charset byMark(byte[] body) {
    int first = body.length < 2 ? 0 : (body[0] & 0xff) << 8 | body[1] & 0xff;
    return first == 0xfeff || first == 0xfffe ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8;
  }
}
