/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Opens pages of other origins in Chromium while a stack runs: they must start and read nothing,
 * even where they have learned the key. Skipped without Chromium, which {@code .ci/browser}
 * installs.
 */
@Tag("full")
@UsesSharedStack
class BrowserAttackTest {
  private static final Duration END = Duration.ofSeconds(120);
  private static final String SECRET = "canary-0c91e2";

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static ChromiumBrowser browser;

  @SuppressWarnings("NullAway.Init")
  private static HttpServer evil;

  @SuppressWarnings("NullAway.Init")
  private static String run;

  @SuppressWarnings("NullAway.Init")
  private static Path started;

  @BeforeAll
  static void open(SharedStackExtension.RunningStack running) throws Exception {
    Optional<Path> program = ChromiumBrowser.program();
    if (program.isEmpty() && Boolean.getBoolean("chromium.required")) {
      fail("no chromium on the path, and -Dchromium.required=true");
    }
    assumeTrue(
        program.isPresent(),
        "no chromium on the path: apt-get install chromium, or run .ci/browser");
    on = running;
    on.api.push("name: %s\nsteps: [{id: a, shell: 'echo %s'}]\n".formatted(SECRET, SECRET));
    run = on.api.start(SECRET, Json.mapper().createObjectNode());
    Await.until(
        "run " + run + " has completed",
        END,
        () -> on.api.run(run).path("status").asText().equals("completed"));
    started = on.folder.resolve("started-by-a-page");
    evil = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    evil.createContext(
        "/",
        exchange -> {
          byte[] page = "<!doctype html><title>evil</title><body>".getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    evil.start();
    browser = ChromiumBrowser.start(program.get());
  }

  @AfterAll
  static void close() throws IOException, InterruptedException {
    if (evil != null) {
      evil.stop(0);
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static int port(String url) {
    return URI.create(url).getPort();
  }

  private static void attackFrom(String page, List<String> addresses) throws Exception {
    JsonNode seen;
    try (ChromiumBrowser.Page opened = browser.open(page)) {
      assertThat(opened.evaluate("document.location.href").asText()).startsWith(page);
      // The page works: what it reads of its own origin, it reports.
      seen =
          opened.evaluate(
              new BrowserAttackScript(run, SECRET, on.stack.apiKey(), started).at(addresses));
    }
    for (JsonNode answer : seen) {
      String text = answer.asText();
      assertThat(text).as("from %s", page).doesNotContain("STREAM", "SOCKET", "SCRIPT");
      assertThat(text)
          .as("from %s: a refusal, or an answer that the page cannot read", page)
          .containsAnyOf(" opaque 0 ", " basic 421 ", "421", " FORM ");
      // The page has the id in its requests, whose path it reports and a refusal repeats.
      assertThat(text.replace("/runs/" + run, ""))
          .as("from %s", page)
          .doesNotContain(run)
          .doesNotContain("\"kid\"");
    }
    assertThat(started).as("started from %s", page).doesNotExist();
    assertThat(on.api.get("/runs").body().path("runs"))
        .as("runs after the attacks of %s", page)
        .allMatch(each -> !each.path("workflow").asText().equals("of-a-page"));
    assertThat(on.api.get("/runs?workflow=" + SECRET).body().path("runs")).hasSize(1);
    assertThat(on.api.run(run).path("status").asText()).isEqualTo("completed");
  }

  @Test
  void shouldLetAPageOfAnotherOriginStartAndReadNothing() throws Exception {
    int orchestrator = port(on.stack.orchestratorUrl());
    int store = port(on.stack.storeUrl());
    attackFrom(
        "http://evil.example:%d/".formatted(evil.getAddress().getPort()),
        List.of(
            "http://127.0.0.1:" + orchestrator,
            "http://localhost:" + orchestrator,
            "http://[::1]:" + orchestrator,
            "http://rebound.example:" + orchestrator,
            "http://127.0.0.1:" + store));
  }

  @Test
  void shouldLetAPageWhoseNameWasReboundStartAndReadNothing() throws Exception {
    for (String service : List.of(on.stack.orchestratorUrl(), on.stack.storeUrl())) {
      String origin = "http://rebound.example:" + port(service);
      attackFrom(origin + "/page", List.of(origin, "http://127.0.0.1:" + port(service)));
    }
    assertThat(Files.exists(started)).isFalse();
  }

  /** The attacks work: from the service's own origin the same requests succeed. */
  @Test
  void shouldServeItsOwnOrigin() throws Exception {
    String own = on.stack.orchestratorUrl();
    try (ChromiumBrowser.Page page = browser.open(own + "/q/health/live")) {
      JsonNode status =
          page.evaluate(
              "fetch('/runs/%s', {headers: {Authorization: 'Bearer %s'}}).then(r => r.status)"
                  .formatted(run, on.stack.apiKey()));
      assertThat(status.asInt()).isEqualTo(200);
    }
  }
}
