/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.identity.CallerAuthenticator.Outcome;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
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
import io.vertx.core.Context;
import io.vertx.core.Vertx;
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
class CallerAuthenticationMechanism implements HttpAuthenticationMechanism {
  private static final String REALM = "Bearer realm=\"baton\"";
  private static final String CALLER = "baton.caller";
  private static final String REFUSAL = "baton.credential.refusal";
  private static final Caller ANYONE =
      Caller.of(
          "anonymous",
          "anonymous",
          ProjectRoles.everywhere(AccessRole.ADMIN),
          CallerValidity.ENDLESS);

  private final CallerAuthenticator callers;
  private final boolean required;

  CallerAuthenticationMechanism(CallerAuthenticator callers, OrchestratorConfig config) {
    this.callers = callers;
    this.required = config.identity().required();
  }

  /** Returns the caller of a request; empty when it has none. */
  static Optional<Caller> caller(RoutingContext context) {
    return Optional.ofNullable(context.get(CALLER));
  }

  /** Returns why the credential of a request without a caller is refused; empty without one. */
  static Optional<ProblemException> refusal(RoutingContext context) {
    return Optional.ofNullable(context.get(REFUSAL));
  }

  @Override
  public Uni<SecurityIdentity> authenticate(
      RoutingContext context, IdentityProviderManager manager) {
    String header = context.request().getHeader(BearerCredential.HEADER);
    if (header == null) {
      return required ? Uni.createFrom().nullItem() : Uni.createFrom().item(use(context, ANYONE));
    }
    Optional<String> credential = BearerCredential.of(header);
    if (credential.isEmpty()) {
      refuse(context, unauthenticated("the credential is not of the scheme Bearer"));
      return Uni.createFrom().nullItem();
    }
    Context loop = context.vertx().getOrCreateContext();
    return callers
        .authenticate(credential.get())
        // A credential that was fetched for arrives on a thread of its client.
        .emitOn(task -> runOn(loop, task))
        .map(
            outcome ->
                switch (outcome) {
                  case Outcome.Accepted(Caller caller) -> use(context, caller);
                  case Outcome.Refused(String reason) -> {
                    refuse(context, unauthenticated(reason));
                    yield null;
                  }
                })
        .onFailure(ProblemException.class)
        .recoverWithItem(
            failure -> {
              refuse(context, (ProblemException) failure);
              return null;
            });
  }

  private static void runOn(Context loop, Runnable task) {
    if (Vertx.currentContext() == loop) {
      task.run();
    } else {
      loop.runOnContext(none -> task.run());
    }
  }

  private static ProblemException unauthenticated(String reason) {
    return new ProblemException(ProblemKind.UNAUTHENTICATED, reason);
  }

  private static void refuse(RoutingContext context, ProblemException problem) {
    context.put(REFUSAL, problem);
  }

  private static SecurityIdentity use(RoutingContext context, Caller caller) {
    context.put(CALLER, caller);
    AuditedCall call = AuditedCall.of(context);
    call.caller(caller);
    return QuarkusSecurityIdentity.builder()
        .setPrincipal(caller)
        .addRoles(caller.rights())
        .addAttribute(CallerContext.CALL, call)
        .build();
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
