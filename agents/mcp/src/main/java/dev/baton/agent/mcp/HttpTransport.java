/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.process.OutputLineReader;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server with streamable HTTP: each message is a POST, whose response is JSON or a stream of
 * events. The server's own stream (GET) is not opened.
 */
final class HttpTransport implements McpTransport {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int MAX_REQUESTS = 256;
  private static final int MAX_REASON = 500;

  private final String server;
  private final URI url;
  private final Map<String, String> headers;
  private final Duration longest;
  private final Receiver receiver;
  private final HttpClient client;
  private final Semaphore places = new Semaphore(MAX_REQUESTS);
  private volatile @Nullable String session;
  private volatile @Nullable String protocol;

  /**
   * @param tls whose authorities the server may have, in addition to those of the JDK
   * @param longest from a request to the beginning of its response
   */
  HttpTransport(
      String server,
      URI url,
      Map<String, String> headers,
      TlsSettings tls,
      Duration longest,
      Receiver receiver) {
    this.server = server;
    this.url = url;
    this.headers = Map.copyOf(headers);
    this.longest = longest;
    this.receiver = receiver;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER);
    if ("https".equals(url.getScheme())) {
      builder.sslContext(tls.contextOfOthers());
    }
    this.client = builder.build();
  }

  @Override
  public void agreed(String protocolVersion) {
    protocol = protocolVersion;
  }

  @Override
  public void send(ObjectNode message, Consumer<McpException> failed) {
    if (!places.tryAcquire()) {
      failed.accept(
          McpException.notSent("server '%s' has %d open requests".formatted(server, MAX_REQUESTS)));
      return;
    }
    Thread.ofVirtual()
        .name("mcp-http " + server)
        .start(
            () -> {
              try {
                post(message, failed);
              } finally {
                places.release();
              }
            });
  }

  private void post(ObjectNode message, Consumer<McpException> failed) {
    String usedSession = session;
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(url)
              .timeout(longest)
              .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(message)))
              .setHeader("Content-Type", "application/json")
              .setHeader("Accept", "application/json, text/event-stream");
      headers.forEach(request::setHeader);
      if (usedSession != null) {
        request.setHeader("Mcp-Session-Id", usedSession);
      }
      String version = protocol;
      if (version != null) {
        request.setHeader("MCP-Protocol-Version", version);
      }
      HttpResponse<InputStream> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        read(response, body, usedSession, failed);
      }
    } catch (ConnectException | java.net.http.HttpConnectTimeoutException e) {
      failed.accept(
          McpException.notSent("server '%s' cannot be reached at %s".formatted(server, url)));
    } catch (HttpTimeoutException e) {
      failed.accept(
          McpException.unknown(
              "server '%s' has not answered within %d s".formatted(server, longest.toSeconds())));
    } catch (IOException | IllegalArgumentException e) {
      String reason =
          "server '%s': %s"
              .formatted(
                  server, TlsFailure.explain(e, "the url of the server", Throwable::toString));
      failed.accept(
          TlsFailure.of(e).filter(TlsFailure::isLasting).isPresent()
              ? McpException.notSent(reason)
              : McpException.unknown(reason));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      failed.accept(McpException.unknown("server '%s': stopped".formatted(server)));
    }
  }

  private void read(
      HttpResponse<InputStream> response,
      InputStream body,
      @Nullable String usedSession,
      Consumer<McpException> failed)
      throws IOException {
    int status = response.statusCode();
    if (status == 404 && usedSession != null) {
      failed.accept(McpException.notSent("server '%s' has ended the session".formatted(server)));
      receiver.ended("server '%s' has ended the session".formatted(server));
      return;
    }
    if (status < 200 || status > 299) {
      String reason =
          "server '%s': HTTP %d: %s"
              .formatted(
                  server,
                  status,
                  TextShortener.shorten(
                      new String(body.readNBytes(MAX_REASON), StandardCharsets.UTF_8), MAX_REASON));
      failed.accept(status < 500 ? McpException.refused(reason) : McpException.unknown(reason));
      return;
    }
    response.headers().firstValue("mcp-session-id").ifPresent(id -> session = id);
    String type = response.headers().firstValue("content-type").orElse("").toLowerCase(Locale.ROOT);
    if (type.startsWith("text/event-stream")) {
      readEvents(body);
    } else {
      byte[] bytes = body.readNBytes(McpLimits.MESSAGE_BYTES + 1);
      if (bytes.length > McpLimits.MESSAGE_BYTES) {
        throw new IOException("a message has more than " + McpLimits.MESSAGE_BYTES + " bytes");
      }
      if (bytes.length > 0) {
        deliver(Json.mapper().readTree(bytes));
      }
    }
    failed.accept(
        McpException.unknown("server '%s' ended its response without an answer".formatted(server)));
  }

  private void readEvents(InputStream body) throws IOException {
    OutputLineReader lines = new OutputLineReader(body, McpLimits.MESSAGE_BYTES);
    StringBuilder data = new StringBuilder();
    for (OutputLineReader.OutputLine line = lines.next(); line != null; line = lines.next()) {
      String text = line.text();
      if (line.dropped() > 0 || data.length() + text.length() > McpLimits.MESSAGE_BYTES) {
        throw new IOException("a message has more than " + McpLimits.MESSAGE_BYTES + " bytes");
      }
      if (text.startsWith("data:")) {
        data.append(data.isEmpty() ? "" : "\n").append(text.substring(5).strip());
      } else if (text.isEmpty() && !data.isEmpty()) {
        deliver(Json.mapper().readTree(data.toString()));
        data.setLength(0);
      }
    }
  }

  private void deliver(JsonNode message) {
    if (message.isArray()) {
      message.forEach(receiver::received);
    } else {
      receiver.received(message);
    }
  }

  /** Breaks off all requests. */
  @Override
  public void close() {
    client.shutdownNow();
  }
}
