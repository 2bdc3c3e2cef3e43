/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.server.CallerRefusalWriter;
import dev.baton.server.ProbePaths;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses every request without a caller, on every route: REST, gRPC, WebSockets, metrics and
 * documents. Only the exact paths listed here need none, so a path that is written in another way
 * is refused. What a caller may do is decided by the annotations of the endpoint.
 */
@ApplicationScoped
public class CallerFilter {
  /** After Quarkus has authenticated the request, before any route. */
  private static final int PRIORITY = 50;

  /** What checkpoint-stores read. */
  private static final String LEASE_KEYS = "/.well-known/jwks.json";

  /** Calls of runners, which are authenticated by attach tokens and leases. */
  private static final Set<String> RUNNERS =
      Set.of(
          "/" + RunnerGatewayServiceGrpc.getAttachMethod().getFullMethodName(),
          "/" + RunnerGatewayServiceGrpc.getTerminalMethod().getFullMethodName());

  private final CallerAuthenticator authenticator;
  private final OrchestratorConfig.Identity config;

  CallerFilter(CallerAuthenticator authenticator, OrchestratorConfig config) {
    this.authenticator = authenticator;
    this.config = config.identity();
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext context) {
    String path = context.request().path();
    if (isOpen(context, path)) {
      context.next();
      return;
    }
    Optional<Caller> caller = CallerAuthenticationMechanism.caller(context);
    if (caller.isEmpty()) {
      refuse(context, problem(context));
    } else if (caller.get().isWithoutRight()) {
      refuse(context, withoutRight(caller.get()));
    } else if (isManagement(context) && !caller.get().scope(AccessRole.VIEWER).all()) {
      refuse(context, forbidden(caller.get(), AccessRole.VIEWER));
    } else {
      context.next();
    }
  }

  private static boolean isOpen(RoutingContext context, @Nullable String path) {
    return path != null
        && (ProbePaths.ALL.contains(path)
            || LEASE_KEYS.equals(path)
            || CallerRefusalWriter.isGrpc(context.request()) && RUNNERS.contains(path));
  }

  /** Whether the path is one of Quarkus, as routes compare it: metrics cover all projects. */
  private static boolean isManagement(RoutingContext context) {
    String path = context.normalizedPath();
    return path == null || path.equals("/q") || path.startsWith("/q/");
  }

  /**
   * Returns the access of a request that no annotation protects.
   *
   * @throws ProblemException when its caller has the role in no project
   */
  public static ProjectAccess require(RoutingContext context, AccessRole role) {
    Caller caller =
        CallerAuthenticationMechanism.caller(context)
            .orElseThrow(
                () ->
                    new ProblemException(ProblemKind.UNAUTHENTICATED, "the request has no caller"));
    if (!caller.rights().contains(ProjectRoles.inSomeProject(role))) {
      throw forbidden(caller, role);
    }
    return new ProjectAccess(caller, role, AuditedCall.of(context));
  }

  private static ProblemException forbidden(Caller caller, AccessRole role) {
    return new ProblemException(
        ProblemKind.FORBIDDEN,
        "'%s' does not have the role %s".formatted(caller.name(), role.label()));
  }

  private ProblemException withoutRight(Caller caller) {
    return new ProblemException(
        ProblemKind.FORBIDDEN,
        "'%s' has no role: no value of the claim '%s' of its token is in baton.identity.oidc.roles"
            .formatted(caller.name(), config.oidc().rolesClaim()));
  }

  private ProblemException problem(RoutingContext context) {
    return CallerAuthenticationMechanism.refusal(context)
        .orElseGet(
            () ->
                new ProblemException(
                    ProblemKind.UNAUTHENTICATED,
                    "the request has no API key: send " + authenticator.accepted()));
  }

  private static void refuse(RoutingContext context, ProblemException problem) {
    CallerRefusalWriter.refuse(
        context.request(),
        problem.kind().status(),
        problem.kind().grpc().value(),
        String.valueOf(problem.getMessage()),
        problem.document(context.normalizedPath()));
  }
}
