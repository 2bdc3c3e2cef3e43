/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.failover.RunnerExitPublisher;
import dev.baton.orchestrator.gateway.RunAssignmentFactory;
import dev.baton.orchestrator.gateway.RunControlState;
import dev.baton.orchestrator.gateway.RunControlStateLoader;
import dev.baton.orchestrator.gateway.RunnerConnection;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.orchestrator.projection.ProjectionBarrier;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.RunnerSelector;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jboss.logging.Logger;

/**
 * Assigns runs to runners. The assignment is stored before a message is sent or a process is
 * started, so a launch that is repeated after a crash uses the same runner. When a worker has lost
 * its database session, two workers may launch the same epoch at once; the process name and the
 * runner's own check of the runs it holds ensure a single runner.
 */
@ApplicationScoped
public class RunLauncher {
  private static final Logger LOG = Logger.getLogger(RunLauncher.class);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final Duration CATCH_UP = Duration.ofSeconds(5);

  /** A run that needs a runner for this epoch. */
  public record Target(String run, int epoch) {}

  /** The result of a launch. */
  public enum Outcome {
    /** The run is assigned, or needs no runner. */
    DONE,
    /** No attached runner has a free slot. */
    NO_SLOT,
    /** Too many runners are starting, or no launcher that the run may use has room. */
    NO_START,
    /** To be retried. */
    FAILED
  }

  /** Where a run is placed. */
  private sealed interface Placement {
    RunControlState run();

    /** A slot that was taken for it. */
    record Slot(RunControlState run, RunnerConnection runner) implements Placement {}

    /** A runner of its own. */
    record Own(RunControlState run, String runner, LaunchPermit permit) implements Placement {}
  }

  private final RunControlStateLoader contexts;
  private final RunAssignmentFactory assignments;
  private final RunnerRegistry attachments;
  private final IsolatedRunnerLauncher isolated;
  private final WarmRunnerPool warm;
  private final RunnerExitPublisher gone;
  private final RunPlacementPolicy policy;
  private final LaunchPermitFactory permits;
  private final LaunchWaitRepository waits;
  private final LaunchedRunnerWatcher watch;
  private final ProjectionBarrier catchUp;
  private final Pool pool;
  private volatile boolean stopping;

  RunLauncher(
      RunControlStateLoader contexts,
      RunAssignmentFactory assignments,
      RunnerRegistry attachments,
      IsolatedRunnerLauncher isolated,
      WarmRunnerPool warm,
      RunnerExitPublisher gone,
      RunPlacementPolicy policy,
      LaunchPermitFactory permits,
      LaunchWaitRepository waits,
      LaunchedRunnerWatcher watch,
      ProjectionBarrier catchUp,
      Pool pool) {
    this.policy = policy;
    this.permits = permits;
    this.waits = waits;
    this.watch = watch;
    this.catchUp = catchUp;
    this.contexts = contexts;
    this.assignments = assignments;
    this.attachments = attachments;
    this.isolated = isolated;
    this.warm = warm;
    this.gone = gone;
    this.pool = pool;
  }

  /** Stops launching; pending launches stay in the outbox. */
  void stop() {
    stopping = true;
  }

  /** Launches runs. Blocks until all messages are sent and all processes are started. */
  public Map<String, Outcome> launch(List<Target> targets) {
    Map<String, Outcome> outcomes = new HashMap<>();
    if (stopping) {
      targets.forEach(target -> outcomes.put(target.run(), Outcome.FAILED));
      return outcomes;
    }
    Map<String, RunControlState> known =
        on(contexts.load(targets.stream().map(Target::run).toList()));
    List<Placement> placed = new ArrayList<>();
    List<RunControlState> chosen = new ArrayList<>();
    Map<Target, LauncherCapacityLimiter.Result.Full> full = new HashMap<>();
    List<Target> ordered = new ArrayList<>(targets);
    // There may be fewer slots than runs.
    ordered.sort(Comparator.comparingInt((Target target) -> priority(known, target)).reversed());
    for (Target target : ordered) {
      RunControlState run = known.get(target.run());
      if (run == null || !run.wants(target.epoch())) {
        permits.forget(target.run());
        outcomes.put(target.run(), Outcome.DONE);
      } else {
        choose(run, placed, chosen, full, outcomes);
      }
    }
    settle(placed, outcomes);
    show(full);
    // Last, since it waits for the log; runs without a runner must not wait for it.
    placeAgain(chosen, outcomes);
    return outcomes;
  }

