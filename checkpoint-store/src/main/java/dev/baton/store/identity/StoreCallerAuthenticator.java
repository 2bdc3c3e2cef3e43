/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.identity;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.ServiceTokenAuthenticator;
import dev.baton.lease.ServiceTokenCodec;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.server.KeyFileLoader;
import dev.baton.server.oidc.OidcConfig;
import dev.baton.server.oidc.OidcSettings;
import dev.baton.server.oidc.OidcTokenAuthenticator;
import dev.baton.server.oidc.OidcVerdict;
import dev.baton.store.config.StoreConfig;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Finds the roles of a credential: the token of an orchestrator, which may do all, an API key of
 * the files of {@code baton.identity}, or a token of an OpenID Connect issuer. Never logs a
 * credential. Thread-safe.
 */
@ApplicationScoped
class StoreCallerAuthenticator {
  private final ServiceTokenAuthenticator services;
  private final KeyFileLoader.Settings settings;
  private final String host;
  private final OidcConfig oidc;
  private final TlsSettings tls;
  private volatile Optional<OidcTokenAuthenticator> tokens = Optional.empty();
  private volatile List<KnownKey> keys = List.of();

  StoreCallerAuthenticator(
      LeaseAuthenticator leases,
      StoreConfig config,
      @ConfigProperty(name = "quarkus.http.host") String host) {
    this.services =
        new ServiceTokenAuthenticator(leases, ServiceTokenCodec.STORE, InstantSource.system());
    StoreConfig.Identity identity = config.identity();
    this.settings =
        new KeyFileLoader.Settings(
            identity.required(), identity.adminKeysFile(), identity.viewerKeysFile());
    this.host = host;
    this.oidc = identity.oidc();
    this.tls = config.tls().settings();
  }

  /** Whom a credential belongs to. */
  sealed interface Outcome {
    /**
     * @param roles empty for a caller without a role
     */
    record Accepted(Optional<ProjectRoles> roles) implements Outcome {}

    /**
     * @param reason without the credential
     */
    record Refused(String reason) implements Outcome {}
  }

  private record KnownKey(byte[] digest, ProjectRoles roles) {}

  /** Reads the files before the port opens. */
  void onStart(@Observes @Priority(1) StartupEvent event) throws IOException {
    List<String> problems = new ArrayList<>(KeyFileLoader.problems(settings, host));
    problems.addAll(OidcSettings.problems(oidc));
    if (!problems.isEmpty()) {
      throw new IllegalStateException("configuration: " + String.join("; ", problems));
    }
    keys =
        KeyFileLoader.load(settings).stream()
            .map(file -> new KnownKey(BearerCredential.digest(file.key()), file.roles()))
            .toList();
    tokens = OidcSettings.read(oidc).map(read -> new OidcTokenAuthenticator(read, tls));
    tokens.ifPresent(OidcTokenAuthenticator::start);
  }

  @PreDestroy
  void stop() {
    tokens.ifPresent(OidcTokenAuthenticator::close);
  }

  boolean isRequired() {
    return settings.required();
  }

  /**
   * Returns the roles of a credential.
   *
   * @return fails with UNAVAILABLE, or with {@link
   *     dev.baton.server.oidc.IssuerUnavailableException}, when it names a signing key that cannot
   *     be fetched now
   */
  Uni<Outcome> authenticate(String credential) {
    byte[] digest = BearerCredential.digest(credential);
    for (KnownKey key : keys) {
      if (MessageDigest.isEqual(key.digest(), digest)) {
        return Uni.createFrom().item(new Outcome.Accepted(Optional.of(key.roles())));
      }
    }
    return services.authenticate(credential).chain(service -> outcome(service, credential));
  }

  private Uni<Outcome> outcome(Optional<String> service, String credential) {
    if (service.isPresent()) {
      return Uni.createFrom()
          .item(new Outcome.Accepted(Optional.of(ProjectRoles.everywhere(AccessRole.ADMIN))));
    }
    if (tokens.isPresent() && OidcTokenAuthenticator.isToken(credential)) {
      return tokens.get().authenticate(credential).map(StoreCallerAuthenticator::outcome);
    }
    return Uni.createFrom()
        .item(new Outcome.Refused("the credential is wrong, expired or revoked"));
  }

  private static Outcome outcome(OidcVerdict verdict) {
    return switch (verdict) {
      case OidcVerdict.Refused(String reason) -> new Outcome.Refused(reason);
      case OidcVerdict.Accepted(var caller) -> new Outcome.Accepted(caller.roles());
    };
  }
}
