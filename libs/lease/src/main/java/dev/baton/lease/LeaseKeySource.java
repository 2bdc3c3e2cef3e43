/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import io.smallrye.mutiny.Uni;
import java.util.Map;

/**
 * Supplies the public keys that are valid now, by kid. Implementations are thread-safe and bound
 * the time and the number of concurrent fetches.
 */
public interface LeaseKeySource {
  /**
   * Returns the keys to start with: those of the last successful fetch if the source is remote,
   * else the current ones. Needs no other service than the database.
   */
  Uni<Map<String, LeaseKey>> initial();

  /**
   * Returns the keys that are valid at a time after the call. Fails if the source does not answer.
   */
  Uni<Map<String, LeaseKey>> fetch();

  /**
   * Whether the source may be unavailable while its reader works. If so, known keys are refreshed
   * in the background, and a key that was just not found is not fetched again at once.
   */
  boolean isRemote();
}
