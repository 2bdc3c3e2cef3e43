/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.identity.AuditedCall;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.ProblemDocument;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jspecify.annotations.Nullable;

/**
 * Records each changing call of REST before its method runs, and completes it before the answer.
 */
class AuditRestFilter {
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");

  /** Operations that change nothing, although their method is POST. */
  private static final Set<String> QUERIES =
      Set.of("POST /workflows/validate", "POST /runs/{id}/packs/find");

  private final AuditLog log;
  private final CallerContext callers;

  AuditRestFilter(AuditLog log, CallerContext callers) {
    this.log = log;
    this.callers = callers;
  }

  @ServerRequestFilter
  public Uni<Response> begin(ContainerRequestContext request, ResourceInfo resource) {
    if (!hasCaller(request)) {
      return Uni.createFrom().nullItem();
    }
    String operation = operation(request, resource);
    AuditedCall call = callers.call();
    if (READING.contains(request.getMethod()) || QUERIES.contains(operation)) {
      call.operation(operation);
      return Uni.createFrom().nullItem();
    }
    return log.begin(call, operation, target(request)).replaceWith((Response) null);
  }

  @ServerResponseFilter
  public Uni<Void> end(
      ContainerRequestContext request,
      ContainerResponseContext response,
      @Nullable ResourceInfo resource) {
    if (!hasCaller(request)) {
      return Uni.createFrom().voidItem();
    }
    AuditedCall call = callers.call();
    if (!call.hasBegun()) {
      if (call.operation() == null && resource != null && resource.getResourceMethod() != null) {
        // Refused because of its role, before the filter of requests.
        call.operation(operation(request, resource));
      }
      return Uni.createFrom().voidItem();
    }
    AuditOutcome outcome = AuditOutcome.ofStatus(response.getStatus());
    Object location = response.getHeaders().getFirst(HttpHeaders.LOCATION);
    if (outcome == AuditOutcome.OK && location != null && call.target() == null) {
      String path = location.toString();
      call.target(path.substring(path.lastIndexOf('/') + 1));
    }
    return log.end(
        call,
        outcome,
        Integer.toString(response.getStatus()),
        outcome == AuditOutcome.OK ? null : problem(response));
  }

  private static boolean hasCaller(ContainerRequestContext request) {
    return request.getSecurityContext().getUserPrincipal() instanceof Caller;
  }

  private static String operation(ContainerRequestContext request, ResourceInfo resource) {
    return request.getMethod() + " " + template(resource);
  }

  private static @Nullable String problem(ContainerResponseContext response) {
    return ProblemDocument.MEDIA_TYPE.equals(String.valueOf(response.getMediaType()))
            && response.getEntity() instanceof byte[] document
        ? Json.tree(document).path("type").asText(null)
        : null;
  }

  /** Returns the values of the path's parameters. */
  private static @Nullable String target(ContainerRequestContext request) {
    MultivaluedMap<String, String> parameters = request.getUriInfo().getPathParameters();
    return parameters.isEmpty()
        ? null
        : parameters.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(Map.Entry::getValue)
            .map(List::getFirst)
            .collect(Collectors.joining("/"));
  }

  private static String template(ResourceInfo resource) {
    String path = path(resource.getResourceClass()) + path(resource.getResourceMethod());
    return path.isEmpty() ? "/" : path;
  }

  private static String path(AnnotatedElement element) {
    Path path = element.getAnnotation(Path.class);
    String text = path == null ? "" : path.value();
    if (text.isEmpty() || text.equals("/")) {
      return "";
    }
    return text.startsWith("/") ? text : "/" + text;
  }
}
