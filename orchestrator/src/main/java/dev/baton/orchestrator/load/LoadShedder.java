/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.load;

import dev.baton.orchestrator.problem.ProblemDocument;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.server.BlockedLoopEffect;
import dev.baton.server.EventLoopGuard;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Rejects requests for new work with 503 while an event loop is blocked; clients may retry another
 * replica. Reads, cancellations, pauses and answers are still accepted.
 */
@ApplicationScoped
class LoadShedder {
  private static final int PRIORITY = 600;
  private static final String RETRY_SECONDS = "2";
  private static final Pattern NEW_WORK =
      Pattern.compile("/(runs|runs/batch|workflows|workflows/validate)/?");

  private final EventLoopGuard guard;

  LoadShedder(EventLoopGuard guard) {
    this.guard = guard;
  }

  @Produces
  @Singleton
  static BlockedLoopEffect noNewWork() {
    return new BlockedLoopEffect("this replica takes no new work");
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, PRIORITY);
  }

  private void check(RoutingContext context) {
    boolean newWork =
        context.request().method().equals(HttpMethod.POST)
            && NEW_WORK.matcher(context.request().path()).matches();
    if (!newWork || guard.blocked() == 0) {
      context.next();
      return;
    }
    ProblemDocument document =
        new ProblemException(
                ProblemKind.BUSY, "an event loop of this replica is blocked; try again later")
            .document(context.normalizedPath());
    context
        .response()
        .setStatusCode(document.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, ProblemDocument.MEDIA_TYPE)
        .putHeader(HttpHeaders.RETRY_AFTER, RETRY_SECONDS)
        .end(new String(Json.bytes(document), StandardCharsets.UTF_8));
  }
}
