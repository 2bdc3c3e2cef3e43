/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.time.Instant;
import java.util.Map;

/** Creates the headers with which a foreign program writes an event to Kafka, in binary mode. */
public final class CloudEventHeaderFactory {
  private CloudEventHeaderFactory() {}

  /**
   * Returns the headers of an event of now.
   *
   * @param type without the prefix of Baton's types
   */
  public static Map<String, String> of(String run, String id, String source, String type) {
    return Map.of(
        "ce_specversion",
        "1.0",
        "ce_id",
        id,
        "ce_source",
        source,
        "ce_type",
        "dev.baton." + type,
        "ce_subject",
        run,
        "ce_time",
        Instant.now().toString(),
        "content-type",
        "application/json");
  }
}
