/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PemFileTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  void shouldReadWhatTheAuthorityIssues() throws Exception {
    CertificateAuthority authority = CertificateAuthority.of(folder);
    CertificateAuthority.Issued issued = authority.issue("a", List.of("dns:localhost"), 1);

    assertThat(PemFile.certificates(authority.certificate())).hasSize(1);
    assertThat(PemFile.certificates(issued.certificate()).getFirst().getSubjectX500Principal())
        .hasToString("CN=a");
    PemFile.certificates(issued.certificate())
        .getFirst()
        .verify(PemFile.certificates(authority.certificate()).getFirst().getPublicKey());
    assertThat(PemFile.privateKey(issued.key()).getAlgorithm()).isEqualTo("EC");
    for (String secret : List.of("a.key", "ca.p12", "ca.password")) {
      assertThat(Files.getPosixFilePermissions(folder.resolve(secret)))
          .describedAs(secret)
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void shouldNameTheFileOfAnError() throws Exception {
    Path absent = folder.resolve("absent.pem");
    Path other =
        Files.writeString(
            folder.resolve("other.key"),
            "-----BEGIN EC PRIVATE KEY-----\nc2VjcmV0\n-----END EC PRIVATE KEY-----\n");
    Path damaged =
        Files.writeString(
            folder.resolve("damaged.key"),
            "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n");

    assertThatThrownBy(() -> PemFile.certificates(absent))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(absent + " cannot be read");
    assertThatThrownBy(() -> PemFile.certificates(other))
        .hasMessage(other + " has no certificate in PEM");
    assertThatThrownBy(() -> PemFile.privateKey(other)).hasMessageContaining("openssl pkcs8");
    assertThatThrownBy(() -> PemFile.privateKey(damaged))
        .hasMessageContaining("damaged.key")
        .hasMessageNotContaining("c2VjcmV0");
  }
}
