/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.posix.OpenDirectory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WrittenChunkReaderTest {
  private static final byte[] CHUNK = "chunk".getBytes(StandardCharsets.UTF_8);

  @Test
  void shouldReadTheFileAndThePacksWhereThatCannotBe() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          "mkdir d; printf 1chunk > d/good; printf 1chunks > d/longer; printf 1chun > d/shorter;"
              + " printf 1other > d/changed; ln -s good d/link; mkfifo d/fifo; ln -s d e");
      try (OpenDirectory root = OpenDirectory.open(scratch.path)) {
        assertThat(fromPacks(root, "d", "good")).isZero();
        assertThat(fromPacks(root, "d", "longer")).isZero();
        assertThat(fromPacks(root, "d", "shorter")).isEqualTo(1);
        assertThat(fromPacks(root, "d", "changed")).isEqualTo(1);
        assertThat(fromPacks(root, "d", "link")).isEqualTo(1);
        assertThat(fromPacks(root, "d", "fifo")).isEqualTo(1);
        assertThat(fromPacks(root, "d", "absent")).isEqualTo(1);
        assertThat(fromPacks(root, "e", "good")).isEqualTo(1);
      }
    }
  }

  private static int fromPacks(OpenDirectory root, String directory, String name) throws Exception {
    AtomicInteger asked = new AtomicInteger();
    WrittenChunkReader writtenChunks =
        new WrittenChunkReader(
            root,
            chunk -> {
              asked.incrementAndGet();
              return CHUNK.clone();
            });

    byte[] read =
        writtenChunks.read(Hash.of(CHUNK), new WriteTask.InFile(directory, name, 1), CHUNK.length);

    assertThat(read).isEqualTo(CHUNK);
    return asked.get();
  }
}
