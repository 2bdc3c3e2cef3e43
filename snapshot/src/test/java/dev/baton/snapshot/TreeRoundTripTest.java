/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TreeRoundTripTest {
  private static final int TREES = Integer.getInteger("baton.test.trees", 40);
  private static final long SEED = Long.getLong("baton.test.seed", System.nanoTime());

  private Path work = Path.of("");

  @BeforeEach
  void makeWork() throws IOException {
    work = Files.createTempDirectory("baton-round-trip");
  }

  @AfterEach
  void removeWork() {
    // Read-only directories are too much for a @TempDir of an ordinary user.
    assertThat(TreeDelete.delete(work)).isEmpty();
  }

  static Stream<Long> seeds() {
    System.out.println("random trees from -Dbaton.test.seed=" + SEED);
    return Stream.iterate(SEED, seed -> seed + 1).limit(TREES);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldRestoreExactlyWhatWasCaptured(long seed) throws Exception {
    // given
    Path source = work.resolve("source");
    RandomTree.make(source, seed);
    List<String> expected = Shell.describe(source);
    TreeArchive archive = new TreeArchive(Excludes.none(), new StatCache());
    Path file = work.resolve("tree.tar.zst");

    // when
    Capture capture = archive.capture(source, file);
    Path target = work.resolve("target");
    Restored restored = restore(file, target, capture.digest());

    // then
    assertThat(capture.skipped()).isEmpty();
    assertThat(Shell.describe(target)).isEqualTo(expected);
    assertThat(restored.fileCount()).isEqualTo(capture.fileCount());
    assertThat(new TreeArchive(Excludes.none(), new StatCache()).digest(target))
        .isEqualTo(capture.digest());
    Path again = work.resolve("again.tar.zst");
    archive.capture(target, again);
    assertThat(Files.mismatch(file, again)).isEqualTo(-1);
    assertThat(siblings()).containsExactly("again.tar.zst", "source", "target", "tree.tar.zst");
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldCopyExactly(long seed) throws Exception {
    // given
    Path source = work.resolve("source");
    RandomTree.make(source, seed);

    // when
    List<Skipped> skipped = TreeCopy.copy(source, work.resolve("copy"), Excludes.none());

    // then
    assertThat(skipped).isEmpty();
    assertThat(Shell.describe(work.resolve("copy"))).isEqualTo(Shell.describe(source));
    assertThat(siblings()).containsExactly("copy", "source");
  }

  @Test
  void shouldWriteAnArchiveThatPlainTarReads() throws Exception {
    // given
    Path source = work.resolve("source");
    RandomTree.make(source, 7);
    new TreeArchive(Excludes.none(), new StatCache()).capture(source, work.resolve("tree.tar.zst"));

    // when
    Path target = Files.createDirectory(work.resolve("target"));
    Shell.run(target, "tar --zstd -xpf ../tree.tar.zst --no-same-owner");

    // then
    assertThat(Shell.describe(target)).isEqualTo(Shell.describe(source));
    assertThat(Shell.run(work, "tar --zstd -tvf tree.tar.zst").lines())
        .allMatch(l -> l.contains(" 0/0 "));
  }

  @Test
  void shouldKeepARepositoryAsGitSeesIt() throws Exception {
    // given
    Path source = Files.createDirectory(work.resolve("source"));
    String git = "git -c user.name=x -c user.email=x@y -c init.defaultBranch=main ";
    Shell.run(
        source,
        "git -c init.defaultBranch=main init -q && echo 1 > a && echo 1 > b && git add . && "
            + git
            + "commit -qm one && "
            + "echo 2 > a && "
            + git
            + "stash -q && echo 3 > b && git add b && echo 4 > b && echo 5 > c");
    String see =
        "git status --porcelain; git stash list; git diff; git diff --cached; git fsck 2>&1";
    String expected = Shell.run(source, see);
    Path file = work.resolve("tree.tar.zst");

    // when
    Capture capture = new TreeArchive(Excludes.defaults(), new StatCache()).capture(source, file);
    restore(file, work.resolve("target"), capture.digest());

    // then
    assertThat(Shell.run(work.resolve("target"), see))
        .isEqualTo(expected)
        .contains("MM b", "?? c", "stash@{0}");
  }

  private static Restored restore(Path file, Path target, String digest) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new TreeArchive(Excludes.defaults(), new StatCache())
          .restore(in, target, digest, Limits.defaults());
    }
  }

  private List<String> siblings() throws IOException {
    try (Stream<Path> files = Files.list(work)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }
}
