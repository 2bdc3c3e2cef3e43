/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.datatype.jsr310.deser.InstantDeserializer;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;

/**
 * Parses instants in the usual wire form without a formatter, and all others with Jackson's own
 * deserializer.
 */
final class InstantReader extends StdScalarDeserializer<Instant> {
  private static final long serialVersionUID = 1L;

  InstantReader() {
    super(Instant.class);
  }

  @Override
  public Instant deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    if (parser.hasToken(JsonToken.VALUE_STRING)) {
      OffsetDateTime time = WireTimeCodec.parseUtc(parser.getText());
      if (time != null) {
        return time.toInstant();
      }
    }
    return InstantDeserializer.INSTANT.deserialize(parser, context);
  }
}
