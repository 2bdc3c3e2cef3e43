/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.terminal;

import dev.baton.orchestrator.audit.AuditLog;
import dev.baton.orchestrator.gateway.TerminalDispatcher;
import dev.baton.orchestrator.gateway.TerminalDispatcher.Answer;
import dev.baton.orchestrator.identity.AuditedCall;
import dev.baton.orchestrator.identity.CallerFilter;
import dev.baton.orchestrator.identity.CallerStreamRegistry;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemDocument;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.grpc.OpenTerminal;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jboss.logging.Logger;

/**
 * Serves {@code GET /runs/{id}/terminal} as a WebSocket. What can be refused is refused before the
 * upgrade, as a problem document; a run of a runner at another replica is redirected there.
 */
@ApplicationScoped
class TerminalRoute {
  /** The most columns and rows. */
  static final int MAX_SIDE = 1_000;

  private static final Logger LOG = Logger.getLogger(TerminalRoute.class);
  private static final String PATH = "/runs/:run/terminal";
  private static final String OPERATION = "GET /runs/{id}/terminal";
  private static final int MAX_STEP = 1_000;
  private static final int MAX_TERM = 64;

  private final RunQueryService runs;
  private final TerminalDispatcher terminals;
  private final CallerStreamRegistry streams;
  private final AuditLog audit;

  TerminalRoute(
      RunQueryService runs,
      TerminalDispatcher terminals,
      CallerStreamRegistry streams,
      AuditLog audit) {
    this.streams = streams;
    this.audit = audit;
    this.runs = runs;
    this.terminals = terminals;
  }

  void register(@Observes Router router) {
    router.get(PATH).handler(this::handle);
  }

