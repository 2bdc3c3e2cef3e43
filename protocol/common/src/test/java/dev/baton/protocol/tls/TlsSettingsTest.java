/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.tls.CertificateAuthority.Issued;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsSettingsTest {
  private static final List<String> LOOPBACK = List.of("ip:127.0.0.1");
  private static final int PATIENCE_MILLIS = 30_000;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @SuppressWarnings("NullAway.Init")
  private CertificateAuthority authority;

  @SuppressWarnings("NullAway.Init")
  private Issued server;

  @SuppressWarnings("NullAway.Init")
  private Issued client;

  @SuppressWarnings("NullAway.Init")
  private SSLServerSocket listener;

  @BeforeEach
  void listen() throws Exception {
    authority = CertificateAuthority.of(folder);
    server = authority.issue("server", LOOPBACK, 1);
    client = authority.issue("client", LOOPBACK, 1);
    listener =
        (SSLServerSocket)
            settings(authority, Optional.of(server))
                .context()
                .getServerSocketFactory()
                .createServerSocket(0, 8, InetAddress.getLoopbackAddress());
    listener.setNeedClientAuth(true);
    Thread.ofVirtual().start(this::serve);
  }

  /** Answers each client with the common name of its certificate. */
  private void serve() {
    while (!listener.isClosed()) {
      try (SSLSocket socket = (SSLSocket) listener.accept()) {
        socket.setSoTimeout(PATIENCE_MILLIS);
        X509Certificate peer = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        socket.getOutputStream().write(peer.getSubjectX500Principal().getName().getBytes());
      } catch (IOException refused) {
        // The client sees it, too.
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    listener.close();
  }

  private static TlsSettings settings(CertificateAuthority trusted, Optional<Issued> presented) {
    return new TlsSettings(
        Optional.of(trusted.certificate()),
        presented.map(Issued::certificate),
        presented.map(Issued::key));
  }

  private String call(TlsSettings settings, String host) throws IOException {
    try (SSLSocket socket =
        (SSLSocket)
            settings.context().getSocketFactory().createSocket(host, listener.getLocalPort())) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      return new String(socket.getInputStream().readAllBytes());
    }
  }

  private TlsFailure failure(TlsSettings settings, String host) {
    try {
      throw new AssertionError("accepted: " + call(settings, host));
    } catch (IOException e) {
      return TlsFailure.of(e).orElseThrow(() -> new AssertionError("not TLS", e));
    }
  }

  @Test
  void shouldNameTheReasonOfARefusal() throws Exception {
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));
    TlsSettings good = settings(authority, Optional.of(client));

    assertThat(call(good, "127.0.0.1")).isEqualTo("CN=client");
    assertThat(failure(settings(other, Optional.of(client)), "127.0.0.1"))
        .isEqualTo(TlsFailure.UNKNOWN_AUTHORITY);
    assertThat(failure(good, "localhost")).isEqualTo(TlsFailure.OTHER_HOST);
    assertThat(failure(TlsSettings.NONE, "127.0.0.1")).isEqualTo(TlsFailure.UNKNOWN_AUTHORITY);
    assertRefused(settings(authority, Optional.empty()));
    assertRefused(settings(authority, Optional.of(other.issue("client", LOOPBACK, 1))));
    assertRefused(settings(authority, Optional.of(authority.issue("old", LOOPBACK, "-3d", 1))));
  }

  /** With TLS 1.3 the refusal of a client may arrive as the end of its connection. */
  private void assertRefused(TlsSettings settings) {
    assertThatThrownBy(
            () -> assertThat(call(settings, "127.0.0.1")).describedAs("answer").isEqualTo("none"))
        .satisfiesAnyOf(
            failure ->
                assertThat(TlsFailure.of(failure)).isEqualTo(Optional.of(TlsFailure.REFUSED)),
            failure -> assertThat(failure).isInstanceOf(SocketException.class));
  }

  @Test
  void shouldPresentAnExchangedCertificate() throws Exception {
    ReloadingKeyManager keys =
        new ReloadingKeyManager(client.certificate(), client.key(), Duration.ZERO);
    X509Certificate first = presented(keys);
    Issued fresh = authority.issue("fresh", LOOPBACK, 1);

    // Of the pair only the certificate: the last pair stays in use.
    Files.move(fresh.certificate(), client.certificate(), StandardCopyOption.REPLACE_EXISTING);
    assertThat(presented(keys)).isEqualTo(first);
    Files.move(fresh.key(), client.key(), StandardCopyOption.REPLACE_EXISTING);
    assertThat(presented(keys).getSubjectX500Principal()).hasToString("CN=fresh");
  }

  private static X509Certificate presented(ReloadingKeyManager keys) {
    String alias = keys.chooseEngineClientAlias(new String[] {"EC"}, null, null);
    X509Certificate[] chain = keys.getCertificateChain(String.valueOf(alias));
    if (chain == null) {
      throw new AssertionError("no certificate");
    }
    return chain[0];
  }

  @Test
  void shouldTrustAnExchangedAuthority() throws Exception {
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("next")));
    Path trusted = Files.copy(other.certificate(), folder.resolve("trusted.pem"));
    ReloadingTrustManager trust = new ReloadingTrustManager(trusted, List.of(), Duration.ZERO);
    X509Certificate[] chain =
        PemFile.certificates(server.certificate()).toArray(X509Certificate[]::new);

    assertThatThrownBy(() -> trust.checkServerTrusted(chain, "UNKNOWN"))
        .satisfies(
            e -> assertThat(TlsFailure.of(e)).isEqualTo(Optional.of(TlsFailure.UNKNOWN_AUTHORITY)));
    Files.copy(authority.certificate(), trusted, StandardCopyOption.REPLACE_EXISTING);
    trust.checkServerTrusted(chain, "UNKNOWN");
  }

  @Test
  void shouldAlsoTrustTheAuthoritiesOfTheJdkForOtherServices() throws Exception {
    int known = ReloadingTrustManager.manager(null).getAcceptedIssuers().length;

    assertThat(
            new ReloadingTrustManager(
                    authority.certificate(),
                    List.of(ReloadingTrustManager.manager(null).getAcceptedIssuers()))
                .getAcceptedIssuers())
        .hasSize(known + 1);
    assertThat(settings(authority, Optional.of(client)).contextOfOthers().getProtocol())
        .isEqualTo("TLS");
  }

  @Test
  void shouldNameTheKeyOfAnInvalidSetting() throws Exception {
    Map<String, String> other =
        Map.of(
            "baton.tls.certificate",
            client.certificate().toString(),
            "baton.tls.key",
            server.key().toString());

    assertThatThrownBy(() -> TlsSettings.read(key -> Optional.ofNullable(other.get(key))))
        .hasMessage(
            "baton.tls.certificate, baton.tls.key: %s has another key than that of %s",
            server.key(), client.certificate());
    assertThat(TlsFailure.of(new IOException("reset"))).isEmpty();
    assertThat(TlsFailure.of(new IOException(new SSLException("x"))))
        .isEqualTo(Optional.of(TlsFailure.OTHER));
  }
}
