/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotencyService;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.SchemaValidator;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunTransaction;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.InputSchema;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

/** Stores approvals and their answers. An answer is accepted once: the first transaction wins. */
@ApplicationScoped
public class ApprovalService {
  /**
   * The author of an answer, and the files it applies to.
   *
   * @param by name of the person, which is not verified: recorded after that of the caller
   * @param checkpoint digest of the files that the person has seen; an answer for other files is
   *     refused
   */
  public record AnswerDetails(
      @Nullable String by, @Nullable String comment, @Nullable String checkpoint) {}

  /** A person's answer. */
  record Answer(JsonNode value, AnswerDetails details) {
    /** Returns the same answer with its author in place of the name that it states. */
    Answer by(Caller caller) {
      return new Answer(
          value,
          new AnswerDetails(caller.author(details.by()), details.comment(), details.checkpoint()));
    }
  }

  /** An approval with its run. */
  private record Found(Row run, Row approval) {}

  /** A page of approvals, oldest first. */
  @Schema(name = "ApprovalPage")
  public record Page(List<ApprovalView> approvals, @Nullable String nextCursor) {}

  /** Position of a page: the last approval of the previous page. */
  private record Cursor(Instant askedAt, String id) {
    private static Cursor parse(String text) {
      int bar = text.indexOf('_');
      try {
        long micros = Long.parseLong(text.substring(0, Math.max(0, bar)));
        return new Cursor(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), text.substring(bar + 1));
      } catch (NumberFormatException | ArithmeticException | DateTimeException e) {
        throw new ProblemException(
            ProblemKind.BAD_PARAMETER,
            "cursor='%s' is not allowed; allowed: the next_cursor of another page"
                .formatted(TextShortener.shorten(text, 64)));
      }
    }

    static Cursor of(ApprovalView last) {
      return new Cursor(last.askedAt(), last.id());
    }

