/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import java.io.IOException;

/** The log in which answers are journaled. Implementations are thread-safe. */
public interface AnswerJournal {
  /**
   * Appends an answer, and returns when the log has acknowledged it. The agent does not see the end
   * of the answer before.
   *
   * @throws IOException when it cannot be acknowledged: the agent does not get the answer
   */
  void append(JournaledAnswer answer) throws IOException, InterruptedException;
}
