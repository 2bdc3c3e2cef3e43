/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManagedProcessTest {

  private static final Backoff QUICK =
      new Backoff(
          Duration.ofMillis(1),
          Duration.ofMillis(2),
          3,
          Duration.ofMillis(50),
          Duration.ofSeconds(30));

  @TempDir Path folder;

  private final BlockingQueue<ProcessEvent> events = new LinkedBlockingQueue<>();
  private ManagedProcess process;

  @BeforeEach
  void name() {
    process = new ManagedProcess(spec(), true, QUICK, events::add);
  }

  @AfterEach
  void stop() throws Exception {
    process.retire();
    assertThat(process.id()).isEmpty();
  }

  @Test
  void shouldTryAgainNowAndThenWhatKeepsFailingUntilItComesUp() throws Exception {
    process.start();
    Path broken = Files.createFile(folder.resolve("broken"));

    process.kill();

    var failing = await(ProcessEvent.KeepsFailing.class);
    assertThat(failing.attempts()).isEqualTo(3);
    assertThat(failing.pause()).isEqualTo(Duration.ofMillis(50));
    assertThat(await(ProcessEvent.KeepsFailing.class).attempts()).isEqualTo(4);
    Files.delete(broken);
    assertThat(await(ProcessEvent.Ready.class).restarts()).isOne();
    assertThat(process.isReady()).isTrue();
  }

  @Test
  void shouldKillWhatDoesNotEndWhenAsked() throws Exception {
    Files.createFile(folder.resolve("deaf"));
    process.start();
    events.clear();

    process.stop();

    assertThat(process.id()).isEmpty();
    assertThat(events).containsExactly(new ProcessEvent.Stopped("sh"));
  }

  private <E extends ProcessEvent> E await(Class<E> type) throws InterruptedException {
    while (true) {
      ProcessEvent event = events.poll(20, TimeUnit.SECONDS);
      assertThat(event).as("before a " + type.getSimpleName()).isNotNull();
      if (type.isInstance(event)) {
        return type.cast(event);
      }
    }
  }

  private ProcessSpec spec() {
    String script =
        "[ ! -e broken ] || exit 3; [ ! -e deaf ] || trap '' TERM; echo ready 1; "
            + "while :; do sleep 0.05; done";
    return new ProcessSpec(
        "sh",
        () -> List.of("sh", "-c", script),
        Map.of(),
        folder,
        folder.resolve("sh.log"),
        new Readiness.LogLine(Pattern.compile("^ready 1$")),
        Duration.ofSeconds(20),
        StopSignal.TERM,
        Duration.ofMillis(300));
  }
}
