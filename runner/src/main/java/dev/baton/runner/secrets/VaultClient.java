/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.SecretReference;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads secrets of the KV engines of Vault, version 1 and 2, by its HTTP API. A failed request is
 * repeated twice within 30 s. Messages have neither values nor tokens nor texts of Vault.
 * Thread-safe.
 */
final class VaultClient {
  /** Limits of waiting. */
  record Limits(Duration request, Duration all) {
    static final Limits DEFAULT = new Limits(Duration.ofSeconds(10), Duration.ofSeconds(30));
  }

  private static final int ATTEMPTS = 3;
  private static final int MAX_ANSWER = 1 << 20;
  private static final int MAX_TOKEN = 64 * 1024;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** Of a login without an end, and the longest use of one. */
  private static final Duration LONGEST_LOGIN = Duration.ofHours(1);

  private final VaultSettings settings;
  private final TlsSettings tls;
  private final Limits limits;
  private @Nullable HttpClient client;
  private final ReentrantLock logins = new ReentrantLock();
  private volatile @Nullable Login login;

  /** A token that a login has returned, and until when it is used. */
  private record Login(String token, long endNanos) {}

  /** A failed request; the message is for the user. */
  private static class VaultException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean temporary;

    VaultException(String message, boolean temporary) {
      super(message);
      this.temporary = temporary;
    }
  }

  /** Vault has not accepted the token, or it has no right to the secret. */
  private static final class DeniedException extends VaultException {
    private static final long serialVersionUID = 1L;

    private final String token;

    DeniedException(SecretReference.Vault reference, String token) {
      super(
          "Vault denies it: the token has expired, or no policy of it permits to read "
              + reference.path(),
          false);
      this.token = token;
    }
  }

  VaultClient(VaultSettings settings, TlsSettings tls, Limits limits) {
    this.settings = settings;
    this.tls = tls;
    this.limits = limits;
  }

  /**
   * @param what names the secret and its reference in messages
   * @throws SecretUnavailableException when it does not exist, may not be read, or Vault does not
   *     answer
   */
  String read(String what, SecretReference.Vault reference) {
    long end = System.nanoTime() + limits.all().toNanos();
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    boolean again = false;
    try {
      for (int attempt = 1; ; attempt++) {
        try {
          return field(reference, secret(reference));
        } catch (VaultException e) {
          if (e instanceof DeniedException denied && !again && forget(denied.token)) {
            // The login may have been revoked, or have reached its end on Vault's clock.
            again = true;
            continue;
          }
          if (!e.temporary || attempt == ATTEMPTS || !backoff.pauseBefore(end)) {
            throw new SecretUnavailableException(what + ": " + e.getMessage(), e.temporary);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SecretUnavailableException(what + ": interrupted", true);
    }
  }

  private JsonNode secret(SecretReference.Vault reference)
      throws VaultException, InterruptedException {
    Optional<String> role = settings.kubernetesRole();
    String token = role.isPresent() ? login(role.get()) : fileToken();
    HttpRequest request = request(reference.path()).header("X-Vault-Token", token).GET().build();
    HttpResponse<byte[]> response = send(request);
    return switch (response.statusCode()) {
      case 200 -> json(response);
      case 403 -> throw new DeniedException(reference, token);
      case 404 ->
          throw new VaultException(
              "Vault has no such secret, or its newest version is deleted; with version 2 of the KV engine the path has 'data' after the mount",
              false);
      default -> throw refused(response.statusCode());
    };
  }

  private static VaultException refused(int status) {
    boolean temporary = status == 412 || status == 429 || status >= 472;
    return new VaultException(
        status >= 300 && status < 400
            ? "Vault redirects to another node; correct " + VaultSettings.ADDRESS
            : "Vault answered with the status "
                + status
                + (status == 503 ? ": it is sealed or in maintenance" : ""),
        temporary);
  }

  private static String field(SecretReference.Vault reference, JsonNode answer)
      throws VaultException {
    if (!answer.path("lease_id").asText("").isEmpty()) {
      throw new VaultException(
          "it is a dynamic secret with a lease; only secrets of KV engines can be used", false);
    }
    JsonNode data = answer.path("data");
    if (isVersioned(reference, data)) {
      data = data.path("data");
    }
    JsonNode value = data.path(reference.field());
    if (value.isMissingNode() || value.isNull()) {
      throw new VaultException("the secret has no field '" + reference.field() + "'", false);
    }
    if (value.isContainerNode()) {
      throw new VaultException("the field is not a text", false);
    }
    return value.asText();
  }

  /** Version 2 wraps the fields of a secret, and has a path of its own for them. */
  private static boolean isVersioned(SecretReference.Vault reference, JsonNode data) {
    return reference.path().contains("/data/")
        && data.path("metadata").has("version")
        && data.has("data");
  }

  private String fileToken() throws VaultException {
    String what = VaultSettings.TOKEN_FILE + " " + settings.tokenFile();
    byte[] bytes;
    try (InputStream in = Files.newInputStream(settings.tokenFile())) {
      bytes = in.readNBytes(MAX_TOKEN);
    } catch (IOException e) {
      throw new VaultException(what + " cannot be read: " + e.getClass().getSimpleName(), false);
    }
    String token = new String(bytes, StandardCharsets.UTF_8).strip();
    if (!isToken(token)) {
      throw new VaultException(what + " has no token", false);
    }
    return token;
  }

  /** Checked here, since the message of the HTTP client would show it. */
  private static boolean isToken(String text) {
    return text.matches("[\\x21-\\x7e]+");
  }

  private String login(String role) throws VaultException, InterruptedException {
    if (!logins.tryLock(limits.request().toMillis(), TimeUnit.MILLISECONDS)) {
      throw new VaultException(slow(), true);
    }
    try {
      Login known = login;
      if (known == null || known.endNanos - System.nanoTime() <= 0) {
        known = newLogin(role);
        login = known;
      }
      return known.token;
    } finally {
      logins.unlock();
    }
  }

  private Login newLogin(String role) throws VaultException, InterruptedException {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("role", role);
    body.put("jwt", fileToken());
    HttpResponse<byte[]> response =
        send(
            request("auth/" + settings.kubernetesMount() + "/login")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body)))
                .build());
    if (response.statusCode() == 400 || response.statusCode() == 403) {
      throw new VaultException(
          "Vault denies the login as the role '%s' at auth/%s; correct baton.secrets.vault.kubernetes-role, its bound service account, or the audience of the token"
              .formatted(role, settings.kubernetesMount()),
          false);
    }
    if (response.statusCode() != 200) {
      throw refused(response.statusCode());
    }
    JsonNode auth = json(response).path("auth");
    String token = auth.path("client_token").asText("");
    if (!isToken(token)) {
      throw new VaultException("Vault's answer to the login has no token", false);
    }
    return new Login(token, System.nanoTime() + use(auth.path("lease_duration").asLong(0)));
  }

  /** A token is replaced by another login in time, so it needs no renewal. */
  private static long use(long seconds) {
    Duration life = seconds <= 0 ? LONGEST_LOGIN : Duration.ofSeconds(seconds).dividedBy(4);
    return (life.compareTo(LONGEST_LOGIN) < 0 ? life.multipliedBy(3) : LONGEST_LOGIN).toNanos();
  }

  /** Has the login repeated that has returned this token; false without logins. */
  private boolean forget(String token) {
    Login known = login;
    if (known == null || !known.token.equals(token)) {
      return settings.kubernetesRole().isPresent();
    }
    login = null;
    return true;
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(settings.address().resolve("/v1/" + path))
            .timeout(limits.request())
            .header("X-Vault-Request", "true");
    settings.namespace().ifPresent(it -> request.header("X-Vault-Namespace", it));
    return request;
  }

  private HttpResponse<byte[]> send(HttpRequest request)
      throws VaultException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> exchange =
        client()
            .sendAsync(
                request,
                HttpResponse.BodyHandlers.limiting(
                    HttpResponse.BodyHandlers.ofByteArray(), MAX_ANSWER));
    try {
      return exchange.get(limits.request().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new VaultException(slow(), true);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof HttpTimeoutException) {
        throw new VaultException(slow(), true);
      }
      String why =
          TlsFailure.explain(
              cause,
              VaultSettings.ADDRESS,
              other -> "it cannot be reached (" + other.getClass().getSimpleName() + ")");
      throw new VaultException(
          "Vault at %s: %s".formatted(settings.address(), why),
          TlsFailure.of(cause).filter(TlsFailure::isLasting).isEmpty());
    } finally {
      exchange.cancel(true);
    }
  }

  private String slow() {
    return "Vault at %s did not answer within %d ms"
        .formatted(settings.address(), limits.request().toMillis());
  }

  /** Creates the client at the first request, because it loads TLS. */
  private synchronized HttpClient client() {
    HttpClient known = client;
    if (known == null) {
      known =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT)
              // Another node would get the token.
              .followRedirects(HttpClient.Redirect.NEVER)
              .sslContext(tls.contextOfOthers())
              .build();
      client = known;
    }
    return known;
  }

  private static JsonNode json(HttpResponse<byte[]> response) throws VaultException {
    try {
      return Json.checkedTree(response.body());
    } catch (IOException notJson) {
      // Its message may show a part of the answer.
      throw new VaultException("Vault's answer is not JSON", false);
    }
  }
}
