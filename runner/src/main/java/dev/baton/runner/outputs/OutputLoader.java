/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.Output;
import java.util.List;

/** Loads the values of outputs when an expression reads them. Thread-safe; may block. */
public interface OutputLoader {
  /**
   * Returns the value, which must not be changed.
   *
   * @throws OutputUnavailableException when it cannot be fetched within the loader's timeout, or
   *     the thread is interrupted
   */
  JsonNode load(Output output);

  /** Fetches several values at once that will be read next; may fetch none of them. */
  void prefetch(List<Output> outputs);
}
