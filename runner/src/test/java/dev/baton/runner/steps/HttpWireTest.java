/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.testkit.RawServer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what an http step writes to the wire, and how it handles the response. */
class HttpWireTest {
  private static final int MAX_BODY = 10_000;

  /** Also resolves container names, like the resolver of a container network. */
  private static final DnsResolver NAMES =
      new SystemDefaultDnsResolver() {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
          return switch (host) {
            case "my_service" -> super.resolve("127.0.0.1");
            case "metadata.example" ->
                new InetAddress[] {
                  InetAddress.ofLiteral("169.254.169.254"), InetAddress.ofLiteral("fd00:ec2::254")
                };
            case "mixed.example" ->
                new InetAddress[] {
                  InetAddress.ofLiteral("169.254.169.254"), InetAddress.ofLiteral("127.0.0.1")
                };
            default -> super.resolve(host);
          };
        }
      };

  private static final HttpStepExecutor STEP = step(HttpAddressPolicy.DEFAULT);

  private static HttpStepExecutor step(HttpAddressPolicy addresses) {
    return new HttpStepExecutor(new HttpSender(MAX_BODY, NAMES, addresses, TlsSettings.NONE));
  }

  private static StepResult call(String http, Map<String, ?> input) throws Exception {
    return call(STEP, http, input);
  }

  private static StepResult call(HttpStepExecutor step, String http, Map<String, ?> input)
      throws Exception {
    String yaml = "{name: w, steps: [{id: h, http: " + http + "}]}";
    if (!(WorkflowParser.parse(yaml, DefinitionFormat.YAML)
        instanceof WorkflowParseResult.Valid valid)) {
      throw new AssertionError(WorkflowParser.parse(yaml, DefinitionFormat.YAML));
    }
    StepContext context =
        new StepContext(
            "run",
            1,
            "",
            "h",
            1,
            1,
            ExpressionScope.of(
                Json.mapper().valueToTree(input),
                Json.mapper().createObjectNode(),
                Json.mapper().createObjectNode()),
            () -> Path.of("."),
            () -> {
              throw new AssertionError("an http step has no log");
            },
            Deadline.after(Duration.ofSeconds(20)),
            RunLease.forever(),
            WorkspaceMount.NONE,
            Optional.empty(),
            StepEnvironmentBuilder.ofProcess(List.of()),
            RunSecretProvider.NONE,
            List.of(),
            false,
            null);
    return step.execute((StepKind.Http) valid.workflow().flow().first().kind(), context);
  }

  private static StepResult call(String http) throws Exception {
    return call(http, Map.of());
  }

  private static String ok(String type, String body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        .formatted(type, body.length(), body);
  }

  private static JsonNode output(StepResult result) {
    assertThat(result).isInstanceOf(StepResult.Done.class);
    return ((StepResult.Done) result).output();
  }

  private static String failure(StepResult result) {
    assertThat(result).isInstanceOf(StepResult.Failed.class);
    StepResult.Failed failed = (StepResult.Failed) result;
    return failed.error().code() + ": " + failed.error().message();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "DELETE", "OPTIONS"})
  void shouldAskForThePageAndForNothingElse(String method) throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", ""))) {
      output(call("{method: %s, url: '%s/a?b=%%20c'}".formatted(method, server.url())));

      String head = server.heads.getFirst();
      assertThat(head).startsWith(method + " /a?b=%20c HTTP/1.1\r\n");
      assertThat(head.toLowerCase(Locale.ROOT))
          .doesNotContain(
              "upgrade", "http2", "h2c", "content-length", "transfer-encoding", "accept");
      assertThat(head).contains("\r\nHost: 127.0.0.1:" + server.port() + "\r\n");
    }
  }

  @Test
  void shouldFrameABody() throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", "x"))) {
      output(call("{method: POST, url: '%s', body: Zoë}".formatted(server.url())));
      output(call("{method: POST, url: '%s'}".formatted(server.url())));

      assertThat(server.heads.getFirst())
          .contains("Content-Length: 4\r\n", "Content-Type: text/plain; charset=utf-8\r\n");
      assertThat(server.heads.getLast()).contains("Content-Length: 0\r\n");
    }
  }

  @Test
  void shouldReachHostsWhoseNamesHaveUnderscores() throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", "here"))) {
      JsonNode output = output(call("{url: 'http://my_service:%d/'}".formatted(server.port())));

      assertThat(output.path("body").asText()).isEqualTo("here");
      assertThat(server.heads.getFirst()).contains("Host: my_service:" + server.port() + "\r\n");
    }
  }

  @Test
  void shouldReadTextInTheCharsetThatTheAnswerDeclares() throws Exception {
    for (String charset : List.of("utf-8", "ISO-8859-1", "windows-1252", "UTF-16", "\"utf-8\"")) {
      byte[] body = "Zoë – 5 €".getBytes(Charset.forName(charset.replace("\"", "")));
      byte[] latin =
          charset.equals("ISO-8859-1") ? "Zoë".getBytes(StandardCharsets.ISO_8859_1) : body;
      String expected = charset.equals("ISO-8859-1") ? "Zoë" : "Zoë – 5 €";
      for (String type : List.of("text/plain", "application/json")) {
        String text = type.equals("text/plain") ? expected : "\"" + expected + "\"";
        byte[] bytes =
            type.equals("text/plain")
                ? latin
                : text.getBytes(Charset.forName(charset.replace("\"", "")));
        try (RawServer server =
            new RawServer(
                out -> {
                  out.write(
                      ("HTTP/1.1 200 OK\r\nContent-Type: "
                              + type
                              + "; charset="
                              + charset
                              + "\r\nContent-Length: "
                              + bytes.length
                              + "\r\n\r\n")
                          .getBytes(StandardCharsets.ISO_8859_1));
                  out.write(bytes);
                })) {
          assertThat(output(call("{url: '%s'}".formatted(server.url()))).path("body").asText())
              .as(type + " " + charset)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void shouldFailWhereTheDeclaredCharsetIsUnknown() throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain; charset=klingon", "x"))) {
      assertThat(failure(call("{url: '%s'}".formatted(server.url()))))
          .isEqualTo("output_invalid: the response charset 'klingon' is not supported");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\r\nX-Evil: b",
        "a\nb",
        "a\rb",
        "a\0b",
        "a\u0007b",
        "a\u007fb",
        "a\u0085b",
        "5 €",
        "\ud83d\ude00"
      })
  void shouldRefuseAHeaderThatCannotBeSent(String value) throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", "x"))) {
      String failure =
          failure(
              call(
                  "{url: '%s', headers: {X-Name: '${{ .input.v }}'}}".formatted(server.url()),
                  Map.of("v", value)));

      assertThat(failure)
          .startsWith("argument_invalid: cannot create the request: header 'X-Name' has ");
      assertThat(server.heads).isEmpty();
    }
  }

  @Test
  void shouldSendLatin1AsItIsAndNothingThatTheRunnerSetsItself() throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", "x"))) {
      output(call("{url: '%s', headers: {X-Name: Zoë, X-Empty: ''}}".formatted(server.url())));

      assertThat(server.heads.getFirst()).contains("X-Name: Zo\u00eb\r\n", "X-Empty:");
      for (String name : List.of("Host", "content-length", "Transfer-Encoding", "Upgrade")) {
        assertThat(failure(call("{url: '%s', headers: {%s: x}}".formatted(server.url(), name))))
            .startsWith("argument_invalid: cannot create the request: header '" + name + "'");
      }
    }
  }

  @Test
  void shouldTakeNoCredentialToAnotherOrigin() throws Exception {
    String headers =
        "headers: {Authorization: Bearer s, Cookie: s, X-Api-Key: s, Private-Token: s,"
            + " Proxy-Authorization: s, Accept: text/plain}";
    for (int status : List.of(301, 302, 303, 307, 308)) {
      try (RawServer other = RawServer.answering(ok("text/plain", "there"));
          RawServer first =
              RawServer.answering(
                  "HTTP/1.1 %d Elsewhere\r\nLocation: %s/there\r\nContent-Length: 0\r\n\r\n"
                      .formatted(status, other.url()))) {
        JsonNode output = output(call("{url: '%s/here', %s}".formatted(first.url(), headers)));

        assertThat(output.path("body").asText()).isEqualTo("there");
        assertThat(first.heads.getFirst()).contains("Bearer s", "X-Api-Key: s");
        assertThat(other.heads.getFirst())
            .startsWith("GET /there HTTP/1.1")
            .contains("Accept: text/plain")
            .doesNotContain("Bearer", "Cookie", "X-Api-Key", "Private-Token", "Proxy-Auth");
      }
    }
  }

  @Test
  void shouldKeepHeadersWithinAnOriginAndBoundTheRedirects() throws Exception {
    try (RawServer server =
        RawServer.answering(
            "HTTP/1.1 307 Again\r\nLocation: next?x=1\r\nContent-Length: 0\r\n\r\n")) {
      String failure =
          failure(
              call(
                  "{method: POST, body: b, url: '%s/a/b', headers: {X-Api-Key: s}}"
                      .formatted(server.url())));

      assertThat(failure).startsWith("http_io: ").contains("redirected more than 5 times");
      assertThat(server.heads).hasSize(6);
      assertThat(server.heads.getLast())
          .startsWith("POST /a/next?x=1 HTTP/1.1")
          .contains("X-Api-Key: s", "Content-Length: 1");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "\0\0\0\0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: http://[bad/\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"
      })
  void shouldFailWithACodeWhereTheAnswerIsNotWholeOrNotHttp(String answer) throws Exception {
    try (RawServer server = RawServer.answering(answer)) {
      assertThat(failure(call("{url: '%s'}".formatted(server.url()))))
          .startsWith("http_io: 127.0.0.1");
    }
  }

  @Test
  void shouldBoundHeadersBodyAndTime() throws Exception {
    byte[] line = ("X-More: " + "x".repeat(1_000) + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    try (RawServer headers =
            new RawServer(
                out -> {
                  out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.ISO_8859_1));
                  while (true) {
                    out.write(line);
                  }
                });
        RawServer body =
            new RawServer(
                out -> {
                  out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                  while (true) {
                    out.write(line);
                  }
                });
        RawServer drops =
            new RawServer(
                out -> {
                  out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
                  while (true) {
                    out.write('x');
                    out.flush();
                    Thread.sleep(20);
                  }
                })) {
      assertThat(failure(call("{url: '%s'}".formatted(headers.url())))).startsWith("http_io: ");
      assertThat(failure(call("{url: '%s'}".formatted(body.url()))))
          .isEqualTo("output_invalid: the response body has more than 10000 bytes");
      assertThat(failure(call("{url: '%s', timeout: 300ms}".formatted(drops.url()))))
          .isEqualTo("timeout: no complete response within 300 ms");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://",
        "http:///x",
        "http://[::1",
        "http://h:99999999/",
        "http://a b/",
        "ftp://h/",
        "http://h/\0",
        "x",
        ""
      })
  void shouldRefuseWhatIsNoUrl(String url) throws Exception {
    assertThat(failure(call("{url: '${{ .input.v }}'}", Map.of("v", url))))
        .startsWith("argument_invalid: cannot create the request: '");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "169.254.169.254",
        "[fe80::1]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]",
        "[fd00:ec2::254]",
        "168.63.129.16",
        "100.100.100.200",
        "metadata.example"
      })
  void shouldDenyAddressesThatGiveCredentials(String host) throws Exception {
    assertThat(failure(call("{url: 'http://%s/', timeout: 5s}".formatted(host))))
        .startsWith("address_denied: ");
  }

  @Test
  void shouldDenyRedirectsToDeniedAddresses() throws Exception {
    try (RawServer server =
        RawServer.answering(
            "HTTP/1.1 302 Found\r\nLocation: http://metadata.example/\r\nContent-Length: 0\r\n\r\n")) {
      assertThat(failure(call("{url: '%s', timeout: 5s}".formatted(server.url()))))
          .startsWith("address_denied: metadata.example is 169.254.169.254");
    }
  }

  @Test
  void shouldConnectToPermittedAddressesOfAHostOnly() throws Exception {
    try (RawServer server = RawServer.answering(ok("text/plain", "hi"))) {
      String url = "{url: 'http://mixed.example:%d/', timeout: 5s}".formatted(server.port());
      output(call(url));

      HttpStepExecutor closed = step(HttpAddressPolicy.of("loopback,private", ""));
      assertThat(failure(call(closed, url, Map.of()))).startsWith("address_denied: ");
      assertThat(failure(call(closed, url.replace("mixed.example", "0.0.0.0"), Map.of())))
          .startsWith("address_denied: ");
      assertThat(failure(call(closed, url.replace("mixed.example", "localhost"), Map.of())))
          .startsWith("address_denied: ");
      output(call(step(HttpAddressPolicy.of("loopback", "127.0.0.1")), url, Map.of()));
      assertThat(server.heads).hasSize(2);
    }
  }
}
