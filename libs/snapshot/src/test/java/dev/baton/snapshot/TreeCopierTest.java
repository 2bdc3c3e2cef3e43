/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.snapshot.capture.DirectoryComparator;
import dev.baton.snapshot.capture.OddTree;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class TreeCopierTest {
  private static final long SEED = Long.getLong("baton.seed", System.nanoTime());
  private static final List<String> LEFT_OUT =
      ProcessCredentials.isSuperuser()
          ? List.of("special-*")
          : List.of("special-*", "unreadable-*", "closed-*/**");

  private static void assertEqual(ScratchDirectory scratch) throws Exception {
    assertThat(DirectoryComparator.of(scratch, "from", "to", LEFT_OUT, true)).isEmpty();
    TreeSnapshotter from = new TreeSnapshotter(ExcludePolicy.defaults());
    TreeSnapshotter to = new TreeSnapshotter(ExcludePolicy.defaults());
    assertThat(to.digest(scratch.resolve("to"))).isEqualTo(from.digest(scratch.resolve("from")));
  }

  private static List<SkippedEntry> copy(ScratchDirectory scratch)
      throws IOException, InterruptedException {
    return TreeCopier.copy(scratch.resolve("from"), scratch.resolve("to"));
  }

  @Test
  void shouldCopyEveryOddityExactly() throws Exception {
    System.out.printf("random copies, -Dbaton.seed=%d%n", SEED);
    for (int i = 0; i < 50; i++) {
      try (ScratchDirectory scratch = new ScratchDirectory()) {
        OddTree tree = OddTree.make(scratch.resolve("from"), SEED + i);

        List<SkippedEntry> skipped = copy(scratch);

        assertThat(skipped)
            .as("tree %d", SEED + i)
            .filteredOn(each -> each.reason() != SkippedEntry.Reason.UNREADABLE)
            .hasSize(tree.specialFiles());
        assertEqual(scratch);
        assertThat(scratch.names()).containsExactlyInAnyOrder("from", "to");
      }
    }
  }

  @Test
  void shouldMakeManyFilesAndLinksWithAllThreads() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir from && cd from && mkdir -p {a,b,c}/{1..30}
          for d in */*; do echo $d | tee $d/f{1..20} > /dev/null; ln $d/f7 zz-${d/\\//-}; done
          for d in b/*; do ln a/1/f1 $d/of-a; done
          chmod 555 b c && touch -d @-77.000000001 b c/3 .
          """);

      assertThat(copy(scratch)).isEmpty();

      assertEqual(scratch);
    }
  }

  @Test
  void shouldCopyWhatACaptureLeavesOut() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir -p from/{target,.git/target,src} && cd from
          echo '*.log' > .batonignore && touch a.log src/b.log .git/c.log target/d src/e
          """);

      copy(scratch);

      assertThat(scratch.run("cd to && find . -type f | sort").lines())
          .containsExactly(
              "./.batonignore", "./.git/c.log", "./a.log", "./src/b.log", "./src/e", "./target/d");
    }
  }

  @Test
  void shouldKeepHoles() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run("mkdir from && printf x > from/f && truncate -s 1G from/f");

      copy(scratch);

      assertThat(scratch.run("stat -c '%s' to/f").strip()).isEqualTo("1073741824");
      assertThat(Long.parseLong(scratch.run("stat -c '%b' to/f").strip())).isLessThan(1000);
    }
  }

  @Test
  void shouldCopyTheDeepestTree() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      // At once, with the longest path that the system allows: a shell takes a minute to enter each
      // level separately.
      String way = "d/".repeat(2000);
      scratch.run("mkdir from && cd from && mkdir -p " + way + " && echo > " + way + "f");

      assertThat(copy(scratch)).isEmpty();

      scratch.run("cd to && test -s " + way + "f");
    }
  }

  @Test
  void shouldRefuseATargetThatIsThere() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run("mkdir from && ln -s nowhere to");

      assertThatThrownBy(() -> copy(scratch)).isInstanceOf(FileAlreadyExistsException.class);

      assertThat(scratch.names()).containsExactly("from", "to");
    }
  }

  @Test
  void shouldLeaveNothingWhenItIsInterruptedOrFails() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run("mkdir -p from/{1..200} && touch from/{1..200}/{1..20}");
      Thread.currentThread().interrupt();

      assertThatThrownBy(() -> copy(scratch)).isInstanceOf(InterruptedException.class);

      assertThat(Thread.interrupted()).isFalse();
      assertThat(scratch.names()).containsExactly("from");
      Path missing = scratch.resolve("missing");
      assertThatThrownBy(() -> TreeCopier.copy(missing, scratch.resolve("to")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("missing");
      assertThat(Files.exists(scratch.resolve("to"))).isFalse();
    }
  }
}
