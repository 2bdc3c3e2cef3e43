/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.PemFile;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/**
 * Runs Baton with TLS on the listeners of both services, which require certificates of clients: of
 * each other, of the runners and of the command.
 */
@UsesEncryptedStack
class TlsTest {
  private static final Duration END = Duration.ofSeconds(240);
  private static final int PATIENCE_MILLIS = 30_000;
  private static final List<String> NAMES = List.of("ip:127.0.0.1", "dns:localhost");

  private final Path folder;
  private final StandaloneStack stack;
  private final AcceptanceApiClient api;

  TlsTest(EncryptedStack encrypted) {
    this.folder = encrypted.on().folder;
    this.stack = encrypted.stack();
    this.api = encrypted.on().api;
  }

  private Path tls() {
    return stack.data().resolve("tls");
  }

  private List<String> services() {
    return List.of(stack.orchestratorUrl(), stack.storeUrl());
  }

  @Test
  void shouldExchangeCertificatesWhileARunIsUnderWay() throws Exception {
    Path go = folder.resolve("go");
    api.push(
        """
        name: rotated
        steps:
          - id: wait
            env: {RUN: '${{ .run.id }}'}
            shell: 'touch "%s-$RUN"; until [ -e "%s" ]; do sleep 0.2; done'
          - {id: after, shell: 'true'}
        """
            .formatted(go, go));
    String run = api.start("rotated", Json.mapper().createObjectNode());
    Await.until("a step of " + run + " is under way", END, () -> isUnderWay(run));
    X509Certificate before = presented(stack.orchestratorUrl());

    CertificateAuthority authority = CertificateAuthority.of(tls());
    authority.issue("service", NAMES, 2);
    authority.issue("client", NAMES, 2);
    X509Certificate fresh = PemFile.certificates(tls().resolve("service.pem")).getFirst();
    assertThat(fresh).isNotEqualTo(before);
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> each = new ArrayList<>();
      for (String service : services()) {
        each.add(clients.submit(() -> connectUntilPresented(service, fresh)));
      }
      for (Future<?> client : each) {
        client.get();
      }
    }
    // A replacement attaches with the new certificate of runners.
    String second = api.start("rotated", Json.mapper().createObjectNode());
    Await.until("a step of " + second + " is under way", END, () -> isUnderWay(second));
    Files.createFile(go);

    for (String each : List.of(run, second)) {
      Await.until("run " + each + " has completed", END, () -> isCompleted(each));
    }
    assertThat(Files.readString(stack.log(StackComponent.ORCHESTRATOR)))
        .doesNotContain("PRIVATE KEY");
  }

  /** Connects again and again until a service presents a certificate; no connection may fail. */
  private Void connectUntilPresented(String service, X509Certificate fresh) throws IOException {
    long began = System.nanoTime();
    while (!presented(service).equals(fresh)) {
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("%s presents the new certificate", service)
          .isLessThan(END);
    }
    return null;
  }

  private boolean isUnderWay(String run) {
    return Files.exists(folder.resolve("go-" + run));
  }

  private boolean isCompleted(String run) throws Exception {
    return api.run(run).path("status").asText().equals("completed");
  }

  @Test
  void shouldRefuseOtherClients() throws Exception {
    CertificateAuthority stranger =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("stranger")));
    Issued foreign = stranger.issue("client", NAMES, 2);
    Issued expired = CertificateAuthority.of(tls()).issue("expired", NAMES, "-3d", 1);

    for (String service : services()) {
      assertThat(answer(service, stack.clientTls())).startsWith("HTTP/1.1 200");
      assertRefused(service, client(Optional.empty()));
      assertRefused(service, client(Optional.of(foreign)));
      assertRefused(service, client(Optional.of(expired)));
      assertThatThrownBy(
              () ->
                  answer(
                      service,
                      new TlsSettings(
                          Optional.of(stranger.certificate()),
                          stack.clientTls().certificate(),
                          stack.clientTls().key())))
          .satisfies(e -> assertThat(TlsFailure.of(e)).contains(TlsFailure.UNKNOWN_AUTHORITY));
    }
  }

  private TlsSettings client(Optional<Issued> presented) {
    return new TlsSettings(
        stack.clientTls().trust(), presented.map(Issued::certificate), presented.map(Issued::key));
  }

  /** With TLS 1.3 the refusal may arrive as the end of the connection. */
  private static void assertRefused(String service, TlsSettings client) {
    String answer;
    try {
      answer = answer(service, client);
    } catch (IOException refused) {
      return;
    }
    assertThat(answer).describedAs("answer of %s", service).isEmpty();
  }

  private static SSLSocket connect(String service, TlsSettings client) throws IOException {
    URI url = URI.create(service);
    SSLSocket socket =
        (SSLSocket) client.context().getSocketFactory().createSocket(url.getHost(), url.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  /** Returns the answer to a request for the health of a service. */
  private static String answer(String service, TlsSettings client) throws IOException {
    try (SSLSocket socket = connect(service, client)) {
      socket
          .getOutputStream()
          .write(
              "GET /q/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                  .getBytes());
      return new String(socket.getInputStream().readAllBytes());
    }
  }

  private X509Certificate presented(String service) throws IOException {
    try (SSLSocket socket = connect(service, stack.clientTls())) {
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  @Test
  void shouldFindTheAuthorityOfTheLocalStack() throws Exception {
    Map<String, String> local = Map.of("BATON_DATA", stack.data().toString());
    Map<String, String> outside =
        Map.of("BATON_SERVER", stack.orchestratorUrl(), "BATON_API_KEY", stack.apiKey());

    // On a machine under load a connection may take longer than the command waits.
    Await.until(
        "the command connects to the local stack",
        END,
        () -> baton(local, "status").startsWith("0 "));
    Await.until(
        "the command names the variable to correct",
        END,
        () -> {
          String output = baton(outside, "status");
          return output.startsWith("6 ")
              && output.contains("its certificate is of an authority that is not trusted")
              && output.contains("$BATON_TLS_TRUST");
        });
  }

  /** Runs a command; returns its exit code and its output. */
  private static String baton(Map<String, String> environment, String... arguments)
      throws Exception {
    List<String> command =
        new ArrayList<>(List.of(Path.of("..", "baton").toAbsolutePath().normalize().toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("BATON_"));
    Map<String, String> all = new HashMap<>(environment);
    all.put("BATON_SKIP_BUILD", "1");
    builder.environment().putAll(all);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    return process.exitValue() + " " + output;
  }
}
