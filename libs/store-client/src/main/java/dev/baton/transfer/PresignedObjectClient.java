/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.tls.TlsSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Uploads and downloads objects at presigned URLs, once per call; {@link RetryBudget} retries. Uses
 * the JDK's old HTTP client, which does not load TLS for plain http URLs: a restore is on the path
 * of every failover. A response that was read to its end leaves its connection to the next
 * transfer. A transfer takes at most the stall limit for every 64 KiB, for the connection, and for
 * the response. Messages contain the path of a URL, never its query, which contains the signature.
 *
 * <p>Every method blocks, and ends with {@link InterruptedException} when its thread is
 * interrupted. Thread-safe.
 */
public final class PresignedObjectClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration STALLED = Duration.ofSeconds(30);
  private static final int MAX_ERROR_BYTES = 500;
  static final int PIECE = 64 << 10;

  /** Another writer has already stored the same digest, so the same bytes. */
  private static final int ALREADY_THERE = HttpURLConnection.HTTP_PRECON_FAILED;

  /** Provides the bytes to send. */
  @FunctionalInterface
  public interface Body {
    /** Opens a stream, which the transfer closes. */
    InputStream open() throws IOException;
  }

  private final Duration stalled;
  private final Supplier<SSLContext> tls;
  private @Nullable SSLSocketFactory sockets;

  private PresignedObjectClient(Duration stalled, Supplier<SSLContext> tls) {
    this.stalled = stalled;
    this.tls = tls;
  }

  /**
   * Creates a client whose stall limit is 30 s.
   *
   * @param tls creates the context of connections to https URLs; called once, before the first
   */
  public static PresignedObjectClient create(Supplier<SSLContext> tls) {
    return new PresignedObjectClient(STALLED, tls);
  }

  /**
   * Creates a client with another stall limit, which trusts the authorities of the JDK.
   *
   * @param stalled maximum time to send or receive the next 64 KiB; 1 ms or more
   * @throws IllegalArgumentException when it is shorter
   */
  public static PresignedObjectClient withStallLimit(Duration stalled) {
    if (stalled.toMillis() < 1) {
      throw new IllegalArgumentException("stall limit: " + stalled + " is not 1 ms or more");
    }
    return new PresignedObjectClient(stalled, TlsSettings.NONE::contextOfOthers);
  }

  /**
   * Uploads the first {@code length} of the bytes. After an interrupt, late reads of the array are
   * possible.
   *
   * @throws ObjectRefusedException when the object store refuses it
   */
  public void put(String url, Map<String, String> headers, byte[] bytes, int length)
      throws IOException, InterruptedException {
    put(url, headers, length, () -> new ByteArrayInputStream(bytes, 0, length));
  }

  /**
   * Uploads an object; succeeds, too, if the object is already there.
   *
   * @param headers that the URL is signed with; the client sets host and length itself
   * @param size of the body in bytes
   * @throws ObjectRefusedException when the object store refuses it
   */
  public void put(String url, Map<String, String> headers, long size, Body body)
      throws IOException, InterruptedException {
    InterruptibleExecutor.call(() -> putHere(url, headers, size, body));
  }

  private int putHere(String url, Map<String, String> headers, long size, Body body)
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
      drain(connection, status);
      done = true;
      return status;
    } catch (IOException e) {
      if (watch.hasEnded()) {
        throw new IOException(
            "PUT %s: nothing could be sent for %d ms"
                .formatted(path(connection), stalled.toMillis()),
            e);
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

  /**
   * Returns the object's bytes, which have this digest.
   *
   * @param digest {@code sha256:} and 64 hexadecimal digits
   * @param most maximum size of the object, which is in memory, in bytes
   * @throws ObjectRefusedException when the object store refuses it
   * @throws IOException when the object is larger or has another digest, too
   */
  public byte[] get(String url, String digest, int most) throws IOException, InterruptedException {
    return InterruptibleExecutor.call(
        () -> {
          HttpURLConnection connection = open(url);
          int status = connection.getResponseCode();
          if (status != HttpURLConnection.HTTP_OK) {
            throw failure("GET", connection, status);
          }
          try (InputStream in = received(connection)) {
            byte[] bytes = in.readNBytes(most);
            if (in.read() >= 0) {
              throw new IOException(
                  "GET %s: the object has more than %d bytes".formatted(path(connection), most));
            }
            if (!Digest.of(bytes).equals(digest)) {
              throw new IOException(
                  "GET %s: the object is damaged: %d bytes that do not match %s"
                      .formatted(path(connection), bytes.length, digest));
            }
            return bytes;
          }
        });
  }

  /**
   * Reads a range of an object into the start of {@code into}. After a failure or an interrupt,
   * late writes to the array are possible.
   *
   * @param size of the object in bytes
   * @throws ObjectRefusedException when the object store refuses it
   * @throws TransferException that is final when the object has another size
   * @throws IOException when the response has another length, too
   */
  public void get(String url, long size, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    InterruptibleExecutor.call(() -> getHere(url, size, offset, into, length));
  }

  private int getHere(String url, long size, long offset, byte[] into, int length)
      throws IOException {
    HttpURLConnection connection = open(url);
    connection.setRequestProperty("Range", "bytes=" + offset + "-" + (offset + length - 1));
    int status = connection.getResponseCode();
    boolean whole = status == HttpURLConnection.HTTP_OK;
    if (!whole && status != HttpURLConnection.HTTP_PARTIAL) {
      throw failure("GET", connection, status);
    }
    long due = whole ? size : length;
    long announced = connection.getContentLengthLong();
    long stored = whole ? announced : total(connection.getHeaderField("Content-Range"));
    if (stored >= 0 && stored != size) {
      connection.disconnect();
      throw new TransferException(
          "GET %s: the object is damaged: it has %d bytes instead of %d"
              .formatted(path(connection), stored, size),
          false,
          null);
    }
    if (announced >= 0 && announced != due) {
      connection.disconnect();
      throw new IOException(
          "GET %s answered %d with %d bytes instead of %d"
              .formatted(path(connection), status, announced, due));
    }
    try (InputStream in = received(connection)) {
      if (whole) {
        // The server does not support ranges, or the range is the whole object.
        in.skipNBytes(offset);
      }
      int read = in.readNBytes(into, 0, length);
      if (read < length) {
        throw new IOException(
            "GET %s ended after %d of %d bytes".formatted(path(connection), read, length));
      }
      return read;
    }
  }

  /**
   * Returns the object's size from a {@code Content-Range} header; -1 if it does not contain it.
   */
  private static long total(@Nullable String range) {
    int slash = range == null ? -1 : range.lastIndexOf('/');
    try {
      return range == null || slash < 0 ? -1 : Long.parseLong(range.substring(slash + 1).strip());
    } catch (NumberFormatException unknown) {
      return -1;
    }
  }

  private InputStream received(HttpURLConnection connection) throws IOException {
    return new StallCheckedInputStream(connection.getInputStream(), path(connection), stalled);
  }

  private HttpURLConnection open(String url) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    if (connection instanceof HttpsURLConnection secured) {
      secured.setSSLSocketFactory(sockets());
    }
    connection.setConnectTimeout((int) Math.min(CONNECT.toMillis(), stalled.toMillis()));
    connection.setReadTimeout((int) stalled.toMillis());
    connection.setUseCaches(false);
    return connection;
  }

  /** One factory for all connections: the JDK keeps and reuses those of the same factory. */
  private synchronized SSLSocketFactory sockets() {
    SSLSocketFactory made = sockets;
    if (made == null) {
      made = tls.get().getSocketFactory();
      sockets = made;
    }
    return made;
  }

  private static void drain(HttpURLConnection connection, int status) throws IOException {
    try (InputStream in =
        status == ALREADY_THERE ? connection.getErrorStream() : connection.getInputStream()) {
      if (in != null) {
        in.transferTo(OutputStream.nullOutputStream());
      }
    }
  }

  private static ObjectRefusedException failure(
      String method, HttpURLConnection connection, int status) throws IOException {
    String detail = "";
    try (InputStream error = connection.getErrorStream()) {
      if (error != null) {
        detail = ": " + new String(error.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8);
      }
    }
    return new ObjectRefusedException(
        method + " " + path(connection) + " answered " + status + detail, status);
  }

  private static String path(HttpURLConnection connection) {
    return connection.getURL().getPath();
  }
}
