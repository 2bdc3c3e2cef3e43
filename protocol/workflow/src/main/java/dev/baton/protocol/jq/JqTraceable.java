/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/** A part of the machine that keeps values alive. */
interface JqTraceable {
  /** Adds all values that it references. */
  void trace(JqMemoryEstimator live);
}
