/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import dev.baton.lease.ServiceTokenCodec.UnverifiedServiceToken;
import io.smallrye.mutiny.Uni;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the tokens of services with the keys of a {@link LeaseAuthenticator}. Remembers the last
 * {@value #KEPT} valid ones, so that a call costs no signature check. Thread-safe; never blocks.
 */
public final class ServiceTokenAuthenticator {
  private static final int KEPT = 64;

  private final LeaseAuthenticator keys;
  private final String audience;
  private final InstantSource clock;
  private final Map<String, UnverifiedServiceToken> verified =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, UnverifiedServiceToken> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param audience the service that tokens must be for
   */
  public ServiceTokenAuthenticator(LeaseAuthenticator keys, String audience, InstantSource clock) {
    this.keys = keys;
    this.audience = audience;
    this.clock = clock;
  }

  /**
   * Returns the service that a token was issued to.
   *
   * @return empty if the token is malformed, expired, not for this audience or not signed with a
   *     published key. Fails if the token names an unknown key and the source of keys does not
   *     answer
   */
  public Uni<Optional<String>> authenticate(String token) {
    UnverifiedServiceToken kept = kept(token);
    UnverifiedServiceToken read = kept == null ? ServiceTokenCodec.read(token) : kept;
    if (read == null || !read.audience().equals(audience) || !read.isValid(clock.instant())) {
      return Uni.createFrom().item(Optional.empty());
    }
    return keys.key(read.jwt().kid())
        .map(
            key ->
                key.filter(found -> kept != null || read.jwt().isSignedBy(found))
                    .map(found -> keep(token, read)));
  }

  private String keep(String token, UnverifiedServiceToken read) {
    synchronized (verified) {
      verified.put(token, read);
    }
    return read.subject();
  }

  private @Nullable UnverifiedServiceToken kept(String token) {
    synchronized (verified) {
      return verified.get(token);
    }
  }
}
