/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and private keys in PEM. Messages name the file, never its content. */
public final class PemFile {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final Pattern OTHER_KEY = Pattern.compile("-----BEGIN [A-Z ]+ PRIVATE KEY-----");
  private static final Pattern CERTIFICATES =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");
  private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

  private PemFile() {}

  /**
   * Returns the certificates of a file, in its order; at least one.
   *
   * @throws IOException when the file cannot be read or has none
   */
  public static List<X509Certificate> certificates(Path file) throws IOException {
    return certificates(read(file), file);
  }

  static List<X509Certificate> certificates(String text, Path file) throws IOException {
    StringBuilder pem = new StringBuilder();
    Matcher found = CERTIFICATES.matcher(text);
    while (found.find()) {
      pem.append(found.group()).append('\n');
    }
    try {
      Collection<?> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.toString().getBytes(StandardCharsets.US_ASCII)));
      if (!all.isEmpty()) {
        return all.stream().map(X509Certificate.class::cast).toList();
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " has a certificate that cannot be read: " + e.getMessage(), e);
    }
    throw new IOException(file + " has no certificate in PEM");
  }

  /**
   * Returns the private key of a file: PKCS #8, not encrypted.
   *
   * @throws IOException when the file cannot be read or has no such key
   */
  public static PrivateKey privateKey(Path file) throws IOException {
    return privateKey(read(file), file);
  }

  static PrivateKey privateKey(String text, Path file) throws IOException {
    Matcher key = KEY.matcher(text);
    if (!key.find()) {
      throw new IOException(
          OTHER_KEY.matcher(text).find()
              ? file
                  + " has a key of another form than PKCS #8 without a password: convert it with"
                  + " openssl pkcs8 -topk8 -nodes"
              : file + " has no private key in PEM");
    }
    PKCS8EncodedKeySpec encoded;
    try {
      encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1)));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " has a private key that is not in PEM");
    }
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
      } catch (InvalidKeySpecException other) {
        // The next algorithm may be that of this key.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JDK has " + algorithm, e);
      }
    }
    throw new IOException(
        file + " has a private key of an unknown algorithm; known: EC, RSA, EdDSA");
  }

  /** Returns a store in memory that trusts these authorities. */
  public static KeyStore trusting(List<X509Certificate> authorities) {
    try {
      KeyStore store = empty();
      for (int i = 0; i < authorities.size(); i++) {
        store.setCertificateEntry("authority-" + i, authorities.get(i));
      }
      return store;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a store in memory takes every certificate", e);
    }
  }

  static KeyStore empty() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("every JDK has PKCS12", e);
    }
  }

  static String read(Path file) throws IOException {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getClass().getSimpleName(), e);
    }
  }
}
