/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import dev.baton.protocol.json.Json;
import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import io.vertx.pgclient.PgException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/**
 * Maps every exception of a resource, and every rejection by the framework, to a problem document.
 */
class ProblemExceptionMapper {
  private static final Logger LOG = Logger.getLogger(ProblemExceptionMapper.class);
  private static final int RETRY_SECONDS = 5;

  @ServerExceptionMapper
  Response problem(ProblemException problem, UriInfo uri) {
    return respond(problem, uri);
  }

  @ServerExceptionMapper
  Response framework(WebApplicationException refused, UriInfo uri) {
    int status = refused.getResponse().getStatus();
    if (status == 404 && refused.getCause() instanceof IllegalArgumentException) {
      // A parameter that cannot be parsed as its type; the framework would answer 404.
      return respond(
          new ProblemException(
              ProblemKind.BAD_PARAMETER,
              "a parameter has the wrong format: "
                  + uri.getRequestUri().getQuery()
                  + "; see /openapi"),
          uri);
    }
    ProblemException problem =
        switch (status) {
          case 404 ->
              new ProblemException(
                  ProblemKind.NOT_FOUND, "nothing is at '" + uri.getPath() + "'; see /openapi");
          case 405 ->
              new ProblemException(
                  ProblemKind.METHOD_NOT_ALLOWED,
                  "'" + uri.getPath() + "' does not support this method; see /openapi");
          case 406 ->
              new ProblemException(
                  ProblemKind.NOT_ACCEPTABLE,
                  "'" + uri.getPath() + "' has no representation that the Accept header allows");
          case 413 ->
              new ProblemException(ProblemKind.TOO_LARGE, "the body is larger than allowed");
          case 415 ->
              new ProblemException(
                  ProblemKind.UNSUPPORTED_MEDIA_TYPE,
                  "'" + uri.getPath() + "' does not accept this Content-Type; see /openapi");
          default ->
              new ProblemException(
                  status >= 500 ? ProblemKind.INTERNAL : ProblemKind.MALFORMED_REQUEST,
                  Objects.requireNonNullElse(refused.getMessage(), refused.toString()));
        };
    return respond(problem, uri);
  }

  @ServerExceptionMapper
  Response unauthenticated(UnauthorizedException refused, UriInfo uri) {
    return respond(
        new ProblemException(ProblemKind.UNAUTHENTICATED, "the request has no valid credential"),
        uri);
  }

  @ServerExceptionMapper
  Response forbidden(ForbiddenException refused, UriInfo uri, ContainerRequestContext request) {
    return respond(
        new ProblemException(
            ProblemKind.FORBIDDEN,
            "'%s' does not have the role that this needs; an admin can give it one"
                .formatted(request.getSecurityContext().getUserPrincipal().getName())),
        uri);
  }

  @ServerExceptionMapper
  Response anything(Throwable failure, UriInfo uri) {
    return respond(ofFailure(failure), uri);
  }

  /** Returns the problem to report for a failure that the caller did not cause. */
  static ProblemException ofFailure(Throwable failure) {
    if (failure instanceof ProblemException problem) {
      return problem;
    }
    if (failure.getCause() instanceof ProblemException problem) {
      return problem;
    }
    if (failure instanceof IOException
        || failure instanceof TimeoutException
        || failure instanceof PgException
        || failure instanceof io.vertx.core.VertxException) {
      LOG.warnf("request failed, a dependency does not answer: %s", failure);
      return new ProblemException(
          ProblemKind.UNAVAILABLE, "a required service does not answer; try again in a moment");
    }
    LOG.error("unexpected failure of a request", failure);
    return new ProblemException(
        ProblemKind.INTERNAL, "unexpected failure; the details are in the service's log");
  }

  private static Response respond(ProblemException problem, UriInfo uri) {
    ProblemDocument document = problem.document("/" + stripSlash(uri.getPath()));
    Response.ResponseBuilder response =
        Response.status(document.status())
            .type(ProblemDocument.MEDIA_TYPE)
            .entity(Json.bytes(document));
    if (document.status() == ProblemKind.TOO_MANY_STREAMS.status()) {
      response.header(
          HttpHeaders.RETRY_AFTER,
          problem.retrySeconds() == 0 ? RETRY_SECONDS : problem.retrySeconds());
    }
    return response.build();
  }

  private static String stripSlash(String path) {
    return path.startsWith("/") ? path.substring(1) : path;
  }
}