  private static int priority(Map<String, RunControlState> known, Target target) {
    RunControlState run = known.get(target.run());
    return run == null ? 0 : run.priority();
  }

  /** Runs wait even if that cannot be shown. */
  private void show(Map<Target, LauncherCapacityLimiter.Result.Full> full) {
    if (full.isEmpty()) {
      return;
    }
    try {
      waits.waiting(full);
    } catch (RuntimeException e) {
      LOG.warnf("%d runs wait for a launcher, which cannot be stored: %s", full.size(), e);
    }
  }

  private void choose(
      RunControlState run,
      List<Placement> placed,
      List<RunControlState> chosen,
      Map<Target, LauncherCapacityLimiter.Result.Full> full,
      Map<String, Outcome> outcomes) {
    RunnerDemand demand;
    try {
      demand = policy.demand(run);
    } catch (RuntimeException e) {
      LOG.warnf("run %s: its definition cannot be loaded, retrying: %s", run.run(), e);
      outcomes.put(run.run(), Outcome.FAILED);
      return;
    }
    RunnerSelector selector = demand.selector();
    List<RunnerPlace> places =
        run.isolation() == IsolationMode.ISOLATED ? policy.startable(selector) : List.of();
    if (!places.isEmpty() && isOwn(run)) {
      own(run, selector, places, placed, outcomes)
          .ifPresent(where -> full.put(new Target(run.run(), run.epoch()), where));
    } else if (run.runner() == null) {
      place(run, demand, placed, outcomes);
      if (outcomes.get(run.run()) == Outcome.NO_SLOT) {
        policy
            .missingPool(selector)
            .ifPresent(missing -> full.put(new Target(run.run(), run.epoch()), missing));
      }
    } else {
      chosen.add(run);
    }
  }

  /**
   * Whether the run gets a runner of its own, or already has one; a warm runner is chosen only
   * once.
   */
  private static boolean isOwn(RunControlState run) {
    String before = run.runner();
    return before == null || !WarmRunnerPool.isName(before);
  }

  /** Returns the launcher for which the run has to wait, if it has. */
  private Optional<LauncherCapacityLimiter.Result.Full> own(
      RunControlState run,
      RunnerSelector selector,
      List<RunnerPlace> places,
      List<Placement> placed,
      Map<String, Outcome> outcomes) {
    Optional<RunnerConnection> idle =
        run.runner() == null ? warm.take(run.run(), selector) : Optional.empty();
    if (idle.isPresent()) {
      permits.forget(run.run());
      placed.add(new Placement.Slot(run, idle.get()));
      return Optional.empty();
    }
    String name = IsolatedRunnerLauncher.name(run.run(), run.epoch());
    if (name.equals(run.runner()) && watch.recordAgain(name)) {
      outcomes.put(run.run(), Outcome.DONE); // A repeated launch; it needs no further room.
      return Optional.empty();
    }
    return switch (permits.take(places, run.run(), run.priority())) {
      case LaunchPermitFactory.Result.Granted(LaunchPermit permit) -> {
        placed.add(new Placement.Own(run, name, permit));
        yield Optional.empty();
      }
      case LaunchPermitFactory.Result.Full(LauncherCapacityLimiter.Result.Full where) -> {
        outcomes.put(run.run(), Outcome.NO_START);
        yield Optional.of(where);
      }
      case LaunchPermitFactory.Result.Starting() -> {
        outcomes.put(run.run(), Outcome.NO_START);
        yield Optional.empty();
      }
    };
  }

