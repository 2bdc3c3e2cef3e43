/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.util.Random;

/** Delivers records of the trace again, in another order. */
public interface TraceRecordResender {
  /**
   * @param random decides which run's, how many and in which order
   * @return what was sent, for people; empty where there was nothing to send
   * @throws IOException when the log did not take them
   */
  String resend(Random random) throws IOException, InterruptedException;
}
