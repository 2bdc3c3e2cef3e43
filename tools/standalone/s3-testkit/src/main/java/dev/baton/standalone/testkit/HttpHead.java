/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;

/**
 * The head of an HTTP/1.1 message, passed on byte for byte, so that signatures stay valid.
 *
 * @param bytes as received, including the empty line at its end
 */
record HttpHead(byte[] bytes) {
  private static final int MOST_BYTES = 64 << 10;
  private static final byte[] END = {'\r', '\n', '\r', '\n'};

  /** How the end of the body is detected. */
  sealed interface Body {
    /** After a number of bytes. */
    record Fixed(long length) implements Body {}

    /** After the last chunk. */
    record Chunked() implements Body {}

    /** At the end of the connection. */
    record ToTheEnd() implements Body {}
  }

  /**
   * Reads one; empty when the connection ends before its first byte.
   *
   * @throws IOException when the connection ends within it, or it is longer than 64 KiB
   */
  static Optional<HttpHead> read(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < END.length) {
      int next = in.read();
      if (next < 0) {
        if (bytes.size() == 0) {
          return Optional.empty();
        }
        throw new EOFException("the connection ended within the head of a message");
      }
      if (bytes.size() == MOST_BYTES) {
        throw new IOException("the head of a message is longer than " + MOST_BYTES + " bytes");
      }
      bytes.write(next);
      matched = next == END[matched] ? matched + 1 : next == END[0] ? 1 : 0;
    }
    return Optional.of(new HttpHead(bytes.toByteArray()));
  }

  String method() {
    return text().substring(0, text().indexOf(' '));
  }

  /** The status code of a response. */
  int status() {
    return Integer.parseInt(text().substring(9, 12));
  }

  Body requestBody() {
    return body(new Body.Fixed(0));
  }

  Body answerBody(String toMethod) {
    boolean none = toMethod.equals("HEAD") || status() == 204 || status() == 304;
    return none ? new Body.Fixed(0) : body(new Body.ToTheEnd());
  }

  private Body body(Body otherwise) {
    Optional<String> length = header("content-length");
    if (length.isPresent()) {
      return new Body.Fixed(Long.parseLong(length.get()));
    }
    return header("transfer-encoding").filter("chunked"::equalsIgnoreCase).isPresent()
        ? new Body.Chunked()
        : otherwise;
  }

  boolean closes() {
    return header("connection").filter("close"::equalsIgnoreCase).isPresent();
  }

  private Optional<String> header(String name) {
    return text()
        .lines()
        .skip(1)
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }

  private String text() {
    return new String(bytes, ISO_8859_1);
  }
}
