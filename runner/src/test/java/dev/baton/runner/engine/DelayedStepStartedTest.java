/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.journal.RunJournal;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.secrets.TraceEventMasker;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class DelayedStepStartedTest {
  private static final TraceEvent.StepStarted BEGAN =
      new TraceEvent.StepStarted("slow", "http", 1, 1);

  @Test
  void shouldGoOnAfterAProducerThatIsClosed() throws Exception {
    Counting closed = new Counting();
    closed.close();
    Counting open = new Counting();
    try (DelayedStepStarted announcements = new DelayedStepStarted();
        DelayedStepStarted.PendingEvent lost = announcements.hold(journal(closed), BEGAN)) {
      assertThat(closed.sent.await(60, TimeUnit.SECONDS)).isTrue();

      try (DelayedStepStarted.PendingEvent held = announcements.hold(journal(open), BEGAN)) {
        assertThat(open.sent.await(60, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static RunJournal journal(MockProducer<String, byte[]> producer) {
    return new RunJournal(
        RunId.next(),
        1,
        OptionalInt.empty(),
        "runner-1",
        "",
        producer,
        new TraceEventMasker(new SecretMasker()),
        new EventSpoolSettings(Path.of("nowhere"), 1),
        event -> {},
        failure -> {});
  }

  private static final class Counting extends MockProducer<String, byte[]> {
    final CountDownLatch sent = new CountDownLatch(1);

    Counting() {
      super(true, null, new StringSerializer(), new ByteArraySerializer());
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, byte[]> record, Callback callback) {
      sent.countDown();
      return super.send(record, callback);
    }
  }
}
