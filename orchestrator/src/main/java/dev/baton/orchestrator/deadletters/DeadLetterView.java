/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter as the API shows it.
 *
 * @param topic from which the record was read, with its position there; partition and offset are -1
 *     for a record that another program wrote to the dead-letter topic
 * @param key null for none; at most {@value #MOST_KEY} characters
 * @param id attribute {@code ce_id}; null when the record has none, as type and source
 * @param time when the record was moved to the dead-letter topic, by the broker's clock
 * @param reason code of {@link dev.baton.protocol.topic.DeadLetterReason}
 * @param message one line: what is wrong with this record
 * @param hint one line: what its producer can do
 * @param value the first {@value #VALUE_BYTES} bytes, with replacement characters for invalid
 *     UTF-8; null for none
 * @param valueBytes size of the complete value in bytes
 */
@Schema(name = "DeadLetter")
public record DeadLetterView(
    String topic,
    int partition,
    long offset,
    @Nullable String key,
    @Nullable String id,
    @Nullable String type,
    @Nullable String source,
    Instant time,
    String reason,
    String message,
    String hint,
    @Nullable String value,
    long valueBytes) {
  static final int VALUE_BYTES = 512;
  static final int MOST_KEY = 256;
}
