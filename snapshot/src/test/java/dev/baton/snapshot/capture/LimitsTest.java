/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.snapshot.Captured;
import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.Skipped;
import dev.baton.snapshot.TrackedTree;
import dev.baton.snapshot.format.Entry;
import dev.baton.snapshot.format.ExtentList;
import dev.baton.snapshot.posix.Directory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What is more than a tree can hold is left out and told: it is never a reason to fail. */
class LimitsTest {
  /** As the threads of a runner have. */
  private static final long SMALL_STACK = 512 << 10;

  private final Scratch scratch;
  private final PacksInMemory store = new PacksInMemory();
  private final TrackedTree tree = new TrackedTree(Excludes.none());

  LimitsTest() throws IOException {
    scratch = new Scratch();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldCaptureTheDeepestTree() throws Exception {
    // given
    Path source = deep(Entry.MAX_DEPTH);

    // when
    Captured captured = onSmallStack(() -> tree.capture(source, store));

    // then
    assertThat(captured.skipped()).isEmpty();
    assertThat(captured.snapshot().fileCount()).isEqualTo(Entry.MAX_DEPTH / 128 + 1);
    restoreAndCompare(captured, source);
    assertThat(onSmallStack(() -> tree.list(source)).entries())
        .hasSize(1 + Entry.MAX_DEPTH + Entry.MAX_DEPTH / 128 + 1);
  }

  @Test
  void shouldLeaveOutWhatIsDeeper() throws Exception {
    Path source = deep(Entry.MAX_DEPTH + 1);

    Captured captured = onSmallStack(() -> tree.capture(source, store));

    assertThat(captured.skipped())
        .singleElement()
        .satisfies(
            skipped -> {
              assertThat(skipped.reason()).isEqualTo(Skipped.Reason.UNREADABLE);
              assertThat(skipped.detail()).isEqualTo("more than 2048 levels deep");
            });
    restoreAndCompare(captured, source);
  }

  @Test
  void shouldCaptureDeepFilesWithFewFilesOpen() throws Exception {
    // given
    Path source = deep(Entry.MAX_DEPTH);
    scratch.run("sleep 0.1");
    tree.capture(source, store);
    Captured before = tree.capture(source, store);
    scratch.run("cd source && for i in $(seq 200); do cd d; done && echo new > new");

    // when
    Captured after = onSmallStack(() -> tree.capture(source, store));

    // then
    assertThat(before.storedBytes()).isZero();
    assertThat(after.changedFiles()).isEqualTo(1);
    restoreAndCompare(after, source);
  }

  @Test
  void shouldKeepAsManyAttributesAsFit() throws Exception {
    // given
    Path source = Files.createDirectory(scratch.resolve("source"));
    scratch.run("mount -t tmpfs none source 2>/dev/null || true");
    try {
      manyAttributes(source);

      // when
      Captured captured = tree.capture(source, store);

      // then
      assertThat(captured.skipped())
          .extracting(Skipped::path, Skipped::reason)
          .containsExactlyInAnyOrder(
              tuple("many", Skipped.Reason.ATTRIBUTES_LOST),
              tuple("directory", Skipped.Reason.ATTRIBUTES_LOST));
      RestoredTree restored = restore(captured);
      assertThat(restored.root()).isEqualTo(captured.snapshot().root());
      assertThat(tree.capture(source, store).skipped()).hasSize(2);
    } finally {
      scratch.run("umount source 2>/dev/null || true");
    }
  }

  private static void manyAttributes(Path source) throws IOException {
    try (Directory directory = Directory.open(source)) {
      directory.mkdir("directory", 0755);
      try (OpenFile file = directory.create("many", 0644);
          Directory inner = directory.openChild("directory")) {
        for (int i = 0; i < 300; i++) {
          file.setXattr("user.a" + i, new byte[1]);
          inner.setXattr("user.a" + i, new byte[1]);
        }
      } catch (PosixException e) {
        assumeThat(e.errno()).as("a file system with room for attributes: " + e).isZero();
      }
    }
  }

  /** Of 800 MB, hence only with {@code -Dbaton.million=true}. */
  @Test
  @EnabledIfSystemProperty(named = "baton.million", matches = "true")
  void shouldTakeAPerforatedFileForADenseOne() throws Exception {
    // given
    Path source = Files.createDirectory(scratch.resolve("source"));
    int holes = ExtentList.MAX / 2 + 10;
    try (Directory directory = Directory.open(source);
        OpenFile file = directory.create("perforated", 0644)) {
      for (int i = 0; i < holes; i++) {
        file.writeAt(i * 8192L, new byte[] {1}, 0, 1);
      }
    }

    // when
    Captured captured = tree.capture(source, store);

    // then
    assertThat(captured.skipped()).isEmpty();
    restoreAndCompare(captured, source);
  }

  @Test
  void shouldCaptureALargeDirectory() throws Exception {
    Path source = Files.createDirectory(scratch.resolve("source"));
    try (Directory directory = Directory.open(source)) {
      for (int i = 0; i < 20_000; i++) {
        directory.symlink("link-" + i, "x");
      }
    }

    Captured captured = tree.capture(source, store);
    Files.createSymbolicLink(source.resolve("link-x"), Path.of("y"));
    Captured more = tree.capture(source, store);

    restoreAndCompare(more, source);
    assertThat(more.storedBytes()).isLessThan(captured.storedBytes() / 5);
  }

  private void restoreAndCompare(Captured captured, Path source) throws Exception {
    RestoredTree restored = restore(captured);
    assertThat(restored.root()).isEqualTo(captured.snapshot().root());
    Path target = scratch.resolve("target");
    TrackedTree other = new TrackedTree(Excludes.none());
    assertThat(onSmallStack(() -> other.digest(target))).isEqualTo(captured.snapshot().root());
    assertThat(onSmallStack(() -> tree.capture(source, store)).storedBytes()).isZero();
  }

  private RestoredTree restore(Captured captured) throws Exception {
    return onSmallStack(
        () ->
            new TrackedTree(Excludes.none())
                .restore(
                    captured.snapshot(),
                    store,
                    scratch.resolve("target"),
                    RestoreOptions.defaults()));
  }

  private static <T> T onSmallStack(Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(null, task, "small", SMALL_STACK).start();
    return task.get();
  }

  /** A directory in a directory, and so on, with a file in each 128th. */
  private Path deep(int levels) throws IOException {
    Path source = Files.createDirectory(scratch.resolve("source"));
    Directory at = Directory.open(source);
    for (int level = 0; ; level++) {
      if (level % 128 == 0) {
        try (OpenFile file = at.create("file", 0644)) {
          file.write(new byte[] {(byte) (level / 128)}, 0, 1);
        }
      }
      if (level == levels) {
        at.close();
        return source;
      }
      at.mkdir("d", 0755);
      Directory below = at.openChild("d");
      at.close();
      at = below;
    }
  }
}
