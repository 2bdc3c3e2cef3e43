/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.lease.ServiceTokenCodec;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.testing.TestConfigFactory;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseSignerTest {
  @Test
  void shouldSignSoThatTheKeyVerifiesAfterARestart(@TempDir Path data) throws Exception {
    String token = new LeaseSigner(config(data)).mint("01run", 3, "default");

    LeaseSigner restarted = new LeaseSigner(config(data));
    String[] parts = token.split("\\.");
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(restarted.publicKey().key());
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
    var claims = Json.tree(Base64.getUrlDecoder().decode(parts[1]));
    assertThat(claims.get("sub").textValue()).isEqualTo("01run");
    assertThat(claims.get("epoch").intValue()).isEqualTo(3);
    assertThat(Json.tree(Base64.getUrlDecoder().decode(parts[0])).get("alg").textValue())
        .isEqualTo("EdDSA");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("lease.key"))))
        .isEqualTo("rw-------");
  }

  @Test
  void shouldSignATokenOfTheService(@TempDir Path data) throws Exception {
    Instant now = Instant.parse("2026-01-02T03:04:05Z");

    String[] parts = new LeaseSigner(config(data)).signServiceToken(now).split("\\.");

    var claims = Json.tree(Base64.getUrlDecoder().decode(parts[1]));
    assertThat(claims.get("aud").textValue()).isEqualTo("checkpoint-store");
    assertThat(claims.get("exp").longValue())
        .isEqualTo(now.plus(ServiceTokenCodec.VALIDITY).getEpochSecond());
  }

  private static OrchestratorConfig config(Path data) {
    return TestConfigFactory.of(Map.of("baton.data", data.toString()));
  }
}
