/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.BlockCompressor;
import dev.baton.snapshot.format.BlockReader;
import dev.baton.snapshot.format.BlockWriter;
import dev.baton.snapshot.format.Chunk;
import dev.baton.snapshot.format.CompressedBlock;
import dev.baton.snapshot.posix.ProcessCredentials;
import org.jboss.logging.Logger;

/**
 * Links the native code of captures and restores: system calls, then compression. Linking takes 50
 * to 100 ms once per process, and no AOT cache stores it.
 */
public final class NativeWarmup {
  private static final Logger LOG = Logger.getLogger(NativeWarmup.class);

  private NativeWarmup() {}

  /** Never fails; a concurrent capture or restore links the code itself. */
  public static void prepare() {
    try {
      link();
    } catch (SnapshotException | RuntimeException | LinkageError e) {
      LOG.warn(
          "native code of captures and restores: linking failed; captures and restores will fail, too",
          e);
    }
  }

  /** Compresses a block and reads it back. */
  static void link() throws SnapshotException {
    try (BlockCompressor compressor = new BlockCompressor();
        BlockReader reader = new BlockReader()) {
      ProcessCredentials.warmUp();
      BlockWriter writer = new BlockWriter(Chunk.Kind.DATA);
      writer.add(Chunk.of(Chunk.Kind.DATA, new byte[64], 0, 64));
      CompressedBlock block = compressor.compress(writer);
      reader.read(block.frame(), 0, block.frameLength(), new byte[64], block.rawLength());
    }
  }
}
