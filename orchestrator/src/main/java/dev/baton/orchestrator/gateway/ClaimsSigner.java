/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signs the tokens of runners and steps with a secret that it reads from Postgres once, at the
 * start. Thread-safe.
 */
@ApplicationScoped
class ClaimsSigner {
  private static final String ALGORITHM = "HmacSHA256";
  private static final Duration SQL = Duration.ofSeconds(10);

  private final Pool pool;
  private volatile byte @Nullable [] secret;

  ClaimsSigner(Pool pool) {
    this.pool = pool;
  }

  /** After the schema exists and before a runner is started. */
  void onStart(@Observes @Priority(21) StartupEvent event) {
    secret =
        pool.query("SELECT secret FROM orchestrator.attach_key")
            .execute()
            .await()
            .atMost(SQL)
            .iterator()
            .next()
            .getBuffer("secret")
            .getBytes();
  }

  /** Returns a token: the claims, {@code .} and their HMAC-SHA256 in base64url. */
  String sign(String claims) {
    return claims + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(mac(claims));
  }

  /** Returns the claims of a token; empty when it was not signed with the secret. */
  Optional<String> verify(String token) {
    int end = token.lastIndexOf('.');
    if (end < 0) {
      return Optional.empty();
    }
    String claims = token.substring(0, end);
    try {
      byte[] signature = Base64.getUrlDecoder().decode(token.substring(end + 1));
      return MessageDigest.isEqual(mac(claims), signature) ? Optional.of(claims) : Optional.empty();
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  private byte[] mac(String claims) {
    byte[] read = secret;
    if (read == null) {
      throw new IllegalStateException("the secret of attach tokens is read at the start");
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(read, ALGORITHM));
      return mac.doFinal(claims.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK supports " + ALGORITHM, e);
    }
  }
}
