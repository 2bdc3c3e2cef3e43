/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What the operator needs of the orchestrator. Every method is idempotent, may block for up to 30
 * s, and throws {@link UnavailableException} when it has to be repeated. Thread-safe.
 */
public interface OrchestratorClient {
  /** A stored definition. */
  record StoredWorkflow(String name, String hash) {}

  /**
   * A run whose resource is not known to be deleted.
   *
   * @param resource for which it was started
   */
  record OwnedRun(ResourceKey resource, String run) {}

  /**
   * Stores a definition as the current version of its name.
   *
   * @param json the definition
   * @throws RejectedException when it has errors: the message contains the first five with their
   *     paths
   */
  StoredWorkflow store(byte[] json) throws RejectedException, UnavailableException;

  /**
   * Starts the run of a resource. A second call with the same uid starts nothing and returns the
   * same run.
   */
  RunReport start(RunStart start) throws RejectedException, UnavailableException;

  /** Returns the run of a resource; empty when there is none, or it was deleted. */
  Optional<RunReport> read(String uid) throws UnavailableException;

  /**
   * Pauses, resumes or cancels a run.
   *
   * @throws RejectedException when its status does not allow that
   */
  void apply(String run, RunOperatingMode mode) throws RejectedException, UnavailableException;

  /** Stores what a deletion of the resource will do. */
  void keepDeletionPolicy(String uid, RunDeletionPolicy policy) throws UnavailableException;

  /** Does what the stored policy requires of a run whose resource is deleted, and forgets it. */
  void endDeleted(String uid) throws UnavailableException;

  /** Returns the runs whose resources were in these namespaces and are not known to be deleted. */
  List<OwnedRun> owned(Collection<String> namespaces) throws UnavailableException;

  /**
   * Reports each change of a run of these namespaces, at most once a second for each run, until the
   * result is closed. The first reports contain all runs that have not ended.
   */
  Subscription follow(Collection<String> namespaces, Consumer<RunReport> changed);

  /**
   * Stores the pool of a RunnerPool and returns its state.
   *
   * @param cluster address of the resource's API server
   * @param spec JSON
   * @throws RejectedException when it has errors or is not possible; an earlier spec stays in
   *     effect
   */
  RunnerPoolReport putPool(ResourceKey pool, String cluster, String spec)
      throws RejectedException, UnavailableException;

  /** Returns the state of the pool of a RunnerPool; empty when no spec of it was accepted. */
  Optional<RunnerPoolReport> readPool(String uid) throws UnavailableException;

  /** Removes the pool of a deleted RunnerPool: its idle runners stop, its runs finish. */
  void removePool(String uid) throws UnavailableException;

  /** Returns the RunnerPools of these namespaces that are not known to be deleted. */
  List<ResourceKey> ownedPools(Collection<String> namespaces) throws UnavailableException;

  /** Ends when it is closed. */
  interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
