/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.terminal.ProgressIndicator;
import dev.baton.cli.terminal.Terminal;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.transfer.PresignedObjectClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * Sends requests to the orchestrator. Turns every response other than a success into a {@link
 * CliException}. A request takes at most 30 s, or the time that its caller sets; one that a busy
 * server refuses is repeated for 20 s, unless that could start the same work twice. Thread-safe.
 */
public final class OrchestratorRestClient implements AutoCloseable {
  private static final int CLOSE_MS = 200;
  private static final int MAX_REDIRECTS = 5;
  private static final int REDIRECT = 307;
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration BUSY = Duration.ofSeconds(20);

  /** Default timeout for a response. */
  public static final Duration REQUEST = Duration.ofSeconds(30);

  /**
   * Timeout for requests that read or delete many objects: the server's limit of ten minutes, and a
   * margin.
   */
  public static final Duration WORK = Duration.ofMinutes(11);

  /**
   * Timeout for the start of a followed stream, and for silence on it: a connection with a dead
   * peer looks idle, so the client reconnects.
   */
  public static final Duration FOLLOW = Duration.ofMinutes(1);

  private final ServerAddress server;
  private final Optional<String> authorization;
  private final Terminal terminal;
  private final boolean verbose;
  private final HttpClient http;
  private final PresignedObjectClient objects;

  /**
   * @param apiKey sent with every request
   * @param tls for a server or an object store with TLS
   */
  public OrchestratorRestClient(
      ServerAddress server,
      Optional<String> apiKey,
      TlsSettings tls,
      Terminal terminal,
      boolean verbose) {
    this.server = server;
    this.authorization = apiKey.map(BearerCredential::header);
    this.terminal = terminal;
    this.verbose = verbose;
    this.objects = PresignedObjectClient.create(tls::contextOfOthers);
    this.http =
        http("https".equals(server.base().getScheme()) ? tls.context() : new NoTlsContext());
  }

