/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.process.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataLockTest {

  @TempDir Path data;

  @Test
  void shouldBeHeldOnceAndBeFreeAgainAfterwards() throws Exception {
    DataLock first = DataLock.take(data).orElseThrow();
    assertThat(DataLock.take(data)).isEmpty();
    first.close();
    first.close();
    try (DataLock second = DataLock.take(data).orElseThrow()) {
      assertThat(DataLock.take(data)).isEmpty();
    }
  }

  @Test
  void shouldKeepTheSystemsLockWhenTheSameProcessAsksAgain() throws Exception {
    try (DataLock held = DataLock.take(data).orElseThrow()) {
      assertThat(systemKnowsLock()).isTrue();

      assertThat(DataLock.take(data.resolve("."))).isEmpty();
      assertThat(DataLock.lastHolder(data)).isPresent();

      assertThat(systemKnowsLock()).isTrue();
    }
    assertThat(systemKnowsLock()).isFalse();
  }

  @Test
  void shouldSayWhoHeldItLast() throws Exception {
    assertThat(DataLock.lastHolder(data)).isEmpty();
    DataLock.take(data).orElseThrow().close();
    assertThat(DataLock.lastHolder(data))
        .isEqualTo(ProcessIdentity.of(ProcessHandle.current().pid()))
        .isPresent();
  }

  private boolean systemKnowsLock() throws IOException {
    String inode = ":" + Files.getAttribute(data.resolve("stack.lock"), "unix:ino") + " ";
    String pid = " " + ProcessHandle.current().pid() + " ";
    return Files.readString(Path.of("/proc/locks"))
        .lines()
        .anyMatch(line -> line.contains(inode) && line.contains(pid));
  }
}
