/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests to the object store. The presigned address grants the permission. */
final class PresignedRequestSender {
  private PresignedRequestSender() {}

  /**
   * @param patience bounds the whole response; {@link HttpRequest#timeout()} bounds only the time
   *     to its headers
   */
  static <T> HttpResponse<T> send(
      HttpClient http, HttpRequest.Builder request, BodyHandler<T> handler, Duration patience)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer =
        http.sendAsync(request.timeout(patience).build(), handler);
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(
          "the object store did not answer within " + patience.toSeconds() + " s", e);
    } finally {
      answer.cancel(true);
    }
  }
}
