/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.github.luben.zstd.Zstd;
import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.ScratchFolder;
import dev.baton.snapshot.RestoreLimits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The tar of a workspace, compressed, and the same bytes without compression. */
public final class ImportFuzzer {
  private static final RestoreLimits LIMITS = new RestoreLimits(1 << 20, 100);

  private ImportFuzzer() {}

  public static void tar(byte[] input) throws IOException {
    unpack(Zstd.compress(input));
    unpack(input);
  }

  private static void unpack(byte[] archive) throws IOException {
    Path around = ScratchFolder.empty("import");
    Path into = Files.createDirectory(around.resolve("into"));
    try {
      TarUnpacker.unpack(new ByteArrayInputStream(archive), into, LIMITS);
    } catch (IOException rejected) {
      // Names the entry.
    }
    try (Stream<Path> outside = Files.list(around)) {
      FuzzAssert.same(1L, outside.count());
    }
  }
}
