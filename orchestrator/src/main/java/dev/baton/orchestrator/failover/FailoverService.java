/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.projection.ProjectionBarrier;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Moves a run to its next epoch or declares it lost, in one transaction that has an effect only
 * while the run is still in the signal's epoch. A repeated signal, or two signals about the same
 * loss, cause one failover.
 */
@ApplicationScoped
class FailoverService {
  private static final Logger LOG = Logger.getLogger(FailoverService.class);

  private final Pool pool;
  private final OutboxRelay relay;
  private final ProjectionBarrier catchUp;
  private final int maxDeaths;

  FailoverService(
      Pool pool, OutboxRelay relay, ProjectionBarrier catchUp, OrchestratorConfig config) {
    this.maxDeaths = config.failover().maxDeaths();
    this.catchUp = catchUp;
    this.pool = pool;
    this.relay = relay;
  }

  /**
   * Handles a signal in one transaction that waits for a lock for at most 100 ms, and never for the
   * log.
   *
   * @param age time since the signal was published
   * @return {@link FailoverDecision.LookAgain} when nothing was decided: the decision needs the end
   *     of the run's trace, or follows a deferred signal of the run
   */
  Uni<FailoverDecision> tryHandle(RunnerSignal signal, Duration age) {
    return pool.withTransaction(tx -> decide(tx, signal, age, Knowledge.FIRST_LOOK))
        .invoke(decision -> report(signal, decision));
  }

  /**
   * Handles a signal, after the projection has read the run's trace where the decision needs that.
   *
   * @param patience for the projection
   * @return fails when the projection does not catch up in time, or the run's row stays locked for
   *     20 ms
   */
  Uni<FailoverDecision> handleCaughtUp(RunnerSignal signal, Duration age, Duration patience) {
    return pool.withTransaction(tx -> decide(tx, signal, age, Knowledge.MAYBE_BEHIND))
        .chain(
            decision ->
                decision instanceof FailoverDecision.LookAgain
                    ? caughtUp(signal.run(), patience)
                        .chain(
                            () ->
                                pool.withTransaction(
                                    tx -> decide(tx, signal, age, Knowledge.CAUGHT_UP)))
                    : Uni.createFrom().item(decision))
        .invoke(decision -> report(signal, decision));
  }

  private void report(RunnerSignal signal, FailoverDecision decision) {
    switch (decision) {
      case FailoverDecision.LookAgain() -> {}
      case FailoverDecision.Ignore(String why) ->
          LOG.debugf("run %s: signal ignored, %s", signal.run(), why);
      case FailoverDecision.Lose(String reason, String detail) -> {
        LOG.infof("run %s is lost: %s, %s", signal.run(), reason, detail);
        relay.wake();
      }
      case FailoverDecision.Pause(int epoch, String reason) -> {
        LOG.infof("run %s is paused in epoch %d (%s)", signal.run(), epoch, reason);
        relay.wake();
      }
      case FailoverDecision.Advance advance -> {
        LOG.infof(
            "run %s moves to epoch %d (%s)%s",
            signal.run(),
            advance.epoch(),
            advance.reason(),
            advance.delay().isZero()
                ? ""
                : " after "
                    + advance.delay()
                    + ": "
                    + advance.fruitless()
                    + " failovers without progress");
        relay.wake();
      }
    }
  }

  /** Fails when the projection does not catch up in time. */
  private Uni<Void> caughtUp(String run, Duration patience) {
    return Uni.createFrom()
        .item(() -> catchUp.await(List.of(run), patience))
        .runSubscriptionOn(task -> Thread.ofVirtual().name("catch-up").start(task))
        .invoke(
            reached -> {
              if (!reached) {
                throw new IllegalStateException("the projection is behind the run's trace");
              }
            })
        .replaceWithVoid();
  }

  /** What is known about the run when a signal is decided. */
  private enum Knowledge {
    /** The signal was just read: earlier ones of the run may be deferred. */
    FIRST_LOOK(100),
    /** No earlier signal of the run is pending. */
    MAYBE_BEHIND(20),
    /** The row includes all events that were on the log when the signal was read. */
    CAUGHT_UP(20);

