/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class GatewayTest {
  private static final Duration BOUND = Duration.ofSeconds(30);

  @Inject OrchestratorTestEnvironment bed;
  @Inject RunnerRegistry attachments;

  @Test
  void shouldDetachARunnerWhoseConnectionHasClosedWithoutAWord() throws Exception {
    try (Cable cable = new Cable(bed.port());
        ScriptedRunner runner = new ScriptedRunner(cable.port(), "cut-off", 1)) {
      until("it is attached", () -> attachments.runner(runner.id()).isPresent());

      cable.cut();

      until("it is detached", () -> attachments.runner(runner.id()).isEmpty());
    }
  }

  @Test
  void shouldRefuseARunnerWithMoreSlotsThanAnyHas() throws Exception {
    try (ScriptedRunner greedy = new ScriptedRunner(bed.port(), "greedy", Integer.MAX_VALUE)) {
      assertThat(greedy.awaitRefusal().getDescription()).contains("slots of 1 to 10000");
    }
    assertThat(attachments.runner("greedy")).isEmpty();
  }

  private static void until(String what, BooleanSupplier holds) throws InterruptedException {
    long end = System.nanoTime() + BOUND.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /**
   * A TCP connection to a port that the test can close; the other end sees the same as after a
   * process death.
   */
  private static final class Cable implements AutoCloseable {
    private final ServerSocket entry = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Socket exit;

    Cable(int port) throws IOException {
      exit = new Socket(InetAddress.getLoopbackAddress(), port);
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  Socket client = entry.accept();
                  Thread.ofVirtual().start(() -> pump(client, exit));
                  pump(exit, client);
                } catch (IOException closed) {
                  // No client connected.
                }
              });
    }

    /** Copies bytes; closes both ends when one is closed. */
    private static void pump(Socket from, Socket to) {
      try (from;
          to) {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException closed) {
        // Closed.
      }
    }

    int port() {
      return entry.getLocalPort();
    }

    void cut() throws IOException {
      exit.close();
    }

    @Override
    public void close() throws IOException {
      exit.close();
      entry.close();
    }
  }
}
