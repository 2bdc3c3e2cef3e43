/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.initializers;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.ResolvableSerializer;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * Holds the locks with which Jackson creates readers and writers of types, in the class loader that
 * has loaded it.
 */
public final class JacksonLockHolder {
  private static CountDownLatch held = new CountDownLatch(0);
  private static CountDownLatch released = new CountDownLatch(0);

  private JacksonLockHolder() {}

  /**
   * Starts two threads that take both locks.
   *
   * @param both counted down twice, when both are held
   * @param until ends the threads
   */
  public static void hold(CountDownLatch both, CountDownLatch until) {
    held = both;
    released = until;
    Thread.ofPlatform().daemon().name("holds-readers").start(JacksonLockHolder::read);
    Thread.ofPlatform().daemon().name("holds-writers").start(() -> Json.bytes(new Written()));
  }

  private static void read() {
    Json.read(new byte[] {'1'}, Read.class);
  }

  private static void await() {
    held.countDown();
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Its reader is created under the lock of readers. */
  @JsonDeserialize(using = Reader.class)
  record Read() {}

  /** Its writer is resolved under the lock of writers. */
  @JsonSerialize(using = Writer.class)
  record Written() {}

  static final class Reader extends JsonDeserializer<Read> {
    Reader() {
      JacksonLockHolder.await();
    }

    @Override
    public Read deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      parser.skipChildren();
      return new Read();
    }
  }

  static final class Writer extends JsonSerializer<Written> implements ResolvableSerializer {
    @Override
    public void resolve(SerializerProvider provider) {
      JacksonLockHolder.await();
    }

    @Override
    public void serialize(Written value, JsonGenerator generator, SerializerProvider provider)
        throws IOException {
      generator.writeNull();
    }
  }
}
