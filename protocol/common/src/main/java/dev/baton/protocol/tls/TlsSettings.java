/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What clients of Baton's services trust and present, as PEM files, which are read again after a
 * change.
 *
 * @param trust the authorities of Baton's services; empty for those of the JDK
 * @param certificate presented to a peer that requests one
 * @param key of the certificate
 */
public record TlsSettings(Optional<Path> trust, Optional<Path> certificate, Optional<Path> key) {
  public static final String TRUST = "baton.tls.trust";
  public static final String CERTIFICATE = "baton.tls.certificate";
  public static final String KEY = "baton.tls.key";

  /** The authorities of the JDK, and no certificate. */
  public static final TlsSettings NONE =
      new TlsSettings(Optional.empty(), Optional.empty(), Optional.empty());

  /** A session may be resumed without a check of certificates that were exchanged since. */
  public static final int SESSION_SECONDS = 10;

  /**
   * Reads the settings and their files.
   *
   * @param values returns the value of a key, if it is set
   * @throws IllegalArgumentException that names the key, and the file, never its content
   */
  public static TlsSettings read(Function<String, Optional<String>> values) {
    TlsSettings settings =
        new TlsSettings(path(values, TRUST), path(values, CERTIFICATE), path(values, KEY));
    if (settings.certificate.isPresent() != settings.key.isPresent()) {
      throw new IllegalArgumentException(
          CERTIFICATE + " and " + KEY + " belong together: one of them is missing");
    }
    if (settings.trust.isPresent()) {
      settings.trustManager();
    }
    settings.keyManager();
    return settings;
  }

  private static Optional<Path> path(Function<String, Optional<String>> values, String key) {
    try {
      return values
          .apply(key)
          .map(String::strip)
          .filter(text -> !text.isEmpty())
          .map(text -> Path.of(text).toAbsolutePath());
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(key + " is not a path: " + e.getReason(), e);
    }
  }

  /** Returns the paths as environment variables of a process that uses the same files. */
  public Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>();
    trust.ifPresent(file -> environment.put("BATON_TLS_TRUST", file.toString()));
    certificate.ifPresent(file -> environment.put("BATON_TLS_CERTIFICATE", file.toString()));
    key.ifPresent(file -> environment.put("BATON_TLS_KEY", file.toString()));
    return environment;
  }

  /** Returns what checks the certificates of Baton's services. */
  public X509ExtendedTrustManager trustManager() {
    if (trust.isEmpty()) {
      return ReloadingTrustManager.manager(null);
    }
    try {
      return new ReloadingTrustManager(trust.get(), List.of());
    } catch (IOException e) {
      throw new IllegalArgumentException(TRUST + ": " + e.getMessage(), e);
    }
  }

  /** Returns what presents the certificate; empty without one. */
  public Optional<X509ExtendedKeyManager> keyManager() {
    if (certificate.isEmpty() || key.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new ReloadingKeyManager(certificate.get(), key.get()));
    } catch (IOException e) {
      throw new IllegalArgumentException(CERTIFICATE + ", " + KEY + ": " + e.getMessage(), e);
    }
  }

  /** Creates the context of a client of Baton's services. */
  public SSLContext context() {
    return context(
        keyManager().map(manager -> new KeyManager[] {manager}).orElse(null), trustManager());
  }

  /**
   * Creates the context of a client of other services, such as an object store: also trusts the
   * authorities of the JDK, and presents nothing.
   */
  public SSLContext contextOfOthers() {
    return contextOf(trustManagerOfOthers());
  }

  /** Returns what {@link #contextOfOthers} trusts. */
  public X509ExtendedTrustManager trustManagerOfOthers() {
    X509ExtendedTrustManager known = ReloadingTrustManager.manager(null);
    if (trust.isEmpty()) {
      return known;
    }
    try {
      return new ReloadingTrustManager(trust.get(), List.of(known.getAcceptedIssuers()));
    } catch (IOException e) {
      throw new IllegalArgumentException(TRUST + ": " + e.getMessage(), e);
    }
  }

  /** Creates the context of a client that presents nothing. */
  public static SSLContext contextOf(X509ExtendedTrustManager trust) {
    return context(null, trust);
  }

  private static SSLContext context(KeyManager @Nullable [] keys, X509ExtendedTrustManager trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {trust}, null);
      context.getClientSessionContext().setSessionTimeout(SESSION_SECONDS);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }
}
