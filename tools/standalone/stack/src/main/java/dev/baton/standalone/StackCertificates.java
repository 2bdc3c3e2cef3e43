/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.PemFile;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The certificates of a stack with TLS, issued by an authority in its data folder.
 *
 * @param service of both services
 * @param client of runners and the command
 */
record StackCertificates(TlsSettings service, TlsSettings client) {
  private static final String FOLDER = "tls";
  private static final int DAYS = 365;
  private static final Duration RENEWED = Duration.ofDays(90);

  /** Names under which programs on this machine reach the services. */
  private static final List<String> NAMES = List.of("ip:127.0.0.1", "dns:localhost");

  /**
   * Returns the certificates; issues those that are missing or expire within three months.
   *
   * @param data the data folder
   */
  static StackCertificates issue(Path data) throws IOException, InterruptedException {
    Path folder = StackPaths.ownersOnly(data.resolve(FOLDER));
    CertificateAuthority authority = CertificateAuthority.of(folder);
    return new StackCertificates(
        settings(authority, folder, "service"), settings(authority, folder, "client"));
  }

  private static TlsSettings settings(CertificateAuthority authority, Path folder, String name)
      throws IOException, InterruptedException {
    Path certificate = folder.resolve(name + ".pem");
    Path key = folder.resolve(name + ".key");
    if (!Files.exists(certificate)
        || !Files.exists(key)
        || PemFile.certificates(certificate)
            .getFirst()
            .getNotAfter()
            .toInstant()
            .isBefore(Instant.now().plus(RENEWED))) {
      authority.issue(name, NAMES, DAYS);
    }
    return new TlsSettings(
        Optional.of(authority.certificate()), Optional.of(certificate), Optional.of(key));
  }
}