  /** Creates a client for HTTP/1.1 that follows no redirects. */
  private static HttpClient http(SSLContext context) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(CONNECT)
        .followRedirects(HttpClient.Redirect.NEVER)
        .sslContext(context)
        .build();
  }

  public ServerAddress server() {
    return server;
  }

  /** Returns what transfers objects to and from URLs that the server has returned. */
  public PresignedObjectClient objects() {
    return objects;
  }

  /**
   * @param path with its query, already encoded; see {@link UrlQueryBuilder}
   */
  public JsonNode get(String path) {
    return get(path, REQUEST);
  }

  /** {@link #get} with another timeout. */
  public JsonNode get(String path, Duration patience) {
    return json(send(request(path, patience).GET(), patience));
  }

  public JsonNode post(String path, JsonNode body) {
    return post(path, body, REQUEST);
  }

  public JsonNode post(String path, byte[] body, String contentType, Map<String, String> headers) {
    HttpRequest.Builder request =
        request(path, REQUEST)
            .header("Content-Type", contentType)
            .POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    return json(send(request, REQUEST));
  }

  /** Sends a POST request that the server may take long to process. */
  public JsonNode post(String path, JsonNode body, Duration patience) {
    return send("POST", path, body, patience);
  }

  public JsonNode put(String path, JsonNode body) {
    return send("PUT", path, body, REQUEST);
  }

  public JsonNode patch(String path, JsonNode body) {
    return send("PATCH", path, body, REQUEST);
  }

  private JsonNode send(String method, String path, JsonNode body, Duration patience) {
    HttpRequest.Builder request =
        request(path, patience)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofByteArray(Json.bytes(body)));
    return json(send(request, patience));
  }

  public JsonNode delete(String path, Duration patience) {
    return json(
        send(
            request(path, patience).header("Content-Type", "application/json").DELETE(), patience));
  }

  /**
   * Opens a response that is read as a stream. Only the wait for its start is bounded; the caller
   * closes it.
   *
   * @param patience bounds that wait; a server without data yet may not send headers
   */
  public InputStream stream(
      String path, String accept, Map<String, String> headers, Duration patience) {
    HttpRequest.Builder request = request(path).header("Accept", accept);
    headers.forEach(request::header);
    HttpResponse<InputStream> answer =
        exchange(request.build(), BodyHandlers.ofInputStream(), patience);
    if (answer.statusCode() / 100 != 2) {
      try (InputStream body = answer.body()) {
        throw failure(answer, body.readNBytes(1 << 20));
      } catch (IOException e) {
        throw unreachable(e);
      }
    }
    return answer.body();
  }

  /**
   * Opens a WebSocket, at the replica to which the server redirects it.
   *
   * @param listener receives its messages
   */
  public WebSocket webSocket(String path, WebSocket.Listener listener) {
    URI target = server.resolve(path);
    for (int hop = 0; hop < MAX_REDIRECTS; hop++) {
      WebSocket.Builder builder = http.newWebSocketBuilder().connectTimeout(REQUEST);
      authorization.ifPresent(value -> builder.header(BearerCredential.HEADER, value));
      Future<WebSocket> opened = builder.buildAsync(socketOf(target), listener);
      try {
        return opened.get(REQUEST.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof WebSocketHandshakeException refused)) {
          throw unreachable(e.getCause() == null ? e : e.getCause());
        }
        HttpResponse<?> answer = refused.getResponse();
        Optional<String> other = answer.headers().firstValue("Location");
        if (answer.statusCode() != REDIRECT || other.isEmpty()) {
          throw failure(
              answer,
              String.valueOf(answer.body()).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        target = target.resolve(other.get());
      } catch (TimeoutException e) {
        throw CliException.of(CliExitCode.TIMEOUT, late(REQUEST), e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
      } finally {
        opened.cancel(true);
      }
    }
    throw CliException.of(
        CliExitCode.SERVER, server + " redirected more than " + MAX_REDIRECTS + " times");
  }

  private static URI socketOf(URI http) {
    return URI.create(http.toString().replaceFirst("^http", "ws"));
  }

  /**
   * Also waits for the network thread: if it is still running, the JVM's exit takes 300 ms longer.
   */
  @Override
  public void close() {
    http.shutdownNow();
    try {
      http.awaitTermination(Duration.ofMillis(CLOSE_MS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest.Builder request(String path, Duration patience) {
    return request(path)
        .timeout(patience)
        .header("Accept", "application/json, application/problem+json");
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path));
    authorization.ifPresent(value -> request.header(BearerCredential.HEADER, value));
    return request;
  }

  /** Repeats a request that a busy server has refused, if it may be repeated. */
  private HttpResponse<byte[]> send(HttpRequest.Builder builder, Duration patience) {
    HttpRequest request = builder.build();
    long end = System.nanoTime() + BUSY.toNanos();
    while (true) {
      HttpResponse<byte[]> answer = exchange(request, BodyHandlers.ofByteArray(), patience);
      if (answer.statusCode() / 100 == 2) {
        return answer;
      }
      Duration pause = BusyResponse.pause(answer);
      if (pause.isZero()
          || !BusyResponse.isRepeatable(request)
          || System.nanoTime() + pause.toNanos() > end) {
        throw failure(answer, answer.body());
      }
      try (ProgressIndicator _ = ProgressIndicator.start(terminal, server + " is busy, retrying")) {
        RetryBackoff.of(pause).next();
      }
    }
  }

  private <T> HttpResponse<T> exchange(
      HttpRequest request, BodyHandler<T> handler, Duration patience) {
    long began = System.nanoTime();
    Future<HttpResponse<T>> future = http.sendAsync(request, handler);
    try {
      HttpResponse<T> answer = await(future, patience);
      if (verbose) {
        terminal
            .err()
            .printf(
                "%s %s → %d, %d ms%n",
                request.method(),
                request.uri(),
                answer.statusCode(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
      }
      return answer;
    } catch (ExecutionException e) {
      throw unreachable(e.getCause() == null ? e : e.getCause(), patience);
    } catch (TimeoutException e) {
      throw CliException.of(CliExitCode.TIMEOUT, late(patience), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliException.of(CliExitCode.INTERRUPTED, "interrupted", e);
    } finally {
      future.cancel(true);
    }
  }

  private <T> T await(Future<T> future, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return future.get(1, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      if (patience.compareTo(REQUEST) > 0) {
        // A stream without data yet is normal; its reader shows the progress line.
        return future.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      }
      try (ProgressIndicator _ = ProgressIndicator.start(terminal, "waiting for " + server)) {
        return future.get(patience.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private String late(Duration patience) {
    return server + " did not answer within " + TimeFormatter.duration(patience);
  }

  private CliException unreachable(Throwable cause) {
    return unreachable(cause, REQUEST);
  }

  private CliException unreachable(Throwable cause, Duration patience) {
    if (cause instanceof HttpTimeoutException
        && !(cause instanceof java.net.http.HttpConnectTimeoutException)) {
      return CliException.of(CliExitCode.TIMEOUT, late(patience), cause);
    }
    Optional<TlsFailure> tls = TlsFailure.of(cause);
    if (tls.isPresent()) {
      return CliException.of(
          CliExitCode.UNREACHABLE,
          "cannot connect to Baton at %s (from %s): %s"
              .formatted(server, server.origin(), TlsSettingsResolver.advice(tls.get())),
          cause);
    }
    return CliException.of(
        CliExitCode.UNREACHABLE,
        "cannot connect to Baton at %s (from %s) — start one with `./baton up`, or name another with --server URL"
            .formatted(server, server.origin()),
        cause);
  }

  private JsonNode json(HttpResponse<byte[]> answer) {
    if (answer.body().length == 0) {
      return Json.mapper().createObjectNode();
    }
    try {
      return Json.parsedTree(answer.body());
    } catch (JacksonException e) {
      throw CliException.of(
          CliExitCode.SERVER,
          "%s answered %s with a body that is not JSON: check that the address is that of a Baton orchestrator"
              .formatted(server, answer.request().uri().getPath()),
          e);
    }
  }

  private CliException failure(HttpResponse<?> answer, byte[] body) {
    return ProblemFormatter.failure(server, answer.statusCode(), body);
  }
}
