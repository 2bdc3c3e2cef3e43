/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a page of another origin cannot start, cancel or read runs. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class WebPageTest {
  private static final String WORKFLOW = "page-must-not";

  @Inject OrchestratorTestEnvironment bed;

  private String send(String method, String path, String body, String... headers)
      throws IOException {
    StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    request
        .append("Authorization: Bearer ")
        .append(OrchestratorTestClient.apiKey())
        .append("\r\nConnection: close\r\n");
    if (!body.isEmpty() || method.equals("POST")) {
      request.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    request.append("\r\n").append(body);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.toString().getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static int status(String answer) {
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/runs",
    "GET,/q/health/ready",
    "GET,/q/metrics",
    "GET,/q/openapi",
    "GET,/openapi",
    "GET,/schemas",
    "GET,/",
    "GET,/.well-known/jwks.json",
    "POST,/runs",
    "POST,/workflows",
    "POST,/runs/zzzzzz/cancel",
    "DELETE,/runs/zzzzzz",
    "OPTIONS,/runs",
    "GET,/nothing"
  })
  void shouldRefuseWhateverRouteAPageAsksFor(String method, String path) throws IOException {
    String own = "Host: localhost:" + bed.port();
    String json = "Content-Type: application/json";

    String rebound = send(method, path, "", "Host: evil.example:" + bed.port(), json);
    String crossSite = send(method, path, "", own, json, "Sec-Fetch-Site: cross-site");
    String origin = send(method, path, "", own, json, "Origin: http://evil.example");

    assertThat(status(rebound)).as(rebound).isEqualTo(421);
    assertThat(rebound).contains("application/problem+json", "baton.http.allowed-hosts");
    assertThat(status(crossSite)).as(crossSite).isEqualTo(403);
    assertThat(status(origin)).as(origin).isEqualTo(403);
    assertThat(rebound + crossSite + origin).doesNotContainIgnoringCase("access-control");
  }

  @Test
  void shouldNeedAContentTypeForEveryChange() throws IOException {
    String own = "Host: 127.0.0.1:" + bed.port();

    assertThat(status(send("POST", "/runs", "{\"workflow\":\"x\"}", own))).isEqualTo(415);
    assertThat(status(send("POST", "/runs/zzzzzz/cancel", "", own))).isEqualTo(415);
    assertThat(
            status(send("POST", "/runs", "{\"workflow\":\"x\"}", own, "Content-Type: text/plain")))
        .isEqualTo(415);
    String json = "Content-Type: application/json";
    assertThat(status(send("POST", "/runs/zzzzzz/cancel", "", own, json))).isEqualTo(404);
    assertThat(status(send("POST", "/runs/zzzzzz/cancel", "{}", own, json))).isEqualTo(404);
    assertThat(status(send("GET", "/runs", "", own))).isEqualTo(200);
  }

  @Test
  void shouldLetNoPageOfAnotherOriginInWhateverItTries(@TempDir Path folder) throws Exception {
    Path chromium = chromium();
    assumeTrue(chromium != null, "no chromium on this machine");
    bed.api().workflow(WORKFLOW, true);
    CompletableFuture<String> told = new CompletableFuture<>();
    HttpServer evil =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    evil.createContext(
        "/",
        exchange -> {
          boolean report = exchange.getRequestURI().getPath().equals("/report");
          if (report) {
            told.complete(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          }
          byte[] page = report ? new byte[0] : page(bed.port()).getBytes(UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          exchange.sendResponseHeaders(200, page.length == 0 ? -1 : page.length);
          exchange.getResponseBody().write(page);
          exchange.close();
        });
    evil.start();
    int own = evil.getAddress().getPort();
    Process browser =
        new ProcessBuilder(
                List.of(
                    String.valueOf(chromium),
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--user-data-dir=" + folder,
                    "--host-resolver-rules=MAP *.example 127.0.0.1",
                    "http://evil.example:" + own + "/"))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      String answers = told.get(60, TimeUnit.SECONDS);

      // The page can read no response, and its requests are rejected.
      assertThat(answers).doesNotContain("200", "201", "202", "readable");
      assertThat(bed.api().get("/runs?workflow=" + WORKFLOW).json().get("runs")).isEmpty();
      assertThat(bed.api().get("/workflows/from-a-page").status()).isEqualTo(404);
    } finally {
      browser.descendants().forEach(ProcessHandle::destroyForcibly);
      browser.destroyForcibly().waitFor();
      evil.stop(0);
    }
  }

  /**
   * A page that tries every request it can, with its own host name and with one that resolves to
   * the API.
   */
  private static String page(int api) {
    return """
    <!doctype html><script>
    const run = JSON.stringify({workflow: "WORKFLOW"});
    const flow = "name: from-a-page\\nsteps: [{id: a, transform: '1'}]\\n";
    const tries = [];
    for (const host of ["127.0.0.1", "localhost", "rebound.example"]) {
      const at = "http://" + host + ":PORT";
      for (const mode of ["cors", "no-cors"]) {
        for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
          tries.push([at + "/runs", {method: "POST", mode, body: run, headers: {"Content-Type": type}}]);
          tries.push([at + "/workflows", {method: "POST", mode, body: flow, headers: {"Content-Type": type}}]);
        }
        tries.push([at + "/runs", {method: "POST", mode, body: new Blob([run])}]);
        tries.push([at + "/runs", {mode}]);
      }
    }
    (async () => {
      const answers = [];
      for (const [url, options] of tries) {
        try {
          const answer = await fetch(url, options);
          answers.push(answer.type + answer.status + (answer.type === "opaque" ? "" : "readable"));
        } catch (e) { answers.push("no"); }
      }
      const form = document.createElement("iframe");
      form.srcdoc = "<form method=post enctype=text/plain action='http://127.0.0.1:PORT/runs'>"
          + "<input name='{\\"workflow\\":\\"WORKFLOW\\",\\"x\\":\\"' value='\\"}'></form><script>document.forms[0].submit()<\\/script>";
      form.onload = () => setTimeout(() => fetch("/report", {method: "POST", body: answers.join(" ")}), 500);
      document.documentElement.append(form);
    })();
    </script>\
    """
        .replace("PORT", Integer.toString(api))
        .replace("WORKFLOW", WORKFLOW);
  }

  private static @Nullable Path chromium() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .flatMap(
            folder ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }
}