  private void place(
      RunControlState run,
      RunnerDemand demand,
      List<Placement> placed,
      Map<String, Outcome> outcomes) {
    // A runner that ends with its run leaves no file of it to another.
    Optional<RunnerConnection> own =
        run.isolation() == IsolationMode.ISOLATED
            ? attachments.takeWarm(runner -> runner.isExternal() && policy.isFit(runner, demand))
            : Optional.empty();
    own.or(() -> attachments.takeSlot(runner -> policy.isFit(runner, demand)))
        .ifPresentOrElse(
            slot -> placed.add(new Placement.Slot(run, slot)),
            () -> outcomes.put(run.run(), Outcome.NO_SLOT));
  }

  private void settle(List<Placement> placed, Map<String, Outcome> outcomes) {
    if (placed.isEmpty()) {
      return;
    }
    Set<String> recorded;
    try {
      recorded = record(placed);
    } catch (RuntimeException e) {
      giveBack(placed);
      throw e;
    }
    List<Placement> unwanted = new ArrayList<>();
    List<Placement> wanted = new ArrayList<>();
    for (Placement placement : placed) {
      (recorded.contains(placement.run().run()) ? wanted : unwanted).add(placement);
    }
    // Paused, cancelled or moved to a newer epoch meanwhile.
    giveBack(unwanted);
    unwanted.forEach(placement -> outcomes.put(placement.run().run(), Outcome.DONE));
    carryOut(wanted, outcomes);
  }

  /**
   * Places runs whose runners were chosen before. When the runner is attached here without the run,
   * the assignment was not sent; otherwise its next attach sends it, or the run is lost with the
   * runner.
   */
  private void placeAgain(List<RunControlState> chosen, Map<String, Outcome> outcomes) {
    List<RunControlState> unsent = new ArrayList<>();
    for (RunControlState run : chosen) {
      if (unsentTo(run).isPresent()) {
        unsent.add(run);
      } else {
        outcomes.put(run.run(), Outcome.DONE);
      }
    }
    if (unsent.isEmpty()) {
      return;
    }
    // Or the runner has finished the run and released it: the log shows that.
    List<String> ids = unsent.stream().map(RunControlState::run).toList();
    if (!catchUp.await(ids, CATCH_UP)) {
      ids.forEach(run -> outcomes.put(run, Outcome.FAILED));
      return;
    }
    Map<String, RunControlState> known = on(contexts.load(ids));
    List<Placement> placed = new ArrayList<>();
    for (RunControlState before : unsent) {
      RunControlState run = known.get(before.run());
      Optional<RunnerConnection> runner = unsentTo(before);
      if (run == null
          || !run.wants(before.epoch())
          || run.startedEpoch() >= before.epoch()
          || runner.isEmpty()) {
        outcomes.put(before.run(), Outcome.DONE);
      } else if (attachments.takeSlot(runner.get())) {
        placed.add(new Placement.Slot(run, runner.get()));
      } else {
        outcomes.put(before.run(), Outcome.NO_SLOT);
      }
    }
    settle(placed, outcomes);
  }

  /** Returns the runner chosen for the run, if it is attached here without the run. */
  private Optional<RunnerConnection> unsentTo(RunControlState run) {
    return Optional.ofNullable(run.runner())
        .flatMap(attachments::runner)
        .filter(runner -> !attachments.carries(runner, run.run()));
  }

  private void giveBack(List<Placement> placed) {
    for (Placement placement : placed) {
      switch (placement) {
        case Placement.Slot(_, RunnerConnection runner) -> attachments.giveBack(runner);
        case Placement.Own(_, _, LaunchPermit permit) -> permit.ended();
      }
    }
  }

  /**
   * Stores assignments. Locks the runs in the order of their ids, as the projection updates them:
   * two statements that lock the same rows in different orders end with a deadlock, which Postgres
   * detects only after a second.
   */
  static final String ASSIGN =
      """
      WITH v AS MATERIALIZED (
        SELECT id, epoch, runner FROM json_to_recordset($1::text::json) AS t (id text, epoch int, runner text)),
      locked AS MATERIALIZED (
        SELECT r.id FROM orchestrator.run r WHERE r.id IN (SELECT id FROM v) ORDER BY r.id FOR NO KEY UPDATE OF r),
      given AS (
        UPDATE orchestrator.run r SET runner_id = v.runner, assigned_at = now(),
          awaits_launcher = NULL, awaits_pool = NULL, awaits_limit = NULL, awaits_epoch = NULL, awaits_since = NULL
        FROM v JOIN locked ON locked.id = v.id
        WHERE r.id = v.id AND r.epoch = v.epoch AND r.desired = 'running' RETURNING r.id),
      warm AS (
        UPDATE orchestrator.runner w SET run = v.id, epoch = v.epoch FROM v JOIN given ON given.id = v.id
        WHERE w.id = v.runner AND w.mode = 'warm')
      SELECT id FROM given""";

