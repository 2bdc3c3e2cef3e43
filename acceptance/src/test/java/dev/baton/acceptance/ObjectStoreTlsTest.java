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
import dev.baton.standalone.StackComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs Baton on an object store that accepts only TLS, with a certificate of an own authority. */
@UsesEncryptedStack
class ObjectStoreTlsTest {
  private static final Duration END = Duration.ofSeconds(240);

  private final EncryptedStack encrypted;
  private final SharedStackExtension.RunningStack on;

  ObjectStoreTlsTest(EncryptedStack encrypted) {
    this.encrypted = encrypted;
    this.on = encrypted.on();
  }

  /** Files, a large output and logs pass through the object store. */
  @Test
  void shouldContinueARunOfAKilledRunner() throws Exception {
    Path go = Files.createTempDirectory(on.folder, "stored").resolve("go");
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
    Await.until("the second step is under way", END, () -> Files.exists(Path.of(go + "-begun")));

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
    Path other = Files.createTempDirectory(on.folder, "other");

    assertNotStarted(
        encrypted.secured(),
        CertificateAuthority.of(other),
        "of an authority that is not trusted; correct baton.tls.trust");
  }

  @Test
  void shouldNotStartWithACertificateOfAnotherHost() throws Exception {
    assertNotStarted(
        encrypted.foreign(),
        encrypted.authority(),
        "its certificate is for another host; correct baton.object-store.endpoint");
  }

  private void assertNotStarted(TcpProxy proxy, CertificateAuthority trusted, String message)
      throws Exception {
    Map<String, String> environment = new HashMap<>(encrypted.objectSettings(proxy));
    environment.put("BATON_TLS_TRUST", trusted.certificate().toString());
    ServiceStartAssert.assertNotStarted(on.stack, StackComponent.STORE, environment, message);
  }
}
