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
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents the certificate of a file to new connections, also after the file was exchanged. A key
 * that does not belong to the certificate is not used. Thread-safe.
 */
final class ReloadingKeyManager extends X509ExtendedKeyManager {
  private static final char[] NONE = {};

  /** Of its alias: a handshake that began with the pair before takes the key of that pair. */
  private static final AtomicInteger NUMBERS = new AtomicInteger();

  private record Pair(String alias, X509ExtendedKeyManager manager, @Nullable Pair before) {}

  private final FileReloader<Pair> pair;
  private @Nullable Pair last;

  ReloadingKeyManager(Path certificate, Path key) throws IOException {
    this(certificate, key, FileReloader.PAUSE);
  }

  ReloadingKeyManager(Path certificate, Path key, Duration pause) throws IOException {
    pair =
        new FileReloader<>(
            List.of(certificate, key),
            contents -> pair(contents.get(0), certificate, contents.get(1), key),
            pause);
  }

  private Pair pair(String certificate, Path certificateFile, String key, Path keyFile)
      throws IOException {
    List<X509Certificate> chain = PemFile.certificates(certificate, certificateFile);
    PrivateKey secret = PemFile.privateKey(key, keyFile);
    if (!belong(chain.getFirst(), secret)) {
      throw new IOException(keyFile + " has another key than that of " + certificateFile);
    }
    try {
      String alias = "pair-" + NUMBERS.incrementAndGet();
      KeyStore store = PemFile.empty();
      store.setKeyEntry(alias, secret, NONE, chain.toArray(Certificate[]::new));
      KeyManagerFactory factory = KeyManagerFactory.getInstance("SunX509");
      factory.init(store, NONE);
      Pair before = last == null ? null : new Pair(last.alias(), last.manager(), null);
      Pair fresh = new Pair(alias, (X509ExtendedKeyManager) factory.getKeyManagers()[0], before);
      last = fresh;
      return fresh;
    } catch (GeneralSecurityException e) {
      throw new IOException(certificateFile + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static boolean belong(X509Certificate certificate, PrivateKey key) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> "EdDSA";
        };
    byte[] text = {1, 2, 3};
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private X509ExtendedKeyManager current() {
    return pair.get().manager();
  }

  private X509ExtendedKeyManager of(String alias) {
    Pair now = pair.get();
    Pair before = now.before();
    return before != null && alias.equals(before.alias()) ? before.manager() : now.manager();
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return current().getClientAliases(keyType, issuers);
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return current().chooseClientAlias(keyType, issuers, socket);
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return current().chooseEngineClientAlias(keyType, issuers, engine);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return current().getServerAliases(keyType, issuers);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return current().chooseServerAlias(keyType, issuers, socket);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return current().chooseEngineServerAlias(keyType, issuers, engine);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return of(alias).getCertificateChain(alias);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return of(alias).getPrivateKey(alias);
  }
}