    private final int lockMillis;

    Knowledge(int lockMillis) {
      this.lockMillis = lockMillis;
    }

    /** Many repeated attempts must not occupy the connections that first ones need. */
    String setLockTimeout() {
      return "SET LOCAL lock_timeout = " + lockMillis;
    }
  }

  private Uni<FailoverDecision> decide(
      SqlConnection tx, RunnerSignal signal, Duration age, Knowledge knowledge) {
    return tx.query(knowledge.setLockTimeout())
        .execute()
        .chain(
            () ->
                tx.preparedQuery(
                        """
                        SELECT kind, epoch, control_seq, ended, desired, pause, status, restart, deadline, clock_timestamp() AS now, completed, completed_at_failover, fruitless,
                          deaths, died_in, current_steps, started_epoch >= epoch AS alive, started_epoch > 0 AS begun, forked_from IS NOT NULL
                            OR completed > 0 AND COALESCE(json_array_length(head::json -> 'uncommitted'), 0) = 0 AS saved,
                          confirmed_epoch, (extract(epoch FROM clock_timestamp() - confirmed_at) * 1000)::bigint AS confirmed_ms,
                          EXISTS (SELECT 1 FROM orchestrator.parked p WHERE p.run = r.id AND p.epoch = r.epoch) AS parked,
                          EXISTS (SELECT 1 FROM orchestrator.deferred_signal d WHERE d.run = r.id) AS deferred
                        FROM orchestrator.run r WHERE id = $1 FOR UPDATE""")
                    .execute(Tuple.of(signal.run())))
        .chain(
            rows -> {
              Row row = rows.iterator().hasNext() ? rows.iterator().next() : null;
              FailoverDecision decision = decide(row, signal, age);
              if (row == null) {
                return Uni.createFrom().item(decision);
              }
              return mustWait(row, signal, decision, knowledge)
                  ? Uni.createFrom().item(new FailoverDecision.LookAgain())
                  : act(tx, signal, row, decision).replaceWith(decision);
            });
  }

  /**
   * A run that would be lost since its work is not saved may have saved it; a runner that seems to
   * have died before it started the run may have started it. The trace decides. The signals of a
   * run are handled in order.
   */
  private static boolean mustWait(
      Row row, RunnerSignal signal, FailoverDecision decision, Knowledge knowledge) {
    if (decision instanceof FailoverDecision.Ignore || knowledge == Knowledge.CAUGHT_UP) {
      return false;
    }
    return knowledge == Knowledge.FIRST_LOOK && row.getBoolean("deferred")
        || decision instanceof FailoverDecision.Lose lose
            && lose.reason().equals(FailoverDecision.RESTART_NEVER)
        || decision instanceof FailoverDecision.Advance
            && FailoverDecision.mayBeBehind(run(row), signal);
  }

  private static boolean hasComeBack(Row row, RunnerSignal signal, Duration age) {
    Integer epoch = row.getInteger("confirmed_epoch");
    return epoch != null
        && new ReconnectGuard(epoch, Duration.ofMillis(row.getLong("confirmed_ms")))
            .contradicts(signal, age);
  }

  private FailoverDecision decide(@Nullable Row row, RunnerSignal signal, Duration age) {
    if (row == null) {
      return FailoverDecision.of(null, signal, Instant.now(), maxDeaths);
    }
    if (row.getBoolean("parked")) {
      return new FailoverDecision.Ignore("it is parked and has no runner");
    }
    if (hasComeBack(row, signal, age)) {
      return new FailoverDecision.Ignore("its runner has reconnected");
    }
    return FailoverDecision.of(
        run(row), signal, row.getOffsetDateTime("now").toInstant(), maxDeaths);
  }

