/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

class TreeDeleterTest {
  @TempDir Path work;

  @RepeatedTest(20)
  void shouldNotMindWhoElseDeletesTheSame() throws Exception {
    Path root = work.resolve("root");
    for (int i = 0; i < 100; i++) {
      Files.writeString(Files.createDirectories(root.resolve(i + "/inner")).resolve("file"), "x");
    }
    CyclicBarrier start = new CyclicBarrier(2);

    FutureTask<List<String>> other = new FutureTask<>(() -> delete(root, start));
    Thread.ofPlatform().start(other);
    List<String> problems = delete(root, start);

    assertThat(problems).isEmpty();
    assertThat(other.get(60, TimeUnit.SECONDS)).isEmpty();
    assertThat(root).doesNotExist();
  }

  private static List<String> delete(Path root, CyclicBarrier start) throws Exception {
    start.await(60, TimeUnit.SECONDS);
    return TreeDeleter.delete(root);
  }
}
