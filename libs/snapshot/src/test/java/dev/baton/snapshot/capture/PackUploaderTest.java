/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests when packs are uploaded. */
class PackUploaderTest {
  private static final int MB = 1 << 20;

  private final ScratchDirectory scratch;
  private final InMemoryPackStore store = new InMemoryPackStore();

  PackUploaderTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  /** The upload runs in parallel to the encoding of directories, whose pack is the second. */
  @Test
  void shouldSendALargePackOnceAllFilesAreRead() throws Exception {
    List<Long> sizes = sizesOfPacks(9 * MB);

    assertThat(sizes).hasSize(2);
    assertThat(sizes.getFirst()).isLessThan(MB);
    assertThat(sizes.getLast()).isGreaterThan(9L * MB);
  }

  @Test
  void shouldNotMakeTwoSmallPacksOfOne() throws Exception {
    assertThat(sizesOfPacks(7 * MB)).hasSize(1);
  }

  private List<Long> sizesOfPacks(int bytes) throws IOException, InterruptedException {
    Path source = Files.createDirectories(scratch.resolve("source/in/directories"));
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    Files.write(source.resolve("incompressible"), content);

    CapturedTree captured =
        new TreeCapturer(ExcludePolicy.none(), ChunkSizes.STANDARD)
            .capture(scratch.resolve("source"), store);

    assertThat(captured.snapshot().packs()).hasSameElementsAs(store.packs());
    return store.packs().stream().map(PackRef::size).sorted().toList();
  }
}
