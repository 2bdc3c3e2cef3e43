/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A small separate disk for the spools of a stack's runners, so that only it is full. If this
 * process may not mount one, {@link #missing} returns the reason and the spools stay where they
 * are.
 */
public final class SpoolDisk implements AutoCloseable {
  private static final String SIZE = "256k";
  private static final int BLOCK = 4096;

  private final Path folder;
  private final String missing;
  private final ReentrantLock lock = new ReentrantLock();

  private SpoolDisk(Path folder, String missing) {
    this.folder = folder;
    this.missing = missing;
  }

  /** Mounts one for a stack that has started. */
  public static SpoolDisk mount(Path data) throws IOException, InterruptedException {
    Path folder =
        data.resolve(StackComponent.ORCHESTRATOR.label()).resolve("work").resolve("spool");
    Files.createDirectories(folder);
    String said =
        SystemCommandExecutor.run(
            "mount", "-t", "tmpfs", "-o", "size=" + SIZE, "baton-chaos", folder.toString());
    return new SpoolDisk(folder, said);
  }

  /** Returns why it cannot be filled; empty when it can. */
  String missing() {
    return missing;
  }

  ReentrantLock lock() {
    return lock;
  }

  /** Fills the disk to the last byte. */
  void fill() throws IOException {
    byte[] block = new byte[BLOCK];
    try (OutputStream out = Files.newOutputStream(ballast())) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      if (folder.toFile().getUsableSpace() >= BLOCK) {
        throw full;
      }
    }
  }

  void free() throws IOException {
    Files.deleteIfExists(ballast());
  }

  private Path ballast() {
    return folder.resolve("ballast");
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (missing.isEmpty()) {
      // Lazy unmount: processes keep their open files.
      String said = SystemCommandExecutor.run("umount", "-l", folder.toString());
      if (!said.isEmpty()) {
        throw new IOException(folder + " cannot be unmounted: " + said);
      }
    }
  }
}
