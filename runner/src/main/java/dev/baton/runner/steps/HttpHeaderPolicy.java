/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides which headers a request may carry, by RFC 9110: values are printable Latin-1 without line
 * breaks, the runner itself frames the message, and another origin gets only headers that hold no
 * credentials.
 */
final class HttpHeaderPolicy {
  /** Of the connection and the message's frame. */
  private static final Set<String> RUNNERS_OWN =
      Set.of(
          "connection",
          "content-length",
          "expect",
          "host",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** What another origin may see. Any other header may be a credential, whatever its name. */
  private static final Set<String> HARMLESS =
      Set.of(
          "accept",
          "accept-language",
          "cache-control",
          "content-language",
          "content-type",
          "idempotency-key",
          "user-agent");

  private HttpHeaderPolicy() {}

  /**
   * Checks a header of a step.
   *
   * @return its value, without blanks around it
   * @throws IllegalArgumentException when it cannot be sent; the message names the header, never
   *     its value
   */
  static String check(String name, String value) {
    if (RUNNERS_OWN.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          "header '%s' is set by the runner itself; others than %s are allowed"
              .formatted(name, String.join(", ", new TreeSet<>(RUNNERS_OWN))));
    }
    String stripped = value.strip();
    for (int i = 0; i < stripped.length(); i++) {
      char c = stripped.charAt(i);
      if (c == '\r' || c == '\n') {
        throw refused(name, "a line break");
      }
      if (c == 0) {
        throw refused(name, "a NUL character");
      }
      if (c < ' ' && c != '\t' || c >= 0x7f && c < 0xa0) {
        throw refused(name, "the control character U+%04X".formatted((int) c));
      }
      if (c > 0xff) {
        throw new IllegalArgumentException(
            "header '%s' has U+%04X; only Latin-1 is allowed: encode the value, percent-encoded (@uri) or as Base64 (@base64), say"
                .formatted(name, stripped.codePointAt(i)));
      }
    }
    return stripped;
  }

  private static IllegalArgumentException refused(String name, String what) {
    return new IllegalArgumentException(
        "header '%s' has %s, which no header may have".formatted(name, what));
  }

  /** Those that a redirect to another origin may take along. */
  static Map<String, String> harmless(Map<String, String> headers) {
    Map<String, String> kept = new LinkedHashMap<>(headers);
    kept.keySet().removeIf(name -> !HARMLESS.contains(name.toLowerCase(Locale.ROOT)));
    return kept;
  }

  /** Those of a request that has lost its body on the way. */
  static Map<String, String> withoutBody(Map<String, String> headers) {
    Map<String, String> kept = new LinkedHashMap<>(headers);
    kept.keySet().removeIf(name -> name.toLowerCase(Locale.ROOT).startsWith("content-"));
    return kept;
  }
}
