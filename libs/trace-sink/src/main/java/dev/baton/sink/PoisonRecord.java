/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that is not applied.
 *
 * @param reason one line that describes the error
 */
public record PoisonRecord(ConsumerRecord<byte[], byte[]> record, Kind kind, String reason) {

  /** Why the record is not applied. */
  public enum Kind {
    /** It is not a valid trace event. */
    MALFORMED,
    /** {@link BatchHandler#refusal} returned a reason. */
    REFUSED,
    /** The database permanently refuses it. */
    UNWRITABLE
  }
}
