/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * PUT and GET of objects at presigned addresses. Uses the JDK's old client: it opens without
 * loading TLS where the address is plain http, and a restore is in the path of every failover.
 */
final class ObjectTransfer {
  private static final int CONNECT_MS = 5_000;
  private static final int READ_MS = 30_000;
  private static final int MAX_ERROR_BYTES = 500;

  /** A PUT that is slower than this is given up: 1 MiB in a second, and 30 s besides. */
  private static final long SLOWEST_BYTES_PER_SECOND = 1 << 20;

  /** Writing to a socket has no timeout of its own. */
  private static final ScheduledThreadPoolExecutor WATCHDOG = watchdog();

  /** Another writer was first with the same digest, so with the same bytes. */
  private static final int ALREADY_THERE = HttpURLConnection.HTTP_PRECON_FAILED;

  /** Streams a file. */
  private interface Body {
    void writeTo(OutputStream out) throws IOException;
  }

  private ObjectTransfer() {}

  static void put(String url, Map<String, String> headers, Path file, long size)
      throws IOException {
    put(url, headers, size, out -> Files.copy(file, out));
  }

  static void put(String url, Map<String, String> headers, byte[] bytes) throws IOException {
    put(url, headers, bytes.length, out -> out.write(bytes));
  }

  private static void put(String url, Map<String, String> headers, long size, Body body)
      throws IOException {
    HttpURLConnection connection = open(url);
    long limitMs = READ_MS + size * 1_000 / SLOWEST_BYTES_PER_SECOND;
    ScheduledFuture<?> tooLong =
        WATCHDOG.schedule(connection::disconnect, limitMs, TimeUnit.MILLISECONDS);
    try {
      connection.setRequestMethod("PUT");
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(size);
      headers.forEach(connection::setRequestProperty);
      try (OutputStream out = connection.getOutputStream()) {
        body.writeTo(out);
      }
      int status = connection.getResponseCode();
      if (status / 100 != 2 && status != ALREADY_THERE) {
        throw failure("PUT", connection, status);
      }
      drain(connection);
    } finally {
      tooLong.cancel(false);
      connection.disconnect();
    }
  }

  /** The object's bytes. Closing the stream ends the transfer. */
  static InputStream get(String url) throws IOException {
    HttpURLConnection connection = open(url);
    int status = connection.getResponseCode();
    if (status != HttpURLConnection.HTTP_OK) {
      throw failure("GET", connection, status);
    }
    return connection.getInputStream();
  }

  private static ScheduledThreadPoolExecutor watchdog() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, task -> Thread.ofPlatform().daemon().name("transfers").unstarted(task));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
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
    // Without the query: it holds the signature.
    return new IOException(
        method + " " + connection.getURL().getPath() + " answered " + status + detail);
  }
}
