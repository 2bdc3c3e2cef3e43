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

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.ExtentListCodec;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Checks that entries beyond the limits of a tree are skipped and reported, and never fail a
 * capture.
 */
class LimitsTest {
  /** The stack size of a runner's threads. */
  private static final long SMALL_STACK = 512 << 10;

  private final ScratchDirectory scratch;
  private final InMemoryPackStore store = new InMemoryPackStore();
  private final TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());

  LimitsTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldCaptureTheDeepestTree() throws Exception {
    // given
    Path source = deep(NodeEntry.MAX_DEPTH);

    // when
    CapturedTree captured = onSmallStack(() -> tree.capture(source, store));

    // then
    assertThat(captured.skipped()).isEmpty();
    assertThat(captured.snapshot().fileCount()).isEqualTo(NodeEntry.MAX_DEPTH / 128 + 1);
    restoreAndCompare(captured, source);
    assertThat(onSmallStack(() -> tree.list(source)).entries())
        .hasSize(1 + NodeEntry.MAX_DEPTH + NodeEntry.MAX_DEPTH / 128 + 1);
  }

  @Test
  void shouldLeaveOutWhatIsDeeper() throws Exception {
    Path source = deep(NodeEntry.MAX_DEPTH + 1);

    CapturedTree captured = onSmallStack(() -> tree.capture(source, store));

    assertThat(captured.skipped())
        .singleElement()
        .satisfies(
            skipped -> {
              assertThat(skipped.reason()).isEqualTo(SkippedEntry.Reason.UNREADABLE);
              assertThat(skipped.detail()).isEqualTo("more than 2048 levels deep");
            });
    restoreAndCompare(captured, source);
  }

  @Test
  void shouldCaptureDeepFilesWithFewFilesOpen() throws Exception {
    // given
    Path source = deep(NodeEntry.MAX_DEPTH);
    scratch.run("sleep 0.1");
    tree.capture(source, store);
    CapturedTree before = tree.capture(source, store);
    scratch.run("cd source && for i in $(seq 200); do cd d; done && echo new > new");

    // when
    CapturedTree after = onSmallStack(() -> tree.capture(source, store));

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
      CapturedTree captured = tree.capture(source, store);

      // then
      assertThat(captured.skipped())
          .extracting(SkippedEntry::path, SkippedEntry::reason)
          .containsExactlyInAnyOrder(
              tuple("many", SkippedEntry.Reason.ATTRIBUTES_LOST),
              tuple("directory", SkippedEntry.Reason.ATTRIBUTES_LOST));
      RestoredTree restored = restore(captured);
      assertThat(restored.root()).isEqualTo(captured.snapshot().root());
      assertThat(tree.capture(source, store).skipped()).hasSize(2);
    } finally {
      scratch.run("umount source 2>/dev/null || true");
    }
  }

  private static void manyAttributes(Path source) throws IOException {
    try (OpenDirectory directory = OpenDirectory.open(source)) {
      directory.mkdir("directory", 0755);
      try (OpenFile file = directory.create("many", 0644);
          OpenDirectory inner = directory.openChild("directory")) {
        for (int i = 0; i < 300; i++) {
          file.setXattr("user.a" + i, new byte[1]);
          inner.setXattr("user.a" + i, new byte[1]);
        }
      } catch (PosixException e) {
        assumeThat(e.errno()).as("a file system with room for attributes: " + e).isZero();
      }
    }
  }

  /** Needs a file of 800 MB, so only with {@code -Dbaton.million=true}. */
  @Test
  @EnabledIfSystemProperty(named = "baton.million", matches = "true")
  void shouldTakeAPerforatedFileForADenseOne() throws Exception {
    // given
    Path source = Files.createDirectory(scratch.resolve("source"));
    int holes = ExtentListCodec.MAX / 2 + 10;
    try (OpenDirectory directory = OpenDirectory.open(source);
        OpenFile file = directory.create("perforated", 0644)) {
      for (int i = 0; i < holes; i++) {
        file.writeAt(i * 8192L, new byte[] {1}, 0, 1);
      }
    }

    // when
    CapturedTree captured = tree.capture(source, store);

    // then
    assertThat(captured.skipped()).isEmpty();
    restoreAndCompare(captured, source);
  }

  @Test
  void shouldCaptureALargeDirectory() throws Exception {
    Path source = Files.createDirectory(scratch.resolve("source"));
    try (OpenDirectory directory = OpenDirectory.open(source)) {
      for (int i = 0; i < 20_000; i++) {
        directory.symlink("link-" + i, "x");
      }
    }

    CapturedTree captured = tree.capture(source, store);
    Files.createSymbolicLink(source.resolve("link-x"), Path.of("y"));
    CapturedTree more = tree.capture(source, store);

    restoreAndCompare(more, source);
    assertThat(more.storedBytes()).isLessThan(captured.storedBytes() / 5);
  }

  private void restoreAndCompare(CapturedTree captured, Path source) throws Exception {
    RestoredTree restored = restore(captured);
    assertThat(restored.root()).isEqualTo(captured.snapshot().root());
    Path target = scratch.resolve("target");
    TreeSnapshotter other = new TreeSnapshotter(ExcludePolicy.none());
    assertThat(onSmallStack(() -> other.digest(target))).isEqualTo(captured.snapshot().root());
    assertThat(onSmallStack(() -> tree.capture(source, store)).storedBytes()).isZero();
  }

  private RestoredTree restore(CapturedTree captured) throws Exception {
    return onSmallStack(
        () ->
            new TreeSnapshotter(ExcludePolicy.none())
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

  /** Creates nested directories, with a file in each 128th. */
  private Path deep(int levels) throws IOException {
    Path source = Files.createDirectory(scratch.resolve("source"));
    OpenDirectory at = OpenDirectory.open(source);
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
      OpenDirectory below = at.openChild("d");
      at.close();
      at = below;
    }
  }
}