  /** Stores the assignments; returns the runs that still need a runner. */
  private Set<String> record(List<Placement> placed) {
    var rows = Json.mapper().createArrayNode();
    for (Placement placement : placed) {
      rows.addObject()
          .put("id", placement.run().run())
          .put("epoch", placement.run().epoch())
          .put(
              "runner",
              switch (placement) {
                case Placement.Slot(_, RunnerConnection runner) -> runner.runner();
                case Placement.Own(_, String runner, _) -> runner;
              });
    }
    Set<String> recorded = new HashSet<>();
    on(pool.preparedQuery(ASSIGN).execute(Tuple.of(rows.toString())))
        .forEach(row -> recorded.add(row.getString("id")));
    return recorded;
  }

  private void carryOut(List<Placement> placed, Map<String, Outcome> outcomes) {
    Map<String, Future<Outcome>> starting = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Placement placement : placed) {
        switch (placement) {
          case Placement.Slot(RunControlState run, RunnerConnection runner) ->
              outcomes.put(run.run(), send(run, runner));
          case Placement.Own(RunControlState run, String runner, LaunchPermit permit) ->
              starting.put(run.run(), threads.submit(() -> start(run, runner, permit)));
        }
      }
      starting.forEach((run, outcome) -> outcomes.put(run, result(run, outcome)));
    }
  }

  private Outcome send(RunControlState run, RunnerConnection runner) {
    try {
      // If the stream has ended, the runner receives it at its next attach, or the run is lost with
      // it.
      boolean sent = attachments.assign(runner, on(assignments.assign(run)));
      if (!sent) {
        LOG.infof("run %s: runner %s detached before the assignment", run.run(), runner.runner());
      }
      if (WarmRunnerPool.isName(runner.runner())) {
        warm.gave(runner.runner());
        if (!sent) {
          // Its exit may have been published before it was chosen.
          gone.lostByRunner(run.run(), run.epoch(), runner.runner());
        }
      }
      return Outcome.DONE;
    } catch (RuntimeException e) {
      attachments.giveBack(runner);
      LOG.warnf("run %s: assignment failed, retrying: %s", run.run(), e);
      return Outcome.FAILED;
    }
  }

  private Outcome start(RunControlState run, String runner, LaunchPermit permit) {
    warm.startedCold();
    try {
      return switch (isolated.start(run, runner, permit)) {
        case IsolatedRunnerLauncher.Result.Started() -> Outcome.DONE;
        case IsolatedRunnerLauncher.Result.Failed(RunnerPlace place, LaunchRefusal reason) -> {
          show(
              Map.of(
                  new Target(run.run(), run.epoch()),
                  LauncherCapacityLimiter.Result.Full.of(place, reason)));
          yield Outcome.FAILED;
        }
        case IsolatedRunnerLauncher.Result.Refused(RunnerPlace place, LaunchRefusal refusal) -> {
          // If this fails, the launch is repeated in the same place.
          waits.refused(
              new Target(run.run(), run.epoch()),
              runner,
              LauncherCapacityLimiter.Result.Full.of(place, refusal));
          yield Outcome.NO_START;
        }
      };
    } catch (RuntimeException e) {
      permit.ended();
      throw e;
    }
  }

  private static Outcome result(String run, Future<Outcome> outcome) {
    try {
      return outcome.get();
    } catch (ExecutionException e) {
      LOG.errorf(e.getCause(), "run %s: cannot start its runner", run);
      return Outcome.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.FAILED;
    }
  }

  private static <T> T on(Uni<T> uni) {
    return uni.await().atMost(SQL);
  }
}
