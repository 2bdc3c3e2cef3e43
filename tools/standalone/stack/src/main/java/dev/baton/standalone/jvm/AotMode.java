/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

/** What a start does with its AOT cache. */
public enum AotMode {
  /** Uses the cache when there is one for exactly these jars and flags. */
  USE,
  /**
   * Records this run and writes the cache when it ends in good order; that end takes some seconds
   * longer.
   */
  TRAIN,
  /** Neither. */
  OFF
}
