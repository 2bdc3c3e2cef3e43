/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import java.time.Duration;
import java.util.List;

/** Receives the outcome of boundaries. Implementations are thread-safe and do not throw. */
public interface BoundaryListener {
  void reached(int number, Duration took);

  void failed(int number, String reason);

  void unreachable(List<String> openCalls);
}