    @Override
    public String toString() {
      return ChronoUnit.MICROS.between(Instant.EPOCH, askedAt) + "_" + id;
    }
  }

  // Native SQL, since runs have no entity. Names of projects have no comma.
  private static final String ALL = "SELECT a.* FROM orchestrator.approval a WHERE true";
  private static final String VISIBLE =
      " AND EXISTS (SELECT FROM orchestrator.run r WHERE r.id = a.run"
          + " AND r.project = ANY (string_to_array(:projects, ',')))";

  private static final String RUN_OF_APPROVAL =
      """
      SELECT r.id, r.project, r.ended, r.desired FROM orchestrator.run r
      JOIN orchestrator.approval a ON a.run = r.id
      WHERE a.id = $1 AND ($2::text[] IS NULL OR r.project = ANY ($2))""";
  private static final String APPROVAL =
      """
      SELECT id, run, step, prompt, status, answer_schema, default_answer, cut, tool, asked_at, expires_at,
        answered_by, (SELECT b.id FROM orchestrator.approval b WHERE b.run = a.run AND b.step = a.step
          AND b.status = 'waiting' AND b.id <> a.id
          AND (a.tool IS NULL OR b.tool::json->>'call' = a.tool::json->>'call') LIMIT 1) AS again
      FROM orchestrator.approval a WHERE a.id = $1""";

  private final Mutiny.SessionFactory sessions;
  private final Pool pool;
  private final OutboxRelay relay;
  private final RunTransaction runs;
  private final IdempotencyService keys;
  private final SchemaValidator schemas;

  ApprovalService(
      Mutiny.SessionFactory sessions,
      Pool pool,
      OutboxRelay relay,
      RunTransaction runs,
      IdempotencyService keys,
      SchemaValidator schemas) {
    this.schemas = schemas;
    this.sessions = sessions;
    this.pool = pool;
    this.relay = relay;
    this.runs = runs;
    this.keys = keys;
  }

  /**
   * Lists approvals, oldest first; null arguments do not filter.
   *
   * @param cursor of the previous page; null for the first page
   */
  public Uni<Page> list(
      @Nullable String status,
      @Nullable String run,
      @Nullable String cursor,
      int limit,
      ProjectAccess access) {
    Cursor after = cursor == null ? null : Cursor.parse(cursor);
    String[] projects = access.visibleNames();
    String sql =
        ALL
            + (projects == null ? "" : VISIBLE)
            + (status == null ? "" : " AND a.status = :status")
            + (run == null ? "" : " AND a.run = :run")
            + (after == null ? "" : " AND (a.asked_at, a.id) > (:at, :id)")
            + " ORDER BY a.asked_at, a.id";
    return sessions
        .withSession(
            session -> {
              var query =
                  session.createNativeQuery(sql, ApprovalEntity.class).setMaxResults(limit + 1);
              if (projects != null) {
                query.setParameter("projects", String.join(",", projects));
              }
              if (status != null) {
                query.setParameter("status", status);
              }
              if (run != null) {
                query.setParameter("run", run);
              }
              if (after != null) {
                query.setParameter("at", after.askedAt()).setParameter("id", after.id());
              }
              return query.getResultList();
            })
        .map(found -> page(found.stream().map(ApprovalEntity::view).toList(), limit));
  }

  private static Page page(List<ApprovalView> found, int limit) {
    return found.size() <= limit
        ? new Page(found, null)
        : new Page(
            List.copyOf(found.subList(0, limit)), Cursor.of(found.get(limit - 1)).toString());
  }

  /** Fails with a problem when the approval does not exist, or the caller cannot see its run. */
  public Uni<ApprovalView> get(String id, ProjectAccess access) {
    String[] projects = access.visibleNames();
    return sessions
        .withSession(
            session -> {
              var query =
                  session
                      .createNativeQuery(
                          ALL + (projects == null ? "" : VISIBLE) + " AND a.id = :id",
                          ApprovalEntity.class)
                      .setParameter("id", id);
              if (projects != null) {
                query.setParameter("projects", String.join(",", projects));
              }
              return query.getSingleResultOrNull();
            })
        .map(
            found -> {
              if (found == null) {
                throw unknown(id);
              }
              return found.view();
            });
  }

  /**
   * Records the answer and enqueues its delivery to the runner.
   *
   * @return fails with a problem when the approval is unknown or no longer waits, or when the
   *     answer does not match its schema
   */
  Uni<IdempotentResponse> answer(
      String id, Answer answer, @Nullable IdempotencyKey key, ProjectAccess access) {
    ControlTextValidator.check("answer", answer.value());
    ControlTextValidator.check("by", answer.details().by());
    ControlTextValidator.check("comment", answer.details().comment());
    ControlTextValidator.check("checkpoint", answer.details().checkpoint());
    Answer authored = answer.by(access.caller());
    return keys.find(key)
        .chain(
            kept ->
                kept.isPresent()
                    ? Uni.createFrom().item(kept.get())
                    : checkOpen(id, authored, access)
                        .chain(
                            schema ->
                                pool.withTransaction(
                                    tx -> record(tx, id, authored, schema, key, access)))
                        .invoke(relay::wake));
  }

  /** Like the other {@code answer}, without an idempotency key. */
  public Uni<ApprovalView> answer(
      String id, JsonNode value, AnswerDetails details, ProjectAccess access) {
    return answer(id, new Answer(value, details), null, access)
        .map(
            stored ->
                Json.read(stored.body().getBytes(StandardCharsets.UTF_8), ApprovalView.class));
  }

  /**
   * Checks an answer before any row is locked, since a schema may use all of the time that a
   * validation has.
   *
   * @return the schema that the answer matches; empty when the approval has none
   */
  private Uni<Optional<JsonNode>> checkOpen(String id, Answer answer, ProjectAccess access) {
    return pool.withConnection(connection -> find(connection, id, access, RUN_OF_APPROVAL))
        .chain(
            found -> {
              check(id, found, answer);
              Optional<JsonNode> schema =
                  Optional.ofNullable(json(found.approval().getString("answer_schema")));
              return checkAnswer(schema.orElse(null), answer.value()).replaceWith(schema);
            });
  }

  private Uni<IdempotentResponse> record(
      SqlConnection tx,
      String id,
      Answer answer,
      Optional<JsonNode> checked,
      @Nullable IdempotencyKey key,
      ProjectAccess access) {
    // Locks the run's row before the approval's, the lock order used everywhere.
    return find(tx, id, access, RUN_OF_APPROVAL + " FOR UPDATE OF r")
        .chain(
            found -> {
              check(id, found, answer);
              JsonNode schema = json(found.approval().getString("answer_schema"));
              if (!checked.equals(Optional.ofNullable(schema))) {
                throw new ProblemException(
                    ProblemKind.CONFLICT,
                    "approval " + id + " has changed: read it again, then answer");
              }
              return recordChecked(tx, found.run(), found.approval(), schema, answer, key);
            });
  }

  private static Uni<Found> find(
      SqlClient client, String id, ProjectAccess access, String runOfApproval) {
    return client
        .preparedQuery(runOfApproval)
        .execute(Tuple.tuple().addString(id).addArrayOfString(access.visibleNames()))
        .chain(
            runs -> {
              for (Row run : runs) {
                access.noteRun(run.getString("id"));
                access.require(run.getString("project"));
                return client
                    .preparedQuery(APPROVAL)
                    .execute(Tuple.of(id))
                    .map(found -> new Found(run, found.iterator().next()));
              }
              throw unknown(id);
            });
  }

  private static void check(String id, Found found, Answer answer) {
    checkOpen(id, found.run(), found.approval(), Instant.now());
    checkFiles(id, found.approval().getString("cut"), answer.details().checkpoint());
  }

  private Uni<IdempotentResponse> recordChecked(
      SqlConnection tx,
      Row run,
      Row approval,
      @Nullable JsonNode schema,
      Answer answer,
      @Nullable IdempotencyKey key) {
    String id = approval.getString("id");
    Instant now = Instant.now();
    String runId = run.getString("id");
    String step = approval.getString("step");
    TraceEvent.ApprovalAnswered event =
        new TraceEvent.ApprovalAnswered(
            step,
            id,
            answer.value(),
            answer.details().by(),
            answer.details().comment(),
            approval.getString("cut"));
    IdempotentResponse stored =
        IdempotentResponse.fresh(200, null, view(approval, schema, answer, now));
    return tx.preparedQuery(
            """
            UPDATE orchestrator.approval SET status = 'answered', answer = $2, answered_by = $3, comment = $4,
              answered_at = $5 WHERE id = $1\
            """)
        .execute(
            Tuple.from(
                Arrays.asList(
                    id,
                    answer.value().toString(),
                    answer.details().by(),
                    answer.details().comment(),
                    now.atOffset(ZoneOffset.UTC))))
        .chain(() -> runs.perform(tx, runId, new RunObservation.ApprovalAnswered(event)))
        .invoke(ApprovalService::checkPerformed)
        .chain(() -> keys.claim(tx, key == null ? Map.of() : Map.of(key, stored)))
        .replaceWith(stored);
  }

  private static void checkPerformed(Optional<RunPlan> plan) {
    if (plan.isPresent() && plan.get().outcome() instanceof RunOutcome.Rejected(String message)) {
      throw new ProblemException(ProblemKind.CONFLICT, message);
    }
  }

  private static void checkOpen(String id, Row run, Row approval, Instant now) {
    String status = approval.getString("status");
    if (status.equals("answered")) {
      String by = approval.getString("answered_by");
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "approval " + id + " has been answered" + (by == null ? "" : " by " + by));
    }
    String again = approval.getString("again");
    if (!status.equals("waiting") && again != null) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "approval %s was replaced by %s since the run continues with other files: answer that one"
              .formatted(id, again));
    }
    OffsetDateTime expires = approval.getOffsetDateTime("expires_at");
    if (expires != null && !expires.toInstant().isAfter(now)) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "approval %s expired at %s: %s"
              .formatted(
                  id,
                  expires.toInstant(),
                  approval.getString("default_answer") == null
                      ? "without an answer"
                      : "its default answer holds"));
    }
    if (!status.equals("waiting") || run.getBoolean("ended") || DesiredState.of(run).isFinal()) {
      throw new ProblemException(
          ProblemKind.CONFLICT, "approval " + id + " no longer waits for an answer");
    }
  }

  /** Rejects an answer given for other files than those that the run continues with. */
  private static void checkFiles(String id, @Nullable String checkpoint, @Nullable String seen) {
    if (seen != null && !seen.equals(checkpoint)) {
      throw new ProblemException(
          ProblemKind.CONFLICT,
          "approval %s is for %s, the answer is for '%s': read it again, then answer"
              .formatted(
                  id,
                  checkpoint == null
                      ? "files without a checkpoint"
                      : "checkpoint '" + checkpoint + "'",
                  TextShortener.shorten(seen, 100)));
    }
  }

  private Uni<Void> checkAnswer(@Nullable JsonNode schema, JsonNode value) {
    return schemas.check(
        schema == null ? InputSchema.ANY : new InputSchema(schema),
        value,
        ProblemKind.INVALID_ANSWER,
        "the answer does not fit the approval's schema");
  }

  private static ApprovalView view(
      Row approval, @Nullable JsonNode schema, Answer answer, Instant now) {
    OffsetDateTime expires = approval.getOffsetDateTime("expires_at");
    return new ApprovalView(
        approval.getString("id"),
        approval.getString("run"),
        approval.getString("step"),
        approval.getString("prompt"),
        "answered",
        schema,
        json(approval.getString("default_answer")),
        approval.getString("cut"),
        ToolCallReader.read(approval.getString("tool")),
        approval.getOffsetDateTime("asked_at").toInstant(),
        expires == null ? null : expires.toInstant(),
        answer.value(),
        answer.details().by(),
        answer.details().comment(),
        now);
  }

  private static @Nullable JsonNode json(@Nullable String text) {
    return text == null ? null : Json.tree(text.getBytes(StandardCharsets.UTF_8));
  }

  private static ProblemException unknown(String id) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no approval '"
            + TextShortener.shorten(id, 200)
            + "'; GET /approvals?status=waiting lists those that wait");
  }
}
