/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Trusts the authorities of a file, also after the file was exchanged. Thread-safe. */
final class ReloadingTrustManager extends X509ExtendedTrustManager {
  private final FileReloader<X509ExtendedTrustManager> manager;

  /**
   * @param others authorities that are trusted, too
   */
  ReloadingTrustManager(Path file, List<X509Certificate> others) throws IOException {
    this(file, others, FileReloader.PAUSE);
  }

  ReloadingTrustManager(Path file, List<X509Certificate> others, Duration pause)
      throws IOException {
    manager =
        new FileReloader<>(
            List.of(file),
            contents -> {
              List<X509Certificate> all =
                  new ArrayList<>(PemFile.certificates(contents.getFirst(), file));
              all.addAll(others);
              return manager(PemFile.trusting(all));
            },
            pause);
  }

  /**
   * @param store null for the authorities of the JDK
   */
  static X509ExtendedTrustManager manager(@Nullable KeyStore store) {
    try {
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has PKIX", e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    manager.get().checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    manager.get().checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    manager.get().checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    manager.get().checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    manager.get().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    manager.get().checkServerTrusted(chain, type, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return manager.get().getAcceptedIssuers();
  }
}
