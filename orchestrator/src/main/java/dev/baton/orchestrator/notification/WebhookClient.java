/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Posts to a webhook, signed according to the Standard Webhooks specification: {@code
 * webhook-signature: v1,<base64 of HMAC-SHA256(secret, "id.timestamp.body")>}. Thread-safe; blocks.
 */
final class WebhookClient implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String ALGORITHM = "HmacSHA256";
  private static final int GONE = 410;

  /** The result of an attempt. */
  sealed interface Outcome {
    record Delivered() implements Outcome {}

    record Failed(String why) implements Outcome {}

    /** The receiver rejects the notification permanently. */
    record Refused(String why) implements Outcome {}
  }

  private final URI url;

  /** Scheme, host and port: the rest of the URL is often a secret. */
  private final String shown;

  private final SecretKeySpec secret;
  private final HttpClient http;

  WebhookClient(URI url, byte[] secret, TlsSettings tls) {
    this.url = url;
    this.shown =
        "%s://%s%s"
            .formatted(
                url.getScheme(), url.getHost(), url.getPort() < 0 ? "" : ":" + url.getPort());
    this.secret = new SecretKeySpec(secret, ALGORITHM);
    HttpClient.Builder builder =
        HttpClient.newBuilder().connectTimeout(PATIENCE).followRedirects(HttpClient.Redirect.NEVER);
    if ("https".equals(url.getScheme())) {
      builder.sslContext(tls.contextOfOthers());
    }
    this.http = builder.build();
  }

  static Optional<WebhookClient> of(OrchestratorConfig.Webhook config, TlsSettings tls) {
    return config
        .url()
        .map(
            url ->
                new WebhookClient(
                    url, WebhookSecretParser.read(config.secret().orElse("")).orElseThrow(), tls));
  }

  Outcome post(String id, String body) throws InterruptedException {
    String seconds = Long.toString(Instant.now().getEpochSecond());
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", "v1," + sign(id + "." + seconds + "." + body))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      if (status / 100 == 2) {
        return new Outcome.Delivered();
      }
      String why = shown + " answered " + status;
      return status == GONE ? new Outcome.Refused(why) : new Outcome.Failed(why);
    } catch (IOException e) {
      return new Outcome.Failed(
          shown
              + ": "
              + TlsFailure.explain(e, "baton.notifications.webhook.url", Throwable::toString));
    }
  }

  private String sign(String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return Base64.getEncoder().encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
