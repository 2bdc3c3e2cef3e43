/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Follows the session file of an agent. For one thread at a time, but for {@link #await} and {@link
 * #close}.
 */
public interface SessionFileFollower extends AutoCloseable {
  /**
   * Waits for the next change, one second at most.
   *
   * @return false when it is closed
   */
  boolean await();

  /** Passes the rows that are new and whole. */
  void read(Consumer<JsonNode> rows) throws IOException;

  @Override
  void close() throws IOException;
}
