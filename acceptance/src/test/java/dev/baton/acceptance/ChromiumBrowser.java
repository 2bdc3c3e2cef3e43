/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A headless Chromium with a profile of its own, driven by the DevTools protocol. Every name that
 * ends with {@code .example} resolves to loopback. Not thread-safe.
 */
final class ChromiumBrowser implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration ANSWER = Duration.ofSeconds(120);
  private static final Pattern LISTENS =
      Pattern.compile("DevTools listening on ws://127\\.0\\.0\\.1:(\\d+)/");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path folder;
  private final Process process;
  private final int port;

  private ChromiumBrowser(Path folder, Process process, int port) {
    this.folder = folder;
    this.process = process;
    this.port = port;
  }

  /** Finds the program on the path; empty where there is none. */
  static Optional<Path> program() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(
            folder ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static ChromiumBrowser start(Path program) throws Exception {
    Path folder = Files.createTempDirectory("baton-chromium-");
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                // The browser's own checks of requests to loopback would hide a missing one of
                // ours.
                "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
                "--host-resolver-rules=MAP *.example 127.0.0.1",
                "--user-data-dir=" + folder.resolve("profile"),
                "--remote-debugging-port=0",
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      AtomicInteger port = new AtomicInteger();
      Await.until(
          "Chromium listens: " + log,
          START,
          () -> {
            Matcher matcher = LISTENS.matcher(Files.readString(log));
            port.set(matcher.find() ? Integer.parseInt(matcher.group(1)) : 0);
            return port.get() > 0;
          });
      return new ChromiumBrowser(folder, process, port.get());
    } catch (AssertionError e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Opens a page and waits until it is loaded. The caller must close it. */
  Page open(String url) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:%d/json/new?%s"
                        .formatted(port, URLEncoder.encode(url, UTF_8))))
            .method("PUT", HttpRequest.BodyPublishers.noBody())
            .timeout(START)
            .build();
    JsonNode target =
        Json.tree(client.send(request, HttpResponse.BodyHandlers.ofByteArray()).body());
    Page page = new Page(client, URI.create(target.path("webSocketDebuggerUrl").asText()));
    page.evaluate(
        """
        new Promise(done => location.href !== "about:blank" && document.readyState === "complete"
            ? done() : addEventListener("load", done))\
        """);
    return page;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly().waitFor();
    children.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle child : children) {
      try {
        child.onExit().get(10, TimeUnit.SECONDS);
      } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
        throw new IOException("a process of Chromium does not end: " + child, e);
      }
    }
    client.close();
    DirectoryTreeDeleter.delete(folder);
  }

  /** A page, over a connection of its own. */
  static final class Page implements AutoCloseable {
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> open = new ConcurrentHashMap<>();
    private final WebSocket socket;

    private Page(HttpClient client, URI url) {
      socket = client.newWebSocketBuilder().buildAsync(url, new Listener()).join();
    }

    /**
     * Evaluates JavaScript and waits for its promise.
     *
     * @return its value
     * @throws AssertionError when it throws
     */
    JsonNode evaluate(String script) throws Exception {
      ObjectNode params = Json.mapper().createObjectNode();
      params.put("expression", script).put("awaitPromise", true).put("returnByValue", true);
      JsonNode result = send("Runtime.evaluate", params);
      if (result.has("exceptionDetails")) {
        throw new AssertionError("the page failed: " + result.path("exceptionDetails"));
      }
      return result.path("result").path("value");
    }

    private JsonNode send(String method, ObjectNode params) throws Exception {
      int id = ids.incrementAndGet();
      CompletableFuture<JsonNode> answer = new CompletableFuture<>();
      open.put(id, answer);
      ObjectNode message = Json.mapper().createObjectNode().put("id", id).put("method", method);
      message.set("params", params);
      socket.sendText(message.toString(), true).get(ANSWER.toSeconds(), TimeUnit.SECONDS);
      return answer.get(ANSWER.toSeconds(), TimeUnit.SECONDS).path("result");
    }

    @Override
    public void close() {
      socket.abort();
    }

    private final class Listener implements WebSocket.Listener {
      private final StringBuilder text = new StringBuilder();

      @Override
      public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
          JsonNode message = Json.tree(text.toString().getBytes(UTF_8));
          text.setLength(0);
          CompletableFuture<JsonNode> waiting = open.remove(message.path("id").asInt(-1));
          if (waiting != null) {
            waiting.complete(message);
          }
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
      }

      @Override
      public void onError(WebSocket from, Throwable error) {
        open.values().forEach(waiting -> waiting.completeExceptionally(error));
      }
    }
  }
}
