/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/**
 * Answers with 404 where the run of a stream does not exist for its caller. The stream itself could
 * not: its head, with status 200, is sent before its first event is read, and a client would
 * connect again and again.
 */
class StreamedRunFilter {
  private final RunQueryService runs;
  private final CallerContext callers;

  StreamedRunFilter(RunQueryService runs, CallerContext callers) {
    this.runs = runs;
    this.callers = callers;
  }

  /** Fails with the problem of a run that is not found. */
  @ServerRequestFilter
  @StreamedRun
  public Uni<Response> requireRun(ContainerRequestContext request) {
    String id = request.getUriInfo().getPathParameters().getFirst("id");
    return runs.resolve(id, callers.access(AccessRole.VIEWER)).replaceWith((Response) null);
  }
}
