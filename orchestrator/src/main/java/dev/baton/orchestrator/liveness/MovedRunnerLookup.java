/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

/**
 * Finds runs that are silent in their heartbeat partition because their heartbeats continue in
 * another one: a program that leaves the choice to its Kafka client moves when the topic grows.
 */
interface MovedRunnerLookup {
  /** The state of a lookup. */
  enum Result {
    /** Not known yet; repeat the query. */
    PENDING,
    /** There is a newer heartbeat in another partition. */
    MOVED,
    /** There is none. */
    STAYED
  }

  /**
   * A run that is silent in its partition.
   *
   * @param epoch of its last heartbeat there
   * @param newerThan the time of that heartbeat on the log, or of an earlier lookup, in
   *     milliseconds
   * @param attested whether only heartbeats with a lease count
   */
  record Query(int partition, String run, int epoch, long newerThan, boolean attested) {}

  /**
   * Searches for a newer heartbeat of the epoch, or one of a later epoch. Does not block. A result
   * is returned once; it is discarded if it is not requested within ten seconds.
   *
   * @param since when the epoch was first noticed in its partition, in milliseconds on the
   *     topology's clock; 0 if unknown
   */
  Result look(Query query, long since);
}
