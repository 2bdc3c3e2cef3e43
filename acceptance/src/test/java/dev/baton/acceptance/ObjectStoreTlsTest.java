/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.chaos.fault.TcpProxy;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs Baton on an object store that accepts only TLS, with a certificate of an own authority. */
class ObjectStoreTlsTest {
  private static final Duration END = Duration.ofSeconds(240);
  private static final String LOOPBACK = "ip:127.0.0.1";

  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static CertificateAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy secured;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy foreign;

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack stack;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  @BeforeAll
  static void start() throws Exception {
    folder = Files.createTempDirectory("baton-object-store-tls-");
    authority = CertificateAuthority.of(Files.createDirectory(folder.resolve("authority")));
    // Later starts keep the port of the object store.
    StandaloneStack first = builder().components(StackComponent.S3).start();
    int port = URI.create(first.s3().endpoint()).getPort();
    first.close();
    secured = listen(authority.issue("objects", List.of(LOOPBACK), 2)).to(port);
    foreign = listen(authority.issue("foreign", List.of("dns:objects.example"), 2)).to(port);
    StackBuilder all = builder();
    for (StackComponent service : List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE)) {
      all.environment(service, "BATON_TLS_TRUST", authority.certificate().toString());
    }
    stack =
        all.environment(StackComponent.STORE, "BATON_OBJECT_STORE_ENDPOINT", endpoint(secured))
            .start();
    api = new AcceptanceApiClient(stack.orchestratorUrl(), stack.apiKey());
  }

  private static StackBuilder builder() {
    return StandaloneStack.builder().data(folder.resolve("stack"));
  }

  /** Listens with TLS; passes the bytes on without. */
  private static TcpProxy listen(Issued issued) throws Exception {
    TlsSettings settings =
        new TlsSettings(
            Optional.empty(), Optional.of(issued.certificate()), Optional.of(issued.key()));
    return TcpProxy.open(
        settings
            .context()
            .getServerSocketFactory()
            .createServerSocket(0, 128, InetAddress.getLoopbackAddress()));
  }

  private static String endpoint(TcpProxy proxy) {
    return "https://127.0.0.1:" + proxy.port();
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
    for (TcpProxy proxy : new TcpProxy[] {secured, foreign}) {
      if (proxy != null) {
        proxy.close();
      }
    }
    DirectoryTreeDeleter.delete(folder);
  }

  /** Files, a large output and logs pass through the object store. */
  @Test
  void shouldContinueARunOfAKilledRunner() throws Exception {
    Path go = folder.resolve("go");
    api.push(
        """
        name: stored
        steps:
          - {id: write, shell: 'echo kept > file; yes 0123456789 | head -n 20000'}
          - id: wait
            shell: 'touch "%s-begun"; until [ -e "%s" ]; do sleep 0.2; done'
          - {id: read, shell: 'cat file'}
        """
            .formatted(go, go));
    String run = api.start("stored", Json.mapper().createObjectNode());
    Await.until(
        "the second step is under way", END, () -> Files.exists(folder.resolve("go-begun")));

    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();
    Files.createFile(go);

    Await.until(
        "run " + run + " has completed",
        END,
        () -> api.run(run).path("status").asText().equals("completed"));
    assertThat(api.run(run).path("epoch").asInt()).isGreaterThan(1);
  }

  @Test
  void shouldNotStartWithAnotherAuthority() throws Exception {
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));

    assertNotStarted(
        Map.of(
            "BATON_OBJECT_STORE_ENDPOINT",
            endpoint(secured),
            "BATON_TLS_TRUST",
            other.certificate().toString()),
        "of an authority that is not trusted; correct baton.tls.trust");
  }

  @Test
  void shouldNotStartWithACertificateOfAnotherHost() throws Exception {
    assertNotStarted(
        Map.of(
            "BATON_OBJECT_STORE_ENDPOINT",
            endpoint(foreign),
            "BATON_TLS_TRUST",
            authority.certificate().toString()),
        "its certificate is for another host; correct baton.object-store.endpoint");
  }

  private static void assertNotStarted(Map<String, String> environment, String message)
      throws Exception {
    ServiceReplica replica =
        stack.replica(StackComponent.STORE, ServiceReplica.freePort(), environment);
    assertThatThrownBy(replica::start).hasMessageContaining("before it was ready");
    assertThat(stack.data().resolve("logs").resolve(replica.name() + ".log"))
        .content()
        .contains(message);
  }
}
