/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An orchestrator in memory, whose runs the test changes. Thread-safe. */
final class InMemoryOrchestrator implements OrchestratorClient {
  private final Map<String, String> pools = new java.util.concurrent.ConcurrentHashMap<>();
  private final Map<String, ResourceKey> poolKeys = new java.util.concurrent.ConcurrentHashMap<>();
  private volatile @Nullable RunnerPoolReport pool =
      new RunnerPoolReport(0, 0, 0, 0, "s", null, null);
  private volatile @Nullable String poolRefusal;

  private final List<String> definitions = new CopyOnWriteArrayList<>();
  private final Map<String, RunReport> runs = new HashMap<>();
  private final Map<String, RunDeletionPolicy> policies = new HashMap<>();
  private final List<String> released = new ArrayList<>();
  private final List<Consumer<RunReport>> followers = new CopyOnWriteArrayList<>();
  private volatile @Nullable String rejection;

  List<String> definitions() {
    return List.copyOf(definitions);
  }

  void rejectDefinitions(String message) {
    rejection = message;
  }

  /** Changes a run and reports it. */
  void report(RunReport report) {
    synchronized (this) {
      runs.put(report.resource().uid(), report);
    }
    followers.forEach(follower -> follower.accept(report));
  }

  synchronized Optional<RunReport> runOf(String resource, Predicate<RunReport> wanted) {
    return runs.values().stream()
        .filter(run -> run.resource().name().equals(resource))
        .filter(wanted)
        .findFirst();
  }

  synchronized int starts() {
    return runs.size();
  }

  static RunReport with(RunReport run, String status, boolean ended) {
    return new RunReport(
        run.resource(),
        run.run(),
        status,
        ended,
        1,
        ended ? null : "a",
        1,
        null,
        ended ? null : new RunReport.Runner("runner", "host", null, null),
        null,
        java.time.Instant.EPOCH,
        ended ? java.time.Instant.EPOCH : null,
        null,
        run.onDelete());
  }

  @Override
  public StoredWorkflow store(byte[] json) throws RejectedException {
    String message = rejection;
    if (message != null) {
      throw new RejectedException("InvalidWorkflow", message);
    }
    definitions.add(new String(json, StandardCharsets.UTF_8));
    return new StoredWorkflow("hello", "hash" + definitions.size());
  }

  @Override
  public synchronized RunReport start(RunStart start) {
    policies.putIfAbsent(start.resource().uid(), start.onDelete());
    return runs.computeIfAbsent(
        start.resource().uid(),
        uid ->
            new RunReport(
                start.resource(),
                "run-" + runs.size(),
                "pending",
                false,
                1,
                null,
                0,
                null,
                null,
                null,
                null,
                null,
                null,
                start.onDelete()));
  }

  @Override
  public synchronized Optional<RunReport> read(String uid) {
    return Optional.ofNullable(runs.get(uid));
  }

  @Override
  public void apply(String run, RunOperatingMode mode) throws RejectedException {
    RunReport found;
    synchronized (this) {
      found =
          runs.values().stream().filter(known -> known.run().equals(run)).findFirst().orElseThrow();
    }
    if (found.ended()) {
      throw new RejectedException("Conflict", "run " + run + " has ended");
    }
    report(
        switch (mode) {
          case RUNNING -> with(found, "running", false);
          case PAUSED -> with(found, "paused", false);
          case CANCELLED -> with(found, "cancelled", true);
        });
  }

  @Override
  public synchronized void keepDeletionPolicy(String uid, RunDeletionPolicy policy) {
    policies.computeIfPresent(uid, (known, before) -> policy);
  }

  @Override
  public void endDeleted(String uid) {
    RunReport run;
    synchronized (this) {
      run = runs.get(uid);
      if (run == null || released.contains(uid)) {
        return;
      }
      released.add(uid);
      if (policies.get(uid) == RunDeletionPolicy.ORPHAN || run.ended()) {
        return;
      }
    }
    report(with(run, "cancelled", true));
  }

  @Override
  public synchronized List<OwnedRun> owned(Collection<String> namespaces) {
    return runs.values().stream()
        .filter(run -> namespaces.contains(run.resource().namespace()))
        .filter(run -> !released.contains(run.resource().uid()))
        .map(run -> new OwnedRun(run.resource(), run.run()))
        .toList();
  }

  /** Reports this pool as accepted; a message rejects it instead. */
  void pool(@Nullable RunnerPoolReport report, @Nullable String refusal) {
    pool = report;
    poolRefusal = refusal;
  }

  Map<String, String> pools() {
    return Map.copyOf(pools);
  }

  @Override
  public RunnerPoolReport putPool(ResourceKey resource, String cluster, String spec)
      throws RejectedException {
    String message = poolRefusal;
    if (message != null) {
      throw new RejectedException("InvalidInput", message);
    }
    poolKeys.put(resource.uid(), resource);
    pools.put(resource.uid(), spec);
    return Objects.requireNonNull(pool);
  }

  @Override
  public Optional<RunnerPoolReport> readPool(String uid) {
    return pools.containsKey(uid) ? Optional.ofNullable(pool) : Optional.empty();
  }

  @Override
  public void removePool(String uid) {
    pools.remove(uid);
    poolKeys.remove(uid);
  }

  @Override
  public List<ResourceKey> ownedPools(Collection<String> namespaces) {
    return poolKeys.values().stream()
        .filter(found -> namespaces.contains(found.namespace()))
        .toList();
  }

  @Override
  public Subscription follow(Collection<String> namespaces, Consumer<RunReport> changed) {
    followers.add(changed);
    return () -> followers.remove(changed);
  }
}
