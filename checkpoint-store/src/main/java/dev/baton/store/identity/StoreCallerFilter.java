/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.identity;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.server.CallerRefusalWriter;
import dev.baton.server.ProbePaths;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.identity.StoreCallerAuthenticator.Outcome;
import io.grpc.Status;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses every request that its caller may not send, on every route. Orchestrators and admins may
 * send all of them, viewers those that only read over HTTP, keys of single projects none. Without a
 * credential only health probes pass, and the calls of runners, whose leases {@link
 * RunnerCallInterceptor} requires. Only exact paths are listed, so a path that is written in
 * another way is refused. A credential that reaches a service is therefore valid.
 */
@ApplicationScoped
class StoreCallerFilter {
  /** After the check of hosts and origins, before any route. */
  private static final int PRIORITY = 50;

  private static final Set<String> GRPC_HEALTH =
      Set.of("/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch");

  private static final Set<String> REFLECTION =
      Set.of(
          "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
          "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo");

  private final StoreCallerAuthenticator callers;

  StoreCallerFilter(StoreCallerAuthenticator callers) {
    this.callers = callers;
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    String header = request.getHeader(BearerCredential.HEADER);
    if (isProbe(request.path()) || header == null && isAllowedToAll(request)) {
      context.next();
      return;
    }
    if (header == null) {
      refuse(
          context,
          401,
          Status.Code.UNAUTHENTICATED,
          "the request has no credential: send 'Authorization: Bearer KEY' with a key of"
              + " baton.identity.admin-keys-file or viewer-keys-file");
      return;
    }
    Optional<String> credential = BearerCredential.of(header);
    if (credential.isEmpty()) {
      refuse(
          context,
          401,
          Status.Code.UNAUTHENTICATED,
          "the credential is not of the scheme Bearer: send 'Authorization: Bearer KEY'");
      return;
    }
    authenticate(context, credential.get());
  }

  private static boolean isProbe(@Nullable String path) {
    return path != null && (ProbePaths.ALL.contains(path) || GRPC_HEALTH.contains(path));
  }

  private boolean isAllowedToAll(HttpServerRequest request) {
    return !callers.isRequired()
        || CallerRefusalWriter.isGrpc(request)
            && RunnerCallInterceptor.isRunnerCall(request.path());
  }

  private void authenticate(RoutingContext context, String credential) {
    Context thread = context.vertx().getOrCreateContext();
    // The body must not arrive before a route handles it.
    context.request().pause();
    callers
        .authenticate(credential)
        .subscribe()
        .with(
            outcome -> thread.runOnContext(none -> proceed(context, outcome)),
            failure ->
                thread.runOnContext(
                    none ->
                        refuse(
                            context,
                            503,
                            Status.Code.UNAVAILABLE,
                            FailureTranslator.words(failure))));
  }

  private void proceed(RoutingContext context, Outcome outcome) {
    switch (outcome) {
      case Outcome.Refused(String reason) ->
          refuse(context, 401, Status.Code.UNAUTHENTICATED, reason);
      case Outcome.Accepted(Optional<ProjectRoles> roles) -> {
        AccessRole needed = isReadable(context.request()) ? AccessRole.VIEWER : AccessRole.ADMIN;
        if (roles.filter(found -> found.hasEverywhere(needed)).isPresent()) {
          context.request().resume();
          context.next();
          return;
        }
        refuse(
            context,
            403,
            Status.Code.PERMISSION_DENIED,
            "a caller with %s may not call this; the orchestrator serves those of single projects"
                .formatted(
                    roles.map(found -> String.join(", ", found.entries())).orElse("no role")));
      }
    }
  }

  /** Whether a request only reads: all of the store's HTTP resources do. */
  private static boolean isReadable(HttpServerRequest request) {
    return !CallerRefusalWriter.isGrpc(request) || REFLECTION.contains(request.path());
  }

  private static void refuse(RoutingContext context, int status, Status.Code grpc, String message) {
    context.request().resume();
    CallerRefusalWriter.refuse(
        context.request(),
        status,
        grpc.value(),
        message,
        Json.mapper()
            .createObjectNode()
            .put("type", "about:blank")
            .put("title", title(status))
            .put("status", status)
            .put("detail", message)
            .put("instance", context.normalizedPath()));
  }

  private static String title(int status) {
    return switch (status) {
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      default -> "Service Unavailable";
    };
  }
}
