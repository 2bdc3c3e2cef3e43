/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.orchestrator.config.AttachTokenLoader;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.net.BearerCredential;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides which runners may attach. A runner that was started externally needs one of {@code
 * baton.attach.tokens}, if any is configured; a launched one has a token of its own, which admits
 * it once, under its name, and is then replaced by another. A wrong token is refused also where
 * none is needed. Never logs a token. Thread-safe.
 */
@ApplicationScoped
class AttachAuthenticator {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final String HELP =
      "set baton.attach.token or baton.attach.token-file of the runner to one of the orchestrator's"
          + " baton.attach.tokens";

  private final List<byte[]> tokens;
  private final AttachTokenSigner signer;
  private final Pool pool;

  AttachAuthenticator(OrchestratorConfig config, AttachTokenSigner signer, Pool pool) {
    this.signer = signer;
    this.pool = pool;
    tokens =
        AttachTokenLoader.load(config.attach()).stream().map(BearerCredential::digest).toList();
  }

  /** What a stream's token permits. */
  sealed interface Verdict {
    /** A runner of any name. */
    record Anyone() implements Verdict {}

    /** The runner of this name, once or again. */
    record Only(AttachTokenSigner.Claims claims) implements Verdict {}

    /** None, and why. */
    record Refused(String reason) implements Verdict {}
  }

  /**
   * Judges the token of a new stream without blocking.
   *
   * @param token null when the stream has none
   */
  Verdict judge(@Nullable String token) {
    if (token == null) {
      return tokens.isEmpty()
          ? new Verdict.Anyone()
          : new Verdict.Refused("the runner has no attach token; " + HELP);
    }
    if (isConfigured(token)) {
      return new Verdict.Anyone();
    }
    return signer
        .verify(token)
        .<Verdict>map(
            claims ->
                claims.until().isAfter(Instant.now())
                    ? new Verdict.Only(claims)
                    : new Verdict.Refused(
                        "the attach token has expired: a launched runner must attach within "
                            + AttachTokenSigner.FIRST_WITHIN.toMinutes()
                            + " min"))
        .orElseGet(() -> new Verdict.Refused("the attach token is wrong; " + HELP));
  }

  private boolean isConfigured(String token) {
    byte[] digest = BearerCredential.digest(token);
    boolean found = false;
    for (byte[] allowed : tokens) {
      // All are compared, so that the time does not depend on which one matches.
      found |= MessageDigest.isEqual(allowed, digest);
    }
    return found;
  }

  /**
   * Admits the runner of a token under its name, and uses up a token that admits only once.
   *
   * @return why it is not admitted; empty when it is
   */
  Uni<Optional<String>> admit(AttachTokenSigner.Claims claims, String runner) {
    if (!claims.runner().equals(runner)) {
      return Uni.createFrom()
          .item(Optional.of("the attach token was issued to a runner of another name"));
    }
    return switch (claims.use()) {
      case AGAIN -> Uni.createFrom().item(Optional.empty());
      case ONCE ->
          pool.preparedQuery(
                  """
                  UPDATE orchestrator.runner SET attached_at = now()
                  WHERE id = $1 AND attached_at IS NULL AND state <> 'exited'""")
              .execute(Tuple.of(runner))
              .ifNoItem()
              .after(SQL)
              .fail()
              .map(
                  rows ->
                      rows.rowCount() == 1
                          ? Optional.empty()
                          : Optional.of(
                              "the attach token was used before; a launched runner attaches once"
                                  + " with the token of its start"));
    };
  }

  /** Returns the token with which an admitted runner attaches again. */
  String again(String runner) {
    return signer.again(runner);
  }
}
