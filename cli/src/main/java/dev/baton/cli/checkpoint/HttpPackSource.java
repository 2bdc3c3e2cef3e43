/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.protocol.retry.Backoff;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Reads ranges of packs from the object store through presigned addresses. Retries failures, at
 * most five attempts in all; requests new addresses when they have expired. Thread-safe.
 */
final class HttpPackSource implements PackSource, AutoCloseable {
  private static final int ATTEMPTS = 5;
  private static final Duration ONE = Duration.ofSeconds(60);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Supplier<Map<Hash, URI>> renewal;
  private final HttpClient http;
  private final LongAdder read = new LongAdder();
  private volatile Map<Hash, URI> urls;

  /**
   * @param urls of all packs that will be read
   * @param renewal requests new ones
   */
  HttpPackSource(Map<Hash, URI> urls, Supplier<Map<Hash, URI>> renewal) {
    this.urls = urls;
    this.renewal = renewal;
    this.http =
        OrchestratorRestClient.http(
            urls.values().stream().anyMatch(url -> "https".equals(url.getScheme())));
  }

  /** Creates a source for the packs of a checkpoint. */
  static HttpPackSource of(OrchestratorRestClient client, CheckpointDownload opened) {
    return new HttpPackSource(
        opened.urls(),
        () -> CheckpointDownload.open(client, new CheckpointRef(opened.id(), null)).urls());
  }

  /** Returns the number of bytes received so far. */
  long bytesRead() {
    return read.sum();
  }

  @Override
  public void read(PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    if (offset < 0 || length < 1 || offset + length > pack.size()) {
      throw new IllegalArgumentException(
          "%d bytes at offset %d are outside of a pack of %d bytes"
              .formatted(length, offset, pack.size()));
    }
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    for (int attempt = 1; ; attempt++) {
      Map<Hash, URI> now = urls;
      URI url = now.get(pack.id());
      if (url == null) {
        throw new IOException("the server names no address of pack " + pack.id());
      }
      try {
        get(url, pack, offset, into, length);
        read.add(length);
        return;
      } catch (PackRefusedException e) {
        if (attempt == ATTEMPTS || e.isFinal()) {
          throw e;
        }
        if (e.isExpired()) {
          renew(now);
        }
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
      backoff.pause();
    }
  }

  private synchronized void renew(Map<Hash, URI> old) {
    if (urls == old) {
      urls = renewal.get();
    }
  }

  private void get(URI url, PackRef pack, long offset, byte[] into, int length)
      throws IOException, InterruptedException {
    // A server that ignores the range sends the whole object; more bytes than that are not a valid
    // pack.
    HttpResponse<byte[]> answer =
        PresignedRequestSender.send(
            http,
            HttpRequest.newBuilder(url)
                .header("Range", "bytes=%d-%d".formatted(offset, offset + length - 1)),
            BodyHandlers.limiting(BodyHandlers.ofByteArray(), pack.size()),
            ONE);
    byte[] body = answer.body();
    if (answer.statusCode() == 206 && body.length == length) {
      System.arraycopy(body, 0, into, 0, length);
    } else if (answer.statusCode() == 200 && body.length == pack.size()) {
      System.arraycopy(body, (int) offset, into, 0, length);
    } else {
      throw new PackRefusedException(pack, answer.statusCode(), body.length);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /** A response that does not match the request. */
  static final class PackRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    PackRefusedException(PackRef pack, int status, int bytes) {
      super(
          "the object store answered %d with %d bytes for pack %s"
              .formatted(status, bytes, pack.id()));
      this.status = status;
    }

    private boolean isExpired() {
      return status == 400 || status == 401 || status == 403;
    }

    private boolean isFinal() {
      return status == 404 || status == 410 || status == 416;
    }
  }
}
