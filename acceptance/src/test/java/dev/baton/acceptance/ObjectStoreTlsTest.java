/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.chaos.fault.TcpProxy;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Runs Baton on an object store that accepts only TLS, with a certificate of an own authority. */
class ObjectStoreTlsTest {
  private static final Duration END = Duration.ofSeconds(240);
  private static final String LOOPBACK = "ip:127.0.0.1";

  /** Launchers pass the setting of the orchestrator to runners. */
  private static final List<StackComponent> TRUSTING =
      List.of(StackComponent.ORCHESTRATOR, StackComponent.STORE);

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack objects;

  @SuppressWarnings("NullAway.Init")
  private static CertificateAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy secured;

  @SuppressWarnings("NullAway.Init")
  private static TcpProxy foreign;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    Path folder = Files.createTempDirectory("baton-object-store-tls-");
    authority = CertificateAuthority.of(Files.createDirectory(folder.resolve("authority")));
    objects =
        SharedStackExtension.builder()
            .data(folder.resolve("objects"))
            .components(StackComponent.S3)
            .start();
    int port = URI.create(objects.s3().endpoint()).getPort();
    secured = listen(authority.issue("objects", List.of(LOOPBACK), 2)).to(port);
    foreign = listen(authority.issue("foreign", List.of("dns:objects.example"), 2)).to(port);
    on =
        SharedStackExtension.RunningStack.of(
            builder -> {
              for (StackComponent service : TRUSTING) {
                builder.environment(service, "BATON_TLS_TRUST", trust(authority));
              }
              store(secured)
                  .forEach((name, value) -> builder.environment(StackComponent.STORE, name, value));
              return builder;
            });
  }

  private static String trust(CertificateAuthority of) {
    return of.certificate().toString();
  }

  /** Returns what the checkpoint-store needs for the object store behind a proxy. */
  private static Map<String, String> store(TcpProxy proxy) {
    return Map.of(
        "BATON_OBJECT_STORE_ENDPOINT",
        "https://127.0.0.1:" + proxy.port(),
        "BATON_OBJECT_STORE_ACCESS_KEY",
        objects.s3().accessKey(),
        "BATON_OBJECT_STORE_SECRET_KEY",
        objects.s3().secretKey());
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

  @AfterAll
  static void stop() throws Exception {
    if (on != null) {
      on.close();
    }
    for (TcpProxy proxy : new TcpProxy[] {secured, foreign}) {
      if (proxy != null) {
        proxy.close();
      }
    }
    if (objects != null) {
      objects.close();
      DirectoryTreeDeleter.delete(Objects.requireNonNull(objects.data().getParent()));
    }
  }

  /** Files, a large output and logs pass through the object store. */
  @Test
  void shouldContinueARunOfAKilledRunner() throws Exception {
    Path go = on.folder.resolve("go");
    on.api.push(
        """
        name: stored
        steps:
          - {id: write, shell: 'echo kept > file; yes 0123456789 | head -n 20000'}
          - id: wait
            shell: 'touch "%s-begun"; until [ -e "%s" ]; do sleep 0.2; done'
          - {id: read, shell: 'cat file'}
        """
            .formatted(go, go));
    String run = on.api.start("stored", Json.mapper().createObjectNode());
    Await.until(
        "the second step is under way", END, () -> Files.exists(on.folder.resolve("go-begun")));

    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();
    Files.createFile(go);

    Await.until(
        "run " + run + " has completed",
        END,
        () -> on.api.run(run).path("status").asText().equals("completed"));
    assertThat(on.api.run(run).path("epoch").asInt()).isGreaterThan(1);
  }

  @Test
  void shouldNotStartWithAnotherAuthority() throws Exception {
    Path other = Files.createDirectory(on.folder.resolve("other"));

    assertNotStarted(
        secured,
        CertificateAuthority.of(other),
        "of an authority that is not trusted; correct baton.tls.trust");
  }

  @Test
  void shouldNotStartWithACertificateOfAnotherHost() throws Exception {
    assertNotStarted(
        foreign,
        authority,
        "its certificate is for another host; correct baton.object-store.endpoint");
  }

  private static void assertNotStarted(TcpProxy proxy, CertificateAuthority trusted, String message)
      throws Exception {
    Map<String, String> environment = new HashMap<>(store(proxy));
    environment.put("BATON_TLS_TRUST", trust(trusted));
    ServiceStartAssert.assertNotStarted(on.stack, StackComponent.STORE, environment, message);
  }
}
