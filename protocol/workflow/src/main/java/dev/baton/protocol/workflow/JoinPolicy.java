/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** How many branches of a parallel step must succeed for it to complete. Stateless. */
public sealed interface JoinPolicy {
  /** All branches; the first one that fails fails the parallel step. */
  record All() implements JoinPolicy {}

  /**
   * The first {@code count} branches to succeed; the others are then stopped.
   *
   * @param count 1 or more
   */
  record First(int count) implements JoinPolicy {}

  JoinPolicy ALL = new All();

  /**
   * Returns the number of branches that must succeed.
   *
   * @param branches total number of branches
   */
  default int wanted(int branches) {
    return switch (this) {
      case All _ -> branches;
      case First(int count) -> count;
    };
  }
}
