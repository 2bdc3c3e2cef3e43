/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/** Something of the machine that keeps values alive. */
interface JqTraceable {
  /** Adds everything that it refers to. */
  void trace(JqMemoryEstimator live);
}
