/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** How many branches of a parallel have to end well for the parallel to end. Stateless. */
public sealed interface JoinPolicy {
  /** The first branch that fails fails the parallel. */
  record All() implements JoinPolicy {}

  /**
   * The first so many; the others are stopped then.
   *
   * @param count 1 or more
   */
  record First(int count) implements JoinPolicy {}

  JoinPolicy ALL = new All();

  /**
   * @param branches how many there are
   */
  default int wanted(int branches) {
    return switch (this) {
      case All _ -> branches;
      case First(int count) -> count;
    };
  }
}
