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
   * @param random selects the run, the number of records and their order
   * @return description of the records sent; empty when there were none to send
   * @throws IOException when the broker did not accept them
   */
  String resend(Random random) throws IOException, InterruptedException;
}