  private void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    // Nothing of the client may be read before the WebSocket takes it.
    request.pause();
    Context loop = context.vertx().getOrCreateContext();
    answer(context)
        .subscribe()
        .with(
            answer -> loop.runOnContext(none -> respond(context, loop, answer)),
            failure -> loop.runOnContext(none -> fail(context, failure)));
  }

  private static ProjectAccess access(RoutingContext context) {
    return CallerFilter.require(
        context, flag(context, "read_only") ? AccessRole.VIEWER : AccessRole.OPERATOR);
  }

  private Uni<Answer> answer(RoutingContext context) {
    try {
      ProjectAccess access = access(context);
      OpenTerminal wanted = wanted(context);
      Uni<Answer> opened =
          runs.resolve(wanted.getRun(), access)
              .chain(runs::get)
              .map(TerminalRoute::active)
              .chain(run -> terminals.open(wanted));
      return wanted.getReadOnly() ? opened : recorded(AuditedCall.of(context), wanted, opened);
    } catch (ProblemException e) {
      return Uni.createFrom().failure(e);
    }
  }

  /** A terminal for typing may change what the run does. */
  private Uni<Answer> recorded(AuditedCall call, OpenTerminal wanted, Uni<Answer> opened) {
    return audit
        .begin(call, OPERATION, wanted.getRun())
        .chain(
            () ->
                opened
                    .onItemOrFailure()
                    .call(
                        (answer, failure) -> {
                          int status = failure == null ? status(answer) : problem(failure).status();
                          return audit.end(
                              call,
                              AuditOutcome.ofStatus(status),
                              Integer.toString(status),
                              failure instanceof ProblemException known
                                  ? known.kind().type()
                                  : null);
                        }));
  }

  private static int status(Answer answer) {
    return switch (answer) {
      case Answer.Opened _ -> 101;
      case Answer.Elsewhere _ -> 307;
      case Answer.Refused _, Answer.NotCarried _ -> ProblemKind.CONFLICT.status();
      case Answer.Silent _ -> ProblemKind.UNAVAILABLE.status();
    };
  }

  private static ProblemKind problem(Throwable failure) {
    return failure instanceof ProblemException known ? known.kind() : ProblemKind.INTERNAL;
  }

  private static RunView active(RunView run) {
    if (run.endedAt() != null) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "run %s is %s: only an active run has a screen".formatted(run.id(), run.status()));
    }
    return run;
  }

  private static OpenTerminal wanted(RoutingContext context) {
    if (!"websocket".equalsIgnoreCase(context.request().getHeader(HttpHeaders.UPGRADE))) {
      throw new ProblemException(
          ProblemKind.MALFORMED_REQUEST, "a terminal is a WebSocket: the request must upgrade");
    }
    String run = Objects.requireNonNullElse(context.pathParam("run"), "");
    if (!RunId.isValid(run)) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER, "'" + run + "' is not a run id of 26 characters");
    }
    return OpenTerminal.newBuilder()
        .setRun(run)
        .setStep(text(context, "step", MAX_STEP))
        .setTerm(text(context, "term", MAX_TERM))
        .setReadOnly(flag(context, "read_only"))
        .setColumns(side(context, "columns"))
        .setRows(side(context, "rows"))
        .build();
  }

  private static String parameter(RoutingContext context, String name) {
    String value = context.queryParams().get(name);
    return value == null ? "" : value;
  }

  private static String text(RoutingContext context, String name, int limit) {
    String value = parameter(context, name);
    if (value.length() > limit) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER, name + " may have at most " + limit + " characters");
    }
    return value;
  }

  private static boolean flag(RoutingContext context, String name) {
    return switch (parameter(context, name)) {
      case "true" -> true;
      case "", "false" -> false;
      default ->
          throw new ProblemException(
              ProblemKind.BAD_PARAMETER,
              "%s '%s' is not allowed; allowed: true, false"
                  .formatted(name, parameter(context, name)));
    };
  }

  /** Returns 0 for the runner's default. */
  private static int side(RoutingContext context, String name) {
    String value = parameter(context, name);
    if (value.isEmpty()) {
      return 0;
    }
    if (!value.matches("[0-9]{1,4}")
        || Integer.parseInt(value) < 1
        || Integer.parseInt(value) > MAX_SIDE) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "%s '%s' is not allowed; allowed: 1 to %d".formatted(name, value, MAX_SIDE));
    }
    return Integer.parseInt(value);
  }

  private void respond(RoutingContext context, Context loop, Answer answer) {
    switch (answer) {
      case Answer.Opened(var link, String step) ->
          context
              .request()
              .toWebSocket()
              .onSuccess(
                  socket ->
                      TerminalSocket.connect(
                          context.vertx(),
                          loop,
                          socket,
                          link,
                          end -> streams.open(access(context).caller(), end)))
              .onFailure(
                  failure -> {
                    LOG.debugf("terminal of step '%s': the upgrade failed: %s", step, failure);
                    link.close();
                  });
      case Answer.Refused(String reason) -> conflict(context, reason);
      case Answer.NotCarried() -> conflict(context, "no runner carries it now");
      case Answer.Silent() ->
          fail(
              context,
              new ProblemException(
                  ProblemKind.UNAVAILABLE,
                  "run %s: its runner did not open a terminal in time"
                      .formatted(context.pathParam("run"))));
      case Answer.Elsewhere(URI replica) -> {
        context.request().resume();
        context
            .response()
            .setStatusCode(307)
            .putHeader(
                HttpHeaders.LOCATION,
                replica.toString().replaceAll("/+$", "") + context.request().uri())
            .end();
      }
    }
  }

  private static void conflict(RoutingContext context, String reason) {
    fail(
        context,
        new ProblemException(
            ProblemKind.CONFLICT, "run %s: %s".formatted(context.pathParam("run"), reason)));
  }

  private static void fail(RoutingContext context, Throwable failure) {
    ProblemException problem =
        failure instanceof ProblemException known
            ? known
            : new ProblemException(ProblemKind.INTERNAL, "the terminal cannot be opened");
    if (problem != failure) {
      LOG.error("terminal: cannot be opened", failure);
    }
    ProblemDocument document = problem.document(context.normalizedPath());
    context.request().resume();
    context
        .response()
        .setStatusCode(document.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemDocument.MEDIA_TYPE)
        .end(new String(Json.bytes(document), StandardCharsets.UTF_8));
  }
}
