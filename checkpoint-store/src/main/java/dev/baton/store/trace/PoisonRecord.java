/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that is not a valid trace event.
 *
 * @param reason one line that describes the error
 */
record PoisonRecord(ConsumerRecord<byte[], byte[]> record, String reason) {}
