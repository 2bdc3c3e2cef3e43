/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerLogFolderTest {
  @TempDir Path folder;

  @Test
  void shouldDeleteOldFilesAndThoseBeyondTheLimit() throws Exception {
    Instant now = Instant.now();
    RunnerLogFolder logs = new RunnerLogFolder(folder.resolve("logs"));
    assertThat(logs.clean()).as("without a folder").isZero();
    for (int i = 0; i < 4; i++) {
      logs.store("runner-" + i, "text".getBytes(UTF_8));
      Files.setLastModifiedTime(
          logs.of("runner-" + i), FileTime.from(now.minus(Duration.ofDays(3L * i))));
    }

    assertThat(logs.clean(now, 2)).isEqualTo(2);

    assertThat(logs.of("runner-0")).hasContent("text");
    assertThat(logs.of("runner-1")).exists();
    assertThat(logs.of("runner-2")).doesNotExist();
    assertThat(logs.of("runner-3")).doesNotExist();
  }
}
