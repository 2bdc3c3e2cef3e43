/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.io.IOException;

/** Resolves references of keys. Implementations are thread-safe. */
public interface KeyResolver {
  /**
   * @param reference as in the configuration, for example {@code env:ANTHROPIC_API_KEY}
   * @return the key, which the gateway never logs
   * @throws IOException when it cannot be resolved; the message has the reference and not the key
   */
  String resolve(String reference) throws IOException;
}
