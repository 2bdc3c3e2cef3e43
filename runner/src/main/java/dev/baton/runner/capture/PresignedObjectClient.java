/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/**
 * Uploads and downloads objects at presigned URLs. Uses the JDK's old HTTP client, which does not
 * load TLS for plain http URLs: a restore is on the path of every failover. A response that was
 * read to its end leaves its connection to the next transfer. An interrupt ends a transfer on a
 * virtual thread, but not on any other thread.
 */
final class PresignedObjectClient {
  private static final int CONNECT_MS = 5_000;
  private static final int READ_MS = 30_000;
  private static final int MAX_ERROR_BYTES = 500;

  /** A PUT continues as long as bytes are sent, however slowly. */
  private static final Duration STALLED = Duration.ofMillis(READ_MS);

  private static final int PIECE = 64 << 10;

  /** Another writer has already stored the same digest, so the same bytes. */
  private static final int ALREADY_THERE = HttpURLConnection.HTTP_PRECON_FAILED;

  /** Provides the bytes to send. */
  interface Body {
    InputStream open() throws IOException;
  }

  private PresignedObjectClient() {}

  /** Uploads the first {@code length} of the bytes. */
  static void put(String url, Map<String, String> headers, byte[] bytes, int length)
      throws IOException {
    put(url, headers, length, () -> new ByteArrayInputStream(bytes, 0, length), STALLED);
  }

  /**
   * @param stalled maximum time to send the next 64 KiB
   */
  static void put(String url, Map<String, String> headers, long size, Body body, Duration stalled)
      throws IOException {
    HttpURLConnection connection = open(url);
    StallWatcher watch = new StallWatcher(connection::disconnect, stalled);
    boolean done = false;
    try {
      connection.setRequestMethod("PUT");
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(size);
      headers.forEach(connection::setRequestProperty);
      send(body, connection, watch);
      int status = connection.getResponseCode();
      if (status / 100 != 2 && status != ALREADY_THERE) {
        throw failure("PUT", connection, status);
      }
      drain(connection);
      done = true;
    } catch (IOException e) {
      if (watch.hasEnded()) {
        String path = connection.getURL().getPath();
        throw new IOException(
            "PUT " + path + ": nothing could be sent for " + stalled.toMillis() + " ms", e);
      }
      throw e;
    } finally {
      watch.close();
      if (!done) {
        connection.disconnect();
      }
    }
  }

  private static void send(Body body, HttpURLConnection connection, StallWatcher watch)
      throws IOException {
    try (InputStream in = body.open();
        OutputStream out = connection.getOutputStream()) {
      byte[] piece = new byte[PIECE];
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        out.write(piece, 0, n);
        watch.moved();
      }
    }
    // All bytes are written, and reading has its own timeout.
    watch.close();
  }

  /** Returns the object's bytes. Closing the stream ends the transfer. */
  static InputStream get(String url) throws IOException {
    HttpURLConnection connection = open(url);
    int status = connection.getResponseCode();
    if (status != HttpURLConnection.HTTP_OK) {
      throw failure("GET", connection, status);
    }
    return connection.getInputStream();
  }

  /**
   * Reads this range of the object into the start of {@code into}.
   *
   * @throws ObjectRefusedException when the object does not exist, or the URL has expired
   */
  static void get(String url, long offset, byte[] into, int length) throws IOException {
    HttpURLConnection connection = open(url);
    connection.setRequestProperty("Range", "bytes=" + offset + "-" + (offset + length - 1));
    int status = connection.getResponseCode();
    boolean whole = status == HttpURLConnection.HTTP_OK;
    if (!whole && status != HttpURLConnection.HTTP_PARTIAL) {
      throw failure("GET", connection, status);
    }
    try (InputStream in = connection.getInputStream()) {
      if (whole) {
        // The server does not support ranges, or the range is the whole object.
        in.skipNBytes(offset);
      }
      int read = in.readNBytes(into, 0, length);
      if (read < length) {
        throw new IOException(
            "GET %s ended after %d of %d bytes"
                .formatted(connection.getURL().getPath(), read, length));
      }
    }
  }

  private static HttpURLConnection open(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MS);
    connection.setReadTimeout(READ_MS);
    connection.setUseCaches(false);
    return connection;
  }

  private static void drain(HttpURLConnection connection) throws IOException {
    try (InputStream in = connection.getInputStream()) {
      in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static IOException failure(String method, HttpURLConnection connection, int status)
      throws IOException {
    String detail = "";
    try (InputStream error = connection.getErrorStream()) {
      if (error != null) {
        detail = ": " + new String(error.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8);
      }
    }
    // Without the query, which contains the signature.
    String message = method + " " + connection.getURL().getPath() + " answered " + status + detail;
    return status == HttpURLConnection.HTTP_NOT_FOUND || status == HttpURLConnection.HTTP_FORBIDDEN
        ? new ObjectRefusedException(message, status)
        : new IOException(message);
  }
}
