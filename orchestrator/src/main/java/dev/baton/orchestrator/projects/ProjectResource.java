/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.queue.RunAdmissionController;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.identity.ProjectScope;
import dev.baton.protocol.json.TextShortener;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Serves projects over REST. A project in which the caller has no role does not exist for it. */
@Path("/projects")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "projects")
public class ProjectResource {
  private static final int MOST = 1_000;

  /**
   * The body of a change.
   *
   * @param limits null: those that the project has
   */
  @Schema(name = "ProjectRequest")
  public record ProjectRequest(@Nullable ProjectLimits limits) {}

  /** A page of projects, in the order of their names. */
  @Schema(name = "ProjectPage")
  public record Page(List<ProjectView> projects, @Nullable String nextCursor) {
    public Page {
      projects = List.copyOf(projects);
    }
  }

  private final ProjectLimitRepository projects;
  private final RunAdmissionController admission;
  private final ProjectStorageWatcher storage;
  private final CallerContext callers;

  ProjectResource(
      ProjectLimitRepository projects,
      RunAdmissionController admission,
      ProjectStorageWatcher storage,
      CallerContext callers) {
    this.storage = storage;
    this.callers = callers;
    this.projects = projects;
    this.admission = admission;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of projects",
      content = @Content(schema = @Schema(implementation = Page.class)))
  @Operation(
      operationId = "listProjects",
      summary = "A page of the projects that were created and in which the caller has a role.")
  public Uni<Page> list(
      @RestQuery @DefaultValue("50") int limit, @RestQuery @Nullable String cursor) {
    if (limit < 1 || limit > MOST) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER, "limit=" + limit + " is not allowed; allowed: 1 to " + MOST);
    }
    return projects
        .list(callers.access(AccessRole.VIEWER).visible(), cursor, limit + 1)
        .map(
            found ->
                found.size() <= limit
                    ? new Page(found, null)
                    : new Page(found.subList(0, limit), found.get(limit - 1).name()));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{name}")
  @APIResponse(
      responseCode = "200",
      description = "The project and the use of its limits",
      content = @Content(schema = @Schema(implementation = ProjectView.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(operationId = "getProject", summary = "A project, its limits, and their use.")
  public Uni<ProjectView> get(String name) {
    return found(name, callers.access(AccessRole.VIEWER).visible());
  }

  @PUT
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @Path("/{name}")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "200",
      description = "The project, which existed",
      content = @Content(schema = @Schema(implementation = ProjectView.class)))
  @APIResponse(
      responseCode = "201",
      description = "The new project",
      content = @Content(schema = @Schema(implementation = ProjectView.class)))
  @Operation(
      operationId = "putProject",
      summary = "Create a project, or set its limits; without 'limits' they stay as they are.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = ProjectRequest.class)))
  public Uni<Response> put(String name, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    ProjectLimits limits = JsonBodyReader.read(body, ProjectRequest.class).limits();
    if (!ProjectRoles.PROJECT.matcher(name).matches()) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "project '%s' is not allowed; allowed: 1 to 63 of a-z, 0-9, '_', '-', not first '_' or '-'"
              .formatted(TextShortener.shorten(name, 64)));
    }
    ProjectAccess access = callers.access(AccessRole.ADMIN);
    access.require(name);
    return projects
        .put(name, access.caller().name(), limits == null ? null : limits.checked())
        .invoke(admission::wake)
        .invoke(storage::wake)
        .chain(
            fresh ->
                found(name, access.visible())
                    .map(view -> Response.status(fresh ? 201 : 200).entity(view).build()));
  }

  @DELETE
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @Path("/{name}")
  @APIResponse(
      responseCode = "200",
      description = "The deleted project",
      content = @Content(schema = @Schema(implementation = ProjectView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.CONFLICT})
  @Operation(operationId = "deleteProject", summary = "Delete a project without runs.")
  public Uni<ProjectView> delete(String name) {
    ProjectAccess access = callers.access(AccessRole.ADMIN);
    access.require(name);
    return found(name, access.visible())
        .call(project -> projects.delete(name).map(runs -> requireNone(name, runs)));
  }

  private static long requireNone(String name, Optional<Long> runs) {
    long left = runs.orElseThrow(() -> unknown(name));
    if (left > 0) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "project '%s' has %d runs: cancel those under way (POST /runs/bulk/cancel), then delete them (POST /runs/bulk/delete) with {\"filter\": {\"project\": \"%s\"}}"
              .formatted(name, left, name));
    }
    return left;
  }

  private Uni<ProjectView> found(String name, ProjectScope visible) {
    return projects.find(name, visible).map(view -> view.orElseThrow(() -> unknown(name)));
  }

  static ProblemException unknown(String name) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no project '%s'; GET /projects lists those that exist, PUT creates one"
            .formatted(TextShortener.shorten(name, 64)));
  }
}
