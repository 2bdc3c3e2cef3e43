/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.protocol.trace.TraceCodec;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Reads from the record of a CloudEvent what its signature covers. */
public final class SignedRecordReader {
  private SignedRecordReader() {}

  /** Returns the event; an attribute that the record does not have is empty. */
  public static SignedEvent event(Headers headers, byte @Nullable [] value) {
    return new SignedEvent(
        attribute(headers, "id"), attribute(headers, "type"), value == null ? new byte[0] : value);
  }

  private static String attribute(Headers headers, String name) {
    String value = TraceCodec.attribute(headers, name);
    return value == null ? "" : value;
  }
}
