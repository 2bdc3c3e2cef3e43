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

/** Fetches the values of outputs when an expression looks at them. Thread-safe; may block. */
public interface OutputLoader {
  /**
   * Returns the value, which is not to be changed.
   *
   * @throws OutputUnavailableException when it cannot be fetched within the loader's patience, or
   *     the thread is interrupted
   */
  JsonNode load(Output output);

  /** Fetches several values at once that will be asked for next; may fetch none of them. */
  void prefetch(List<Output> outputs);
}
