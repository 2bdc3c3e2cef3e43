/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.workflows;

import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.queue.WorkflowCapacityFreedEvent;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

/**
 * Stores and lists definitions. Must be called on a Vert.x context, as Hibernate Reactive requires.
 */
@ApplicationScoped
public class WorkflowCatalog {
  /** The result of a put: {@code created} is false when this version was already stored. */
  @Schema(name = "StoredWorkflow")
  public record Put(String name, String hash, boolean created, List<FieldProblem> warnings) {}

  /** A name and its current version. */
  @Schema(name = "WorkflowEntry")
  public record Listed(String name, String hash, Instant updatedAt) {}

  /** One version. */
  @Schema(name = "WorkflowVersion")
  public record Version(String name, String hash, Instant createdAt) {}

  private final Mutiny.SessionFactory sessions;
  private final WorkflowDefinitionCache definitions;
  private final Vertx vertx;
  private final Event<WorkflowCapacityFreedEvent> places;

  WorkflowCatalog(
      Mutiny.SessionFactory sessions,
      WorkflowDefinitionCache definitions,
      Vertx vertx,
      Event<WorkflowCapacityFreedEvent> places) {
    this.places = places;
    this.sessions = sessions;
    this.definitions = definitions;
    this.vertx = vertx;
  }

  /** Parses and validates a definition; fails with a problem that contains every error. */
  public Uni<WorkflowParseResult.Valid> check(byte[] text, DefinitionFormat format) {
    // Parsing a megabyte of YAML takes a while, so not on an event loop.
    return vertx
        .executeBlocking(() -> WorkflowParser.parse(text, format), false)
        .map(
            parsed ->
                switch (parsed) {
                  case WorkflowParseResult.Valid valid -> valid;
                  case WorkflowParseResult.Invalid invalid ->
                      throw ProblemException.withErrors(
                          ProblemKind.INVALID_WORKFLOW,
                          "the definition has " + count(invalid.problems().size()),
                          invalid.problems().stream().map(FieldProblem::of).toList());
                });
  }

  /** A version's text as it was last put. */
  public record Source(String mediaType, byte[] text) {}

  /**
   * Stores a definition under its hash, with its text, as the current version of its name, in one
   * transaction.
   *
   * @param mediaType of the text
   */
  public Uni<Put> put(byte[] text, DefinitionFormat format, String mediaType) {
    return put(text, format, new Source(mediaType, text));
  }

  /** Like {@link #put(byte[], DefinitionFormat, String)}, without storing the text. */
  public Uni<Put> put(byte[] text, DefinitionFormat format) {
    return put(text, format, (Source) null);
  }

  private Uni<Put> put(byte[] text, DefinitionFormat format, @Nullable Source source) {
    return check(text, format)
        .chain(
            valid ->
                store(valid, source)
                    .onFailure(WorkflowCatalog::isDuplicate)
                    .recoverWithUni(() -> store(valid, source))
                    .map(
                        created ->
                            new Put(
                                valid.workflow().name(),
                                valid.hash(),
                                created,
                                valid.warnings().stream().map(FieldProblem::of).toList())));
  }

  /**
   * Returns the text of a version as it was last put.
   *
   * @return empty when it was stored without its text, or by an earlier version
   */
  public Uni<Optional<Source>> source(String hash) {
    return sessions
        .withSession(session -> session.find(WorkflowSourceEntity.class, hash))
        .map(found -> Optional.ofNullable(found).map(WorkflowSourceEntity::source));
  }

  private Uni<Boolean> store(WorkflowParseResult.Valid valid, @Nullable Source source) {
    String name = valid.workflow().name();
    String canonical = new String(WorkflowParser.bytes(valid.canonical()), StandardCharsets.UTF_8);
    Instant now = Instant.now();
    return sessions
        .withTransaction(
            (session, tx) ->
                session
                    .find(WorkflowVersionEntity.class, valid.hash())
                    .chain(
                        known ->
                            known != null
                                ? Uni.createFrom().item(false)
                                : session
                                    .persist(
                                        new WorkflowVersionEntity(
                                            valid.hash(), name, canonical, now))
                                    .replaceWith(true))
                    .call(() -> point(session, valid, now))
                    .call(() -> keep(session, valid.hash(), source, now)))
        .invoke(() -> definitions.keep(valid.hash(), canonical))
        // Its limit may differ from that of the previous version.
        .invoke(() -> places.fire(new WorkflowCapacityFreedEvent()));
  }

  private static Uni<Void> keep(
      Mutiny.Session session, String hash, @Nullable Source source, Instant now) {
    if (source == null) {
      return Uni.createFrom().voidItem();
    }
    return session
        .find(WorkflowSourceEntity.class, hash)
        .chain(
            known -> {
              if (known == null) {
                return session.persist(new WorkflowSourceEntity(hash, source, now));
              }
              known.replace(source, now);
              return Uni.createFrom().voidItem();
            });
  }

  private static Uni<Void> point(
      Mutiny.Session session, WorkflowParseResult.Valid valid, Instant now) {
    String name = valid.workflow().name();
    OptionalInt defined = valid.workflow().concurrency();
    Integer concurrency = defined.isPresent() ? defined.getAsInt() : null;
    return session
        .find(WorkflowNameEntity.class, name)
        .chain(
            named -> {
              if (named == null) {
                return session.persist(
                    new WorkflowNameEntity(name, valid.hash(), concurrency, now));
              }
              if (!named.hash().equals(valid.hash())) {
                named.pointTo(valid.hash(), concurrency, now);
              }
              return Uni.createFrom().voidItem();
            });
  }

  private static boolean isDuplicate(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof org.hibernate.exception.ConstraintViolationException) {
        return true;
      }
    }
    return false;
  }

  /** Lists all names in order. */
  public Uni<List<Listed>> list(int limit) {
    return sessions.withSession(
        session ->
            session
                .createQuery("from WorkflowNameEntity order by name", WorkflowNameEntity.class)
                .setMaxResults(limit)
                .getResultList()
                .map(
                    all ->
                        all.stream()
                            .map(w -> new Listed(w.name(), w.hash(), w.updatedAt()))
                            .toList()));
  }

  /** Lists a name's versions, newest first. */
  public Uni<List<Version>> versions(String name, int limit) {
    return sessions.withSession(
        session ->
            session
                .createQuery(
                    "from WorkflowVersionEntity where name = :name order by createdAt desc, hash",
                    WorkflowVersionEntity.class)
                .setParameter("name", name)
                .setMaxResults(limit)
                .getResultList()
                .map(
                    all ->
                        all.stream()
                            .map(w -> new Version(w.name(), w.hash(), w.createdAt()))
                            .toList()));
  }

  private static String count(int problems) {
    return problems == 1 ? "one error" : problems + " errors";
  }
}
