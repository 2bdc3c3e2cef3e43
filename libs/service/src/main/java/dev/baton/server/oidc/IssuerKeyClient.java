/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the keys of an issuer: its discovery document (OpenID Connect Discovery 1.0), and the key
 * set that it names. Follows no redirects. Thread-safe.
 */
final class IssuerKeyClient implements AutoCloseable {
  private static final String DISCOVERY = "/.well-known/openid-configuration";
  private static final int MAX_BYTES = 1 << 20;
  private static final int OK = 200;

  private final OidcSettings settings;
  private final TlsSettings tls;
  private @Nullable HttpClient http;

  /**
   * @param tls its authorities are trusted in addition to those of the JDK
   */
  IssuerKeyClient(OidcSettings settings, TlsSettings tls) {
    this.settings = settings;
    this.tls = tls;
  }

  /**
   * Fetches the keys, by kid.
   *
   * @return fails with {@link IssuerUnavailableException}
   */
  Uni<Map<String, IssuerKey>> fetch() {
    String issuer = settings.issuer();
    return Uni.createFrom()
        .deferred(() -> get(issuer.replaceAll("/+$", "") + DISCOVERY))
        .map(this::keySetUrl)
        .chain(this::get)
        .map(IssuerKey::readSet)
        .onFailure()
        .transform(
            failure ->
                new IssuerUnavailableException(
                    "cannot fetch the keys of %s: %s".formatted(issuer, words(failure)), failure));
  }

  private Uni<String> get(String url) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(settings.timeout())
            .header("Accept", "application/json")
            .GET()
            .build();
    return Uni.createFrom()
        .completionStage(
            () ->
                client()
                    .sendAsync(
                        request,
                        response ->
                            HttpResponse.BodySubscribers.limiting(
                                HttpResponse.BodySubscribers.ofByteArray(), MAX_BYTES)))
        // The timeout of a request ends with the head of its response.
        .ifNoItem()
        .after(settings.timeout().multipliedBy(2))
        .failWith(() -> new HttpTimeoutException(url + " has not answered in time"))
        .map(
            response -> {
              if (response.statusCode() != OK) {
                throw new UncheckedIOException(
                    new IOException(url + " answered " + response.statusCode()));
              }
              return new String(response.body(), StandardCharsets.UTF_8);
            });
  }

  private String keySetUrl(String discovery) {
    JsonNode document;
    try {
      document = Json.checkedTree(discovery);
    } catch (IOException e) {
      throw new IllegalArgumentException("its discovery document is not JSON", e);
    }
    String named = document.path("issuer").asText();
    if (!named.equals(settings.issuer())) {
      throw new IllegalArgumentException(
          "its discovery document is of another issuer: %sissuer must be as in that document"
              .formatted(OidcSettings.PREFIX));
    }
    String url = document.path("jwks_uri").asText();
    if (!OidcSettings.isAllowed(url)) {
      throw new IllegalArgumentException(
          "the jwks_uri of its discovery document is not allowed; allowed: "
              + OidcSettings.allowedUrl());
    }
    return url;
  }

  private static String words(Throwable failure) {
    return TlsFailure.explain(failure, OidcSettings.PREFIX + "issuer", IssuerKeyClient::message);
  }

  private static String message(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof UncheckedIOException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }

  private synchronized HttpClient client() {
    if (http == null) {
      HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(settings.timeout());
      if (settings.issuer().startsWith("https:")) {
        builder.sslContext(tls.contextOfOthers());
      }
      http = builder.build();
    }
    return http;
  }

  @Override
  public synchronized void close() {
    if (http != null) {
      http.shutdownNow();
    }
  }
}