  private static FailoverDecision.Run run(Row row) {
    OffsetDateTime deadline = row.getOffsetDateTime("deadline");
    return new FailoverDecision.Run(
        RunKind.of(row.getString("kind")),
        row.getInteger("epoch"),
        row.getBoolean("ended"),
        DesiredState.of(row),
        row.getString("pause") != null,
        row.getString("status").equals(RunStatus.PAUSED.word()),
        row.getString("restart"),
        row.getBoolean("begun"),
        row.getBoolean("saved"),
        deadline == null ? null : deadline.toInstant(),
        row.getLong("completed"),
        row.getLong("completed_at_failover"),
        row.getInteger("fruitless"),
        row.getBoolean("alive"),
        RunnerDeathStreak.steps(row.getString("current_steps")),
        RunnerDeathStreak.of(row.getInteger("deaths"), row.getString("died_in")));
  }

  private static Uni<Void> act(
      SqlConnection tx, RunnerSignal signal, Row row, FailoverDecision decision) {
    String run = signal.run();
    long seq = row.getLong("control_seq") + 1;
    return switch (decision) {
      case FailoverDecision.Ignore _, FailoverDecision.LookAgain _ -> Uni.createFrom().voidItem();
      case FailoverDecision.Lose(String reason, String detail) ->
          lose(tx, run, row, reason, detail);
      case FailoverDecision.Pause(int epoch, String reason) ->
          tx.preparedQuery(
                  """
                  UPDATE orchestrator.run SET desired = 'paused', epoch = $2, control_seq = $3 + 1, runner_id = NULL,
                    assigned_at = NULL, runner_pid = NULL, runner_host = NULL WHERE id = $1""")
              .execute(Tuple.of(run, epoch, seq))
              .chain(
                  () ->
                      OutboxWriter.append(
                          tx,
                          new OutboxWriter.Row(run, OutboxEffect.pausedEpoch(epoch, reason, seq)),
                          Duration.ZERO));
      case FailoverDecision.Advance(
              int epoch,
              String reason,
              int fruitless,
              RunnerDeathStreak deaths,
              Duration bound) -> {
        Duration delay = Backoff.jittered(bound);
        yield tx.preparedQuery(
                """
                  UPDATE orchestrator.run SET epoch = $2, control_seq = $3, runner_id = NULL, assigned_at = NULL,
                    runner_pid = NULL, runner_host = NULL,
                    status = CASE WHEN status IN ('starting', 'running', 'waiting', 'resuming') THEN 'interrupted'
                      ELSE status END,
                    fruitless = $4, completed_at_failover = completed, last_exit = $5, deaths = $7, died_in = $8,
                    next_attempt_at = CASE WHEN $6::bigint > 0 THEN now() + $6::bigint * interval '1 millisecond' END
                  WHERE id = $1""")
            .execute(
                Tuple.from(
                    List.of(
                        run,
                        epoch,
                        seq,
                        fruitless,
                        LastRunnerExit.of(signal, Instant.now()).json(),
                        delay.toMillis(),
                        deaths.count(),
                        deaths.stepsJson())))
            .chain(
                () ->
                    OutboxWriter.append(
                        tx,
                        new OutboxWriter.Row(run, OutboxEffect.newEpoch(epoch, reason, seq)),
                        delay));
      }
    };
  }

  /**
   * Declares a run lost and kills the rest of its runner.
   *
   * @param row its {@code epoch} and {@code control_seq}, locked by the transaction
   */
  static Uni<Void> lose(SqlConnection tx, String run, Row row, String reason, String detail) {
    long seq = row.getLong("control_seq") + 1;
    OutboxWriter.Row owed =
        new OutboxWriter.Row(
            run,
            List.of(
                OutboxEffect.publish(new TraceEvent.RunLost(reason, detail), seq, Instant.now()),
                new OutboxEffect.Kill(row.getInteger("epoch") + 1)));
    return tx.preparedQuery(
            "UPDATE orchestrator.run SET desired = 'lost', control_seq = $2 WHERE id = $1")
        .execute(Tuple.of(run, seq))
        .chain(() -> OutboxWriter.appendNow(tx, owed));
  }
}
