/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

/** How a start uses its AOT cache. */
public enum AotMode {
  /** Uses the cache if one exists for exactly these jars and flags. */
  USE,
  /** Records this run and writes the cache on a clean exit, which takes some seconds longer. */
  TRAIN,
  /** Neither uses nor records a cache. */
  OFF
}
