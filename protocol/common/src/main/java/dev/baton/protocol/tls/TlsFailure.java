/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Names the reason for which a TLS connection failed. */
public enum TlsFailure {
  /** The peer's certificate has expired. */
  EXPIRED("its certificate has expired"),
  /** The peer's certificate is not valid yet. */
  NOT_YET_VALID("its certificate is not valid yet"),
  /** The peer's certificate is of an authority that is not trusted. */
  UNKNOWN_AUTHORITY("its certificate is of an authority that is not trusted"),
  /** The peer's certificate has other names. */
  OTHER_HOST("its certificate is for another host"),
  /** The peer refuses this side's certificate, or requires one. */
  REFUSED("it refused the certificate of this client, or requires one"),
  /** The peer does not use TLS. */
  PLAIN("it does not use TLS"),
  /** TLS failed otherwise. */
  OTHER("TLS failed");

  private static final int DEEPEST = 20;

  private final String words;

  TlsFailure(String words) {
    this.words = words;
  }

  /** Returns the reason for a message, to be placed after the name of the peer. */
  public String words() {
    return words;
  }

  /**
   * Returns the reason and what to correct.
   *
   * @param address the key of the peer's address
   */
  public String advice(String address) {
    return words
        + "; correct "
        + switch (this) {
          case EXPIRED, NOT_YET_VALID -> "its certificate, or the clock of this machine";
          case UNKNOWN_AUTHORITY -> TlsSettings.TRUST + ", or its certificate";
          case OTHER_HOST -> address + ", or its certificate";
          case REFUSED -> TlsSettings.CERTIFICATE + ", or what it trusts";
          case PLAIN -> "the scheme of " + address;
          case OTHER -> TlsSettings.TRUST + " or " + TlsSettings.CERTIFICATE;
        };
  }

  /**
   * Whether it lasts until a certificate or a setting has changed, so that repeating is useless.
   */
  public boolean isLasting() {
    return this != OTHER;
  }

  /**
   * Returns why a connection failed, for a message, to be placed after the name of the peer: the
   * {@link #advice} where TLS failed.
   *
   * @param address the key of the peer's address
   * @param otherwise describes a failure that is not one of TLS
   */
  public static String explain(
      Throwable failure, String address, Function<Throwable, String> otherwise) {
    return of(failure)
        .map(reason -> reason.advice(address))
        .orElseGet(() -> otherwise.apply(failure));
  }

  /** Returns the reason among the causes of a failure; empty when TLS did not fail. */
  public static Optional<TlsFailure> of(Throwable failure) {
    Optional<TlsFailure> found = Optional.empty();
    @Nullable Throwable cause = failure;
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      Optional<TlsFailure> here = one(cause);
      if (here.isPresent() && (found.isEmpty() || found.get() == OTHER)) {
        found = here;
      }
      cause = cause.getCause();
    }
    return found;
  }

  private static Optional<TlsFailure> one(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof CertificateExpiredException) {
      return Optional.of(EXPIRED);
    }
    if (cause instanceof CertificateNotYetValidException) {
      return Optional.of(NOT_YET_VALID);
    }
    if (cause instanceof CertPathBuilderException) {
      return Optional.of(UNKNOWN_AUTHORITY);
    }
    if (cause instanceof SSLPeerUnverifiedException) {
      return Optional.of(OTHER_HOST);
    }
    if (cause instanceof CertificateException
        && (message.startsWith("No subject alternative")
            || message.startsWith("No name matching"))) {
      return Optional.of(OTHER_HOST);
    }
    if (cause.getClass().getSimpleName().equals("NotSslRecordException")
        || message.contains("Unsupported or unrecognized SSL message")) {
      return Optional.of(PLAIN);
    }
    if (cause instanceof SSLException) {
      return Optional.of(message.contains("Received fatal alert") ? REFUSED : OTHER);
    }
    return Optional.empty();
  }
}
