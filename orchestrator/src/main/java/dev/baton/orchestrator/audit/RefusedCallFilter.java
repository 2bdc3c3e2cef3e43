/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.identity.AuditedCall;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.server.CallerRefusalWriter;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Gives each request its id, and records those that are refused, on every route. */
@ApplicationScoped
class RefusedCallFilter {
  /** The header of responses with the id of the request. */
  static final String REQUEST_ID = "Baton-Request-Id";

  /** Before the request is authenticated. */
  private static final int PRIORITY = 890;

  private static final String GRPC_STATUS = "grpc-status";
  private static final Pattern NAME = Pattern.compile("[a-z-]{1,20}");
  private static final Pattern GRPC_NAME = Pattern.compile("[A-Za-z]{1,40}");
  private static final int MAX_SEGMENTS = 6;

  private final AuditLog log;

  RefusedCallFilter(AuditLog log) {
    this.log = log;
  }

  void register(@Observes Filters filters) {
    filters.register(this::watch, PRIORITY);
  }

  private void watch(RoutingContext context) {
    AuditedCall call = AuditedCall.of(context);
    context.addHeadersEndHandler(done -> context.response().putHeader(REQUEST_ID, call.id()));
    context.addEndHandler(done -> ended(context, call));
    context.next();
  }

  private void ended(RoutingContext context, AuditedCall call) {
    if (call.hasBegun()) {
      return;
    }
    boolean grpc = CallerRefusalWriter.isGrpc(context.request());
    refusal(context.response(), grpc)
        .ifPresent(
            kind ->
                log.refuse(
                    call,
                    Objects.requireNonNullElseGet(call.operation(), () -> operation(context, grpc)),
                    grpc ? kind.grpc().name() : Integer.toString(kind.status()),
                    kind.type()));
  }

  private static Optional<ProblemKind> refusal(HttpServerResponse response, boolean grpc) {
    int status = response.getStatusCode();
    if (grpc) {
      String code =
          Optional.ofNullable(response.headers().get(GRPC_STATUS))
              .orElseGet(() -> response.trailers().get(GRPC_STATUS));
      status = httpStatus(code);
    }
    return switch (status) {
      case 401 -> Optional.of(ProblemKind.UNAUTHENTICATED);
      case 403 -> Optional.of(ProblemKind.FORBIDDEN);
      default -> Optional.empty();
    };
  }

  private static int httpStatus(@Nullable String grpc) {
    for (ProblemKind kind :
        new ProblemKind[] {ProblemKind.UNAUTHENTICATED, ProblemKind.FORBIDDEN}) {
      if (Integer.toString(kind.grpc().value()).equals(grpc)) {
        return kind.status();
      }
    }
    return 0;
  }

  /** Names the operation of a request that reached no method, without its ids. */
  private static String operation(RoutingContext context, boolean grpc) {
    String path = Objects.requireNonNullElse(context.normalizedPath(), "/");
    if (grpc) {
      String service = path.substring(path.lastIndexOf('.') + 1);
      return Arrays.stream(service.split("/", 2))
          .map(name -> GRPC_NAME.matcher(name).matches() ? name : "{}")
          .collect(Collectors.joining("/"));
    }
    return context.request().method()
        + Arrays.stream(path.split("/"))
            .skip(1)
            .limit(MAX_SEGMENTS)
            .map(name -> NAME.matcher(name).matches() ? name : "{}")
            .collect(Collectors.joining("/", " /", ""));
  }
}
