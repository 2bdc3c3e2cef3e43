/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.PacedSubscriber;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.subscription.MultiEmitter;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LogResponseWriterTest {
  private Thread reader = Thread.currentThread();

  @Test
  void shouldEvictACallerThatStalls() throws Exception {
    LogResponseWriter writer = new LogResponseWriter(Duration.ofMillis(1));
    Multi<Buffer> response =
        Multi.createFrom().<Buffer>emitter(out -> reader = writing(writer, out));
    PacedSubscriber<Buffer> caller = new PacedSubscriber<>();
    assertThat(writer.evictIfStalled()).isFalse();
    response.subscribe().withSubscriber(caller);

    while (!writer.evictIfStalled()) {
      Thread.onSpinWait();
    }
    reader.join();

    assertThat(writer.isStopped()).isTrue();
    caller.request(Long.MAX_VALUE);
    assertThat(caller.awaitEnd()).isInstanceOf(IOException.class);
  }

  private static Thread writing(LogResponseWriter writer, MultiEmitter<? super Buffer> out) {
    return Thread.ofVirtual()
        .start(
            () -> {
              LogLineView line = LogLineView.notice(1, 1, "x".repeat(64 << 10), null);
              try {
                while (!writer.isStopped()) {
                  writer.add(line, out);
                }
              } catch (InterruptedException e) {
                out.fail(e);
              }
            });
  }
}
