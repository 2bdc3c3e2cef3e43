/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.tls.PemFile;
import dev.baton.protocol.tls.TlsFailure;
import io.quarkus.flyway.FlywayConfigurationCustomizer;
import jakarta.inject.Singleton;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Checks the certificate of Postgres before the first connection of Flyway, which would retry for
 * half a minute and then not name what to correct. A server that does not answer is left to those
 * retries.
 */
@Singleton
public final class PostgresTlsChecker implements FlywayConfigurationCustomizer {
  private static final int PATIENCE_MILLIS = 5_000;

  /** The request for TLS: its length and its code. */
  private static final int[] SSL_REQUEST = {8, 80_877_103};

  private final String host;
  private final int port;
  private final Optional<String> mode;
  private final Optional<Path> root;

  PostgresTlsChecker(
      @ConfigProperty(name = "baton.db.host", defaultValue = "127.0.0.1") String host,
      @ConfigProperty(name = "baton.db.port", defaultValue = "5432") int port,
      @ConfigProperty(name = DatabaseTlsSource.MODE) Optional<String> mode,
      @ConfigProperty(name = DatabaseTlsSource.ROOT) Optional<Path> root) {
    this.host = host;
    this.port = port;
    this.mode = mode;
    this.root = root;
  }

  @Override
  public void customize(FluentConfiguration configuration) {
    if (mode.isPresent() && !mode.get().equals("disable")) {
      try {
        check(mode.get());
      } catch (SSLException e) {
        TlsFailure failure = TlsFailure.of(e).orElse(TlsFailure.OTHER);
        throw new IllegalStateException(
            "Postgres at %s:%d: %s; correct %s"
                .formatted(
                    host,
                    port,
                    failure == TlsFailure.OTHER ? failure.words() + ": " + e : failure.words(),
                    remedy(failure)),
            e);
      } catch (IOException absent) {
        // Flyway waits for it.
      }
    }
  }

  private static String remedy(TlsFailure failure) {
    return switch (failure) {
      case UNKNOWN_AUTHORITY -> DatabaseTlsSource.ROOT + ", or the certificate of the server";
      case OTHER_HOST -> "baton.db.host, or the certificate of the server";
      case REFUSED -> DatabaseTlsSource.CERTIFICATE;
      case PLAIN -> DatabaseTlsSource.MODE + ", or set ssl=on in the server";
      case EXPIRED, NOT_YET_VALID, OTHER -> "the certificate of the server";
    };
  }

  private void check(String word) throws IOException {
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
      plain.setSoTimeout(PATIENCE_MILLIS);
      DataOutputStream out = new DataOutputStream(plain.getOutputStream());
      for (int number : SSL_REQUEST) {
        out.writeInt(number);
      }
      out.flush();
      int answer = plain.getInputStream().read();
      if (answer == 'N') {
        throw new SSLException("Unsupported or unrecognized SSL message");
      }
      if (answer == 'S' && root.isPresent()) {
        handshake(plain, word.equals("verify-full"), root.get());
      }
    }
  }

  private void handshake(Socket plain, boolean named, Path trusted) throws IOException {
    try {
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(PemFile.trusting(PemFile.certificates(trusted)));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      try (SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true)) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(named ? "HTTPS" : "");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }
}
