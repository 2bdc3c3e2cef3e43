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
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Captures trees that another thread changes at the same time. */
class BusyFilesTest {
  private final ScratchDirectory scratch;
  private final Path source;
  private final InMemoryPackStore store = new InMemoryPackStore();
  private final TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());
  private volatile boolean stop;

  BusyFilesTest() throws IOException {
    scratch = new ScratchDirectory();
    source = Files.createDirectory(scratch.resolve("source"));
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @FunctionalInterface
  private interface Work {
    void step(Random random) throws IOException;
  }

  @Test
  void shouldAlwaysMakeASnapshotThatIsWhatItSays() throws Exception {
    // given
    Files.createDirectories(source.resolve("stable"));
    for (int i = 0; i < 200; i++) {
      Files.writeString(source.resolve("stable").resolve("f" + i), "stable " + i);
    }
    Files.write(source.resolve("large"), new byte[6 << 20]);
    List<Work> works =
        List.of(this::write, this::append, this::replace, this::directories, this::links);
    AtomicReference<Throwable> failed = new AtomicReference<>();
    List<Thread> writers = new ArrayList<>();
    for (Work work : works) {
      writers.add(Thread.ofPlatform().start(() -> repeat(work, failed)));
    }
    try {
      for (int i = 0; i < 6; i++) {
        // when
        CapturedTree captured = tree.capture(source, store);

        // then
        new TreeSnapshotter(ExcludePolicy.none())
            .restore(
                captured.snapshot(), store, scratch.resolve("target"), RestoreOptions.defaults());
        assertThat(new TreeSnapshotter(ExcludePolicy.none()).digest(scratch.resolve("target")))
            .isEqualTo(captured.snapshot().root());
        assertThat(scratch.run("cat target/stable/* | sort | uniq | wc -l").strip()).isEqualTo("1");
        assertThat(captured.skipped())
            .extracting(SkippedEntry::reason)
            .isSubsetOf(SkippedEntry.Reason.VANISHED, SkippedEntry.Reason.CHANGED_WHILE_READ);
      }
    } finally {
      stop = true;
      for (Thread writer : writers) {
        writer.join();
      }
    }
    assertThat(failed.get()).isNull();
    // Without writers, a capture is exact.
    CapturedTree last = tree.capture(source, store);
    assertThat(new TreeSnapshotter(ExcludePolicy.none()).digest(source))
        .isEqualTo(last.snapshot().root());
  }

  @Test
  void shouldMarkAFileThatIsWrittenAtEachReading() throws Exception {
    Path file = Files.write(source.resolve("log"), new byte[20 << 20]);
    Thread writer =
        Thread.ofPlatform()
            .start(() -> repeat(random -> overwrite(file, random), new AtomicReference<>()));
    try {
      CapturedTree captured = tree.capture(source, store);

      assertThat(captured.skipped())
          .containsExactly(
              new SkippedEntry(
                  "log", SkippedEntry.Reason.CHANGED_WHILE_READ, "written during each of 3 reads"));
    } finally {
      stop = true;
      writer.join();
    }
    CapturedTree quiet = tree.capture(source, store);
    assertThat(quiet.skipped()).isEmpty();
    assertThat(quiet.changedFiles()).isEqualTo(1);
  }

  private void repeat(Work work, AtomicReference<Throwable> failed) {
    Random random = new Random(1);
    try {
      while (!stop) {
        work.step(random);
      }
    } catch (IOException | UncheckedIOException e) {
      failed.set(e);
    }
  }

  private static void overwrite(Path file, Random random) throws IOException {
    byte[] bytes = new byte[1 + random.nextInt(5000)];
    random.nextBytes(bytes);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.wrap(bytes), random.nextInt(1 << 20));
    }
  }

  private void write(Random random) throws IOException {
    overwrite(source.resolve("large"), random);
  }

  private void append(Random random) throws IOException {
    Path file = source.resolve("log");
    byte[] bytes = new byte[random.nextInt(3000)];
    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (Files.size(file) > 3_000_000) {
      Files.write(file, new byte[100]);
    }
  }

  private void replace(Random random) throws IOException {
    Path next = source.resolve("next");
    Files.writeString(next, "version " + random.nextInt());
    Files.move(next, source.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
  }

  private void directories(Random random) throws IOException {
    Path directory = Files.createDirectories(source.resolve("build/d" + random.nextInt(5) + "/x"));
    for (int i = 0; i < 20; i++) {
      Files.writeString(directory.resolve("f" + i), "x" + random.nextInt());
    }
    if (random.nextBoolean()) {
      Path moved = source.resolve("build/moved");
      if (!Files.exists(moved)) {
        Files.move(directory, moved);
      }
    }
    for (Path each : List.of(directory, source.resolve("build/moved"))) {
      for (int i = 0; i < 20 && Files.exists(each); i++) {
        Files.deleteIfExists(each.resolve("f" + i));
      }
      if (Files.exists(each)) {
        Files.delete(each);
      }
    }
  }

  private void links(Random random) throws IOException {
    Path a = source.resolve("a");
    Path b = source.resolve("b");
    try {
      Files.deleteIfExists(random.nextBoolean() ? a : b);
      Files.writeString(source.resolve("c"), "c" + random.nextInt());
      Files.move(source.resolve("c"), a, StandardCopyOption.REPLACE_EXISTING);
      Files.deleteIfExists(b);
      Files.createLink(b, a);
    } catch (NoSuchFileException e) {
      throw new UncheckedIOException(e);
    }
  }
}
