/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Finds the packs that only the newest checkpoint of a run needs. */
public interface NewestPackFinder {
  /**
   * @param random selects the run
   * @return digests of the packs as 64 hexadecimal digits; empty when no run under way has such a
   *     checkpoint
   * @throws IOException when the API did not answer
   */
  List<String> find(Random random) throws IOException, InterruptedException;
}
