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
import dev.baton.snapshot.Pack;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.PackSource;
import dev.baton.snapshot.PackStore;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Captures a million entries with a heap of 512 MB, in a process of its own. */
class LargeTreeTest {
  private static final int MILLION = 1_000_000;
  private static final Duration END = Duration.ofMinutes(15);

  /** A repository or a cache may have such a folder; the target needs no block on a disk. */
  @Test
  @Tag("full")
  void shouldCaptureListAndRestoreAMillionEntriesInOneFolder() throws Exception {
    measureInAProcess("flat");
  }

  @Test
  @EnabledIfSystemProperty(named = "baton.million", matches = "true")
  void shouldCaptureAMillionFilesInHalfAGigabyte() throws Exception {
    measureInAProcess("100");
  }

  private static void measureInAProcess(String size) throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      String classPath = System.getProperty("java.class.path");
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx512m",
                  "-XX:+UseSerialGC",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  classPath,
                  LargeTreeTest.class.getName() + "$Main",
                  scratch.path.toString(),
                  Integer.toString(MILLION),
                  size)
              .inheritIO()
              .start();
      try {
        assertThat(process.waitFor(END.toSeconds(), TimeUnit.SECONDS)).as("ends in time").isTrue();
        assertThat(process.exitValue()).isZero();
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
  }

  /**
   * Creates a tree if it does not exist, captures it, changes it, restores it, and prints the
   * costs.
   */
  static final class Main {
    private static final int IN_ONE = 50;

    private Main() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      Path work = Path.of(arguments[0]);
      int files = Integer.parseInt(arguments[1]);
      if (arguments[2].equals("flat")) {
        flat(work, files);
        return;
      }
      int size = Integer.parseInt(arguments[2]);
      Path source = work.resolve("source");
      if (!Files.exists(source)) {
        make(source, files, size);
      }
      PacksInFiles store = new PacksInFiles(Files.createDirectories(work.resolve("packs")));
      TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());
      measure("first", () -> tree.capture(source, store));
      measure("unchanged", () -> tree.capture(source, store));
      measure("unchanged", () -> tree.capture(source, store));
      for (int changed : List.of(10, 10, files / 100)) {
        change(source, files, changed);
        measure(changed + " changed", () -> tree.capture(source, store));
      }
      CapturedTree last = measure("unchanged", () -> tree.capture(source, store));
      Path target = work.resolve("target");
      measure(
          "restore",
          () -> {
            TreeSnapshotter other = new TreeSnapshotter(ExcludePolicy.none());
            other.restore(last.snapshot(), store, target, RestoreOptions.defaults());
            CapturedTree again = other.capture(target, store);
            if (!again.snapshot().root().equals(last.snapshot().root())) {
              throw new IOException("another tree was restored");
            }
            return again;
          });
    }

    /** Empty files, so that a million of them needs no space but their names. */
    private static void flat(Path work, int files) throws IOException, InterruptedException {
      Path source = Files.createDirectories(work.resolve("source"));
      for (int i = 0; i < files; i++) {
        Files.createFile(source.resolve("entry-" + i));
      }
      PacksInFiles store = new PacksInFiles(Files.createDirectories(work.resolve("packs")));
      TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());
      CapturedTree first = measure("first", () -> tree.capture(source, store));
      CapturedTree again = measure("unchanged", () -> tree.capture(source, store));
      require(first.snapshot().fileCount() == files, "all files are captured");
      require(first.skipped().isEmpty(), "nothing is skipped");
      require(again.snapshot().root().equals(first.snapshot().root()), "the same tree");
      require(tree.list(source).entries().size() == files + 1, "all entries are listed");
      Path target = work.resolve("target");
      measure(
          "restore",
          () -> {
            TreeSnapshotter other = new TreeSnapshotter(ExcludePolicy.none());
            other.restore(first.snapshot(), store, target, RestoreOptions.defaults());
            CapturedTree restored = other.capture(target, store);
            require(
                restored.snapshot().root().equals(first.snapshot().root()), "the same is restored");
            return restored;
          });
    }

    private static void require(boolean holds, String what) throws IOException {
      if (!holds) {
        throw new IOException("does not hold: " + what);
      }
    }

    private static Path file(Path source, int i) {
      int directory = i / IN_ONE;
      return source.resolve("d" + directory / 100).resolve("e" + directory % 100).resolve("f" + i);
    }

    private static void make(Path source, int files, int size) throws IOException {
      Random random = new Random(1);
      for (int i = 0; i < files; i++) {
        Path file = file(source, i);
        if (i % IN_ONE == 0) {
          Files.createDirectories(file.getParent());
        }
        byte[] content = new byte[random.nextInt(2 * size) + 8];
        // Half of it is compressible.
        for (int at = 0; at < content.length; at += 64) {
          byte[] part = new byte[Math.min(32, content.length - at)];
          random.nextBytes(part);
          System.arraycopy(part, 0, content, at, part.length);
        }
        try (OutputStream out = Files.newOutputStream(file)) {
          out.write(content);
        }
      }
    }

    private static void change(Path source, int files, int count) throws IOException {
      Random random = new Random(count);
      for (int i = 0; i < count; i++) {
        Files.writeString(file(source, random.nextInt(files)), "changed " + random.nextLong());
      }
    }

    @FunctionalInterface
    private interface Work {
      CapturedTree run() throws IOException, InterruptedException;
    }

    private static CapturedTree measure(String what, Work work)
        throws IOException, InterruptedException {
      var system =
          (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      long cpu = system.getProcessCpuTime();
      long began = System.nanoTime();
      CapturedTree captured = work.run();
      String memory =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("VmHWM"))
              .findFirst()
              .orElse("");
      System.out.printf(
          "%-16s %6.2f s, %6.2f s of processors, %d files read, %d bytes stored, %d packs, %s%n",
          what,
          (System.nanoTime() - began) / 1e9,
          (system.getProcessCpuTime() - cpu) / 1e9,
          captured.changedFiles(),
          captured.storedBytes(),
          captured.snapshot().packs().size(),
          memory);
      return captured;
    }
  }

  /** Stores packs in files; finds no chunks. */
  private record PacksInFiles(Path directory) implements PackStore, PackSource {
    @Override
    public Map<Hash, PackRef> find(Collection<Hash> chunks) {
      return Map.of();
    }

    @Override
    public void put(Pack pack) throws IOException {
      try (OutputStream out = Files.newOutputStream(directory.resolve(pack.ref().id().hex()))) {
        out.write(pack.bytes(), 0, pack.length());
      }
    }

    @Override
    public void read(PackRef pack, long offset, byte[] into, int length) throws IOException {
      try (RandomAccessFile file =
          new RandomAccessFile(directory.resolve(pack.id().hex()).toFile(), "r")) {
        file.seek(offset);
        file.readFully(into, 0, length);
      }
    }
  }
}
