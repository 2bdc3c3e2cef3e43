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
 * Decides which headers a request may contain, by RFC 9110: values are printable Latin-1 without
 * line breaks, the runner itself sets the headers that frame the message, and another origin gets
 * only headers that contain no credentials.
 */
final class HttpHeaderPolicy {
  /** Headers of the connection and of the message framing. */
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

  /**
   * Headers that another origin may receive. Any other header may be a credential, regardless of
   * its name.
   */
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
   * @return its value without surrounding blanks
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
            "header '%s' has U+%04X; only Latin-1 is allowed: encode the value, for example percent-encoded (@uri) or as Base64 (@base64)"
                .formatted(name, stripped.codePointAt(i)));
      }
    }
    return stripped;
  }

  private static IllegalArgumentException refused(String name, String what) {
    return new IllegalArgumentException(
        "header '%s' has %s, which is not allowed in a header".formatted(name, what));
  }

  /** Returns the headers that a redirect to another origin may contain. */
  static Map<String, String> harmless(Map<String, String> headers) {
    Map<String, String> kept = new LinkedHashMap<>(headers);
    kept.keySet().removeIf(name -> !HARMLESS.contains(name.toLowerCase(Locale.ROOT)));
    return kept;
  }

  /** Returns the headers of a request whose body was dropped by a redirect. */
  static Map<String, String> withoutBody(Map<String, String> headers) {
    Map<String, String> kept = new LinkedHashMap<>(headers);
    kept.keySet().removeIf(name -> name.toLowerCase(Locale.ROOT).startsWith("content-"));
    return kept;
  }
}
