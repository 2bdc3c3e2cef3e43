/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.net.BearerCredential;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.request.AuthenticationRequest;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.Set;

/**
 * Authenticates HTTP requests and gRPC calls by the header {@code Authorization: Bearer …}. A
 * request whose credential is wrong has no identity; whether it needs one is decided by {@link
 * CallerFilter} and by the annotations of endpoints. Thread-safe.
 */
@ApplicationScoped
class ApiKeyAuthenticationMechanism implements HttpAuthenticationMechanism {
  private static final String REALM = "Bearer realm=\"baton\"";
  private static final String CALLER = "baton.caller";
  private static final String WRONG = "baton.credential.wrong";
  private static final Caller ANYONE =
      Caller.of("anonymous", "anonymous", ProjectRoles.everywhere(AccessRole.ADMIN));

  private final ApiKeyAuthenticator keys;
  private final boolean required;

  ApiKeyAuthenticationMechanism(ApiKeyAuthenticator keys, OrchestratorConfig config) {
    this.keys = keys;
    this.required = config.identity().required();
  }

  /** Returns the caller of a request; empty when it has none. */
  static Optional<Caller> caller(RoutingContext context) {
    return Optional.ofNullable(context.get(CALLER));
  }

  /** Whether a request without a caller has a credential. */
  static boolean hasWrongCredential(RoutingContext context) {
    return Boolean.TRUE.equals(context.get(WRONG));
  }

  @Override
  public Uni<SecurityIdentity> authenticate(
      RoutingContext context, IdentityProviderManager manager) {
    String header = context.request().getHeader(BearerCredential.HEADER);
    if (header == null) {
      return required ? Uni.createFrom().nullItem() : Uni.createFrom().item(use(context, ANYONE));
    }
    return BearerCredential.of(header)
        .map(keys::authenticate)
        .orElseGet(() -> Uni.createFrom().item(Optional.empty()))
        .map(
            caller -> {
              if (caller.isEmpty()) {
                context.put(WRONG, true);
                return null;
              }
              return use(context, caller.get());
            });
  }

  private static SecurityIdentity use(RoutingContext context, Caller caller) {
    context.put(CALLER, caller);
    return QuarkusSecurityIdentity.builder().setPrincipal(caller).addRoles(caller.rights()).build();
  }

  @Override
  public Uni<ChallengeData> getChallenge(RoutingContext context) {
    return Uni.createFrom()
        .item(new ChallengeData(HttpResponseStatus.UNAUTHORIZED.code(), "WWW-Authenticate", REALM));
  }

  @Override
  public Set<Class<? extends AuthenticationRequest>> getCredentialTypes() {
    return Set.of();
  }
}
