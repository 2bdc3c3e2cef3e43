/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.process.ProcessSignal;
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

  private static final RestartBackoff QUICK =
      new RestartBackoff(
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

    for (int attempt = 1; attempt <= 3; attempt++) {
      var failed = await(ProcessEvent.RestartFailed.class);
      assertThat(failed.attempt()).isEqualTo(attempt);
      assertThat(failed.reason()).endsWith("it is broken");
    }
    var failing = await(ProcessEvent.KeepsFailing.class);
    assertThat(failing.attempts()).isEqualTo(3);
    assertThat(failing.pause()).isEqualTo(Duration.ofMillis(50));
    for (int attempt = 4; attempt <= 6; attempt++) {
      // Published once, and then without the end of its log: the retries may continue for months.
      ProcessEvent event = next();
      // No event for a process that has already ended.
      assertThat(event instanceof ProcessEvent.Started ? next() : event)
          .isEqualTo(
              new ProcessEvent.RestartFailed(
                  "sh",
                  attempt,
                  "sh ended with code 3 before it was ready; its log is " + spec().log()));
    }
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
      ProcessEvent event = next();
      if (type.isInstance(event)) {
        return type.cast(event);
      }
    }
  }

  private ProcessEvent next() throws InterruptedException {
    ProcessEvent event = events.poll(20, TimeUnit.SECONDS);
    assertThat(event).as("an event within 20 s").isNotNull();
    return event;
  }

  private ProcessSpec spec() {
    String script =
        "[ ! -e broken ] || { echo it is broken; exit 3; }; [ ! -e deaf ] || trap '' TERM; echo ready 1; "
            + "while :; do sleep 0.05; done";
    return new ProcessSpec(
        "sh",
        () -> List.of("sh", "-c", script),
        Map.of(),
        folder,
        folder.resolve("sh.log"),
        new ReadinessProbe.LogLine(Pattern.compile("^ready 1$")),
        Duration.ofSeconds(20),
        ProcessSignal.TERM,
        Duration.ofMillis(300));
  }
}
