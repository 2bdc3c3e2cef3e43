/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.snapshot.MergeResult.Clash;
import dev.baton.snapshot.MergeResult.MergeConflict;
import dev.baton.snapshot.MergeResult.Merged;
import dev.baton.snapshot.capture.DirectoryComparator;
import dev.baton.snapshot.capture.OddTree;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeMergerTest {
  @TempDir Path work;
  private Path target = Path.of("");
  private Path x = Path.of("");
  private Path y = Path.of("");
  private TreeListing base = new TreeListing(List.of());

  @BeforeEach
  void makeBase() throws Exception {
    target = Files.createDirectory(work.resolve("target"));
    Files.writeString(Files.createDirectory(target.resolve("d")).resolve("one"), "1");
    Files.writeString(target.resolve("d/two"), "2");
    Files.createLink(target.resolve("d/two-again"), target.resolve("d/two"));
    Files.writeString(target.resolve("three"), "3");
    Files.createSymbolicLink(target.resolve("link"), Path.of("three"));
    Files.createDirectory(target.resolve("empty"));
    fork(target);
  }

  /** Deletes the scratch directory, which is too deep for other tools. */
  @AfterEach
  void clear() throws Exception {
    for (Path each : List.of(target, x, y)) {
      TreeDeleter.deleteFully(each);
    }
  }

  private void fork(Path from) throws Exception {
    base = list(from);
    x = work.resolve("x");
    y = work.resolve("y");
    TreeDeleter.deleteFully(x);
    TreeDeleter.deleteFully(y);
    TreeCopier.copy(from, x);
    TreeCopier.copy(from, y);
  }

  private static TreeListing list(Path root) throws Exception {
    return new TreeSnapshotter(ExcludePolicy.defaults()).list(root);
  }

  private static Hash digest(Path root) throws Exception {
    return new TreeSnapshotter(ExcludePolicy.none()).digest(root);
  }

  private MergeResult merge() throws Exception {
    return TreeMerger.merge(base, List.of(branch("x", x), branch("y", y)), target);
  }

  private static TreeMerger.Branch branch(String name, Path root) throws Exception {
    return new TreeMerger.Branch(name, root, list(root));
  }

  private void assertConflict(Clash... clashes) throws Exception {
    Hash before = digest(target);
    assertThat(merge()).isEqualTo(new MergeConflict(List.of(clashes)));
    assertThat(digest(target)).isEqualTo(before);
  }

  private static Clash clash(String path) {
    return new Clash(TreePath.of(path), List.of("x", "y"));
  }

  @Test
  void shouldChangeNothingWhenNoBranchDid() throws Exception {
    Hash before = digest(target);

    assertThat(merge()).isEqualTo(new Merged(List.of(), List.of(), List.of(), List.of()));

    assertThat(digest(target)).isEqualTo(before);
  }

  @Test
  void shouldEqualTheOnlyBranchThatChangedAnything() throws Exception {
    // given
    Files.writeString(x.resolve("d/one"), "changed");
    Files.writeString(x.resolve("d/two"), "changed under both its names");
    Files.delete(x.resolve("three"));
    Files.createDirectory(x.resolve("three"));
    Files.writeString(x.resolve("three/inside"), "now a directory");
    Files.delete(x.resolve("link"));
    Files.writeString(x.resolve("link"), "now a file");
    Files.delete(x.resolve("empty"));
    Files.createSymbolicLink(x.resolve("empty"), Path.of("/nowhere"));
    Files.writeString(x.resolve("a"), "new");
    Files.createLink(x.resolve("new-link"), x.resolve("a"));
    Files.createLink(x.resolve("old-link"), x.resolve("d/one"));
    ScratchDirectory.run(x, "mkdir $'\\xff' && echo > $'\\xff'/f && chmod 711 d && touch -h link");

    // when
    MergeResult result = merge();

    // then
    assertThat(result).isInstanceOf(Merged.class);
    assertThat(DirectoryComparator.describe(target, true))
        .isEqualTo(DirectoryComparator.describe(x, true));
    assertThat(digest(target)).isEqualTo(digest(x));
  }

  @Test
  void shouldSeparateALinkThatABranchReplacedByAnEqualFile() throws Exception {
    // given
    FileTime before = Files.getLastModifiedTime(target.resolve("d/two"));
    Files.delete(x.resolve("d/two-again"));
    Files.writeString(x.resolve("d/two-again"), "2");
    FileTime after = FileTime.fromMillis(before.toMillis() + 5_000);
    Files.setLastModifiedTime(x.resolve("d/two-again"), after);

    // when
    merge();

    // then
    assertThat(Files.getLastModifiedTime(target.resolve("d/two"))).isEqualTo(before);
    assertThat(Files.getLastModifiedTime(target.resolve("d/two-again"))).isEqualTo(after);
    assertThat(Files.isSameFile(target.resolve("d/two"), target.resolve("d/two-again"))).isFalse();
    assertThat(digest(target)).isEqualTo(digest(x));
  }

  @Test
  void shouldKeepALinkWhoseFileGotAnotherTime() throws Exception {
    Files.setLastModifiedTime(x.resolve("d/two"), FileTime.fromMillis(5_000));

    merge();

    assertThat(digest(target)).isEqualTo(digest(x));
  }

  @Test
  void shouldApplyWhatEachBranchDid() throws Exception {
    Files.writeString(x.resolve("d/one"), "x");
    Files.writeString(x.resolve("d/of-x"), "x");
    Files.delete(y.resolve("three"));
    Files.writeString(y.resolve("d/of-y"), "y");

    Merged merged = (Merged) merge();

    assertThat(merged.added()).containsExactly(TreePath.of("d/of-x"), TreePath.of("d/of-y"));
    assertThat(merged.modified()).containsExactly(TreePath.of("d/one"));
    assertThat(merged.deleted()).containsExactly(TreePath.of("three"));
    assertThat(target.resolve("d/one")).hasContent("x");
    assertThat(target.resolve("d/of-y")).hasContent("y");
    assertThat(target.resolve("three")).doesNotExist();
    Instant latest = Files.getLastModifiedTime(y.resolve("d")).toInstant();
    assertThat(Files.getLastModifiedTime(target.resolve("d")).toInstant()).isEqualTo(latest);
  }

  @Test
  void shouldNotDependOnTheOrderOfBranches() throws Exception {
    Files.writeString(x.resolve("same"), "same");
    Files.writeString(y.resolve("same"), "same");
    Files.writeString(x.resolve("d/one"), "x");
    Files.delete(y.resolve("d/two"));
    Path other = work.resolve("other");
    TreeCopier.copy(target, other);

    merge();
    TreeMerger.merge(base, List.of(branch("y", y), branch("x", x)), other);

    assertThat(digest(other)).isEqualTo(digest(target));
    assertThat(target.resolve("same")).hasContent("same");
    assertThat(target.resolve("d/two-again")).hasContent("2");
  }

  @Test
  void shouldNameEveryPathThatBranchesChangedDifferently() throws Exception {
    Files.writeString(x.resolve("d/one"), "x");
    Files.writeString(y.resolve("d/one"), "y");
    Files.delete(x.resolve("three"));
    Files.writeString(y.resolve("three"), "y");
    Files.writeString(x.resolve("new"), "x");
    Files.createDirectory(y.resolve("new"));
    Files.writeString(y.resolve("new/inside"), "y");

    assertConflict(clash("d/one"), clash("new"), clash("three"));
  }

  @Test
  void shouldClashWhereOneRemovesADirectoryThatAnotherFills() throws Exception {
    Files.delete(x.resolve("empty"));
    Files.writeString(y.resolve("empty/new"), "y");

    assertConflict(clash("empty/new"));
  }

  @Test
  void shouldClashOnModes() throws Exception {
    Files.setPosixFilePermissions(x.resolve("three"), PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(y.resolve("three"), PosixFilePermissions.fromString("rwxr-xr-x"));

    assertConflict(clash("three"));
  }

  @Test
  void shouldLetAChangeWinOverAMereNewTime() throws Exception {
    Files.setLastModifiedTime(x.resolve("three"), FileTime.from(Instant.ofEpochSecond(5)));
    Files.setLastModifiedTime(x.resolve("d/one"), FileTime.from(Instant.ofEpochSecond(5)));
    Files.setLastModifiedTime(y.resolve("d/one"), FileTime.from(Instant.ofEpochSecond(6)));
    Files.delete(y.resolve("three"));

    assertThat(merge())
        .isEqualTo(new Merged(List.of(), List.of(), List.of(TreePath.of("three")), List.of()));
    assertThat(Files.getLastModifiedTime(target.resolve("d/one")).toInstant())
        .isEqualTo(Instant.ofEpochSecond(6));
  }

  @Test
  void shouldDescribeAConflict() {
    assertThat(new MergeConflict(List.of(clash("a"), clash("b"))).describe())
        .isEqualTo("branches changed the same paths differently: a (x, y); b (x, y)");
  }

  @Test
  void shouldRefuseTwoBranchesOfOneName() throws Exception {
    List<TreeMerger.Branch> twins = List.of(branch("x", x), branch("x", y));
    assertThatThrownBy(() -> TreeMerger.merge(base, twins, target))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'x'");
  }

  @Test
  void shouldTakeTheLatestTime() throws Exception {
    Files.setLastModifiedTime(x.resolve("d/one"), FileTime.from(Instant.ofEpochSecond(6)));
    Files.setLastModifiedTime(y.resolve("d/one"), FileTime.from(Instant.ofEpochSecond(5)));
    for (Path branch : List.of(x, y)) {
      Files.writeString(branch.resolve("same"), "same");
    }
    Files.setLastModifiedTime(x.resolve("same"), FileTime.from(Instant.ofEpochSecond(5)));
    Files.setLastModifiedTime(y.resolve("same"), FileTime.from(Instant.ofEpochSecond(6)));

    merge();

    for (String name : List.of("d/one", "same")) {
      assertThat(Files.getLastModifiedTime(target.resolve(name)).toInstant())
          .isEqualTo(Instant.ofEpochSecond(6));
    }
  }

  @Test
  void shouldTakeOverExactlyWhatABranchHas() throws Exception {
    // given
    ScratchDirectory.run(
        x,
        """
        printf 1 > sparse && truncate -s 3000000 sparse && printf 2 >> sparse
        echo run > tool && chmod 6755 tool
        mkdir -p private/inner && echo s > private/inner/secret
        touch -d @-5.25 private/inner/secret && chmod 0 private/inner/secret
        chmod 2070 private/inner && chmod 0100 private
        chmod 2777 d && touch -d @-7.5 d
        d=$(printf 'n%.0s' {1..250})
        for i in {1..20}; do mkdir $d && cd $d; done && echo deep > deep
        """);
    try (OpenDirectory open = OpenDirectory.open(x)) {
      attribute(open, "d", "user.of-x", "1");
      attribute(open, "empty", "user.of-x", "2");
    }

    // when
    MergeResult result = merge();

    // then
    assertThat(((Merged) result).degraded()).isEmpty();
    assertThat(digest(target)).isEqualTo(digest(x));
  }

  @Test
  void shouldLetNewFilesInheritNothing() throws Exception {
    // given
    byte[] list = {
      2, 0, 0, 0, 1, 0, 7, 0, -1, -1, -1, -1, 4, 0, 5, 0, -1, -1, -1, -1, 32, 0, 7, 0, -1, -1, -1,
      -1
    };
    try (OpenDirectory open = OpenDirectory.open(target)) {
      try (OpenDirectory d = open.openChild("d")) {
        d.setXattr("system.posix_acl_default", list);
        d.chmod(02750);
      }
      attribute(open, "empty", "user.of-base", "1");
    }
    fork(target);
    ScratchDirectory.run(
        x, "echo inherits > d/one && mkdir d/new && mv d/new . && mv three d/three");
    try (OpenDirectory open = OpenDirectory.open(x);
        OpenDirectory empty = open.openChild("empty")) {
      empty.removeXattr("user.of-base");
    }

    // when
    merge();

    // then
    assertThat(digest(target)).isEqualTo(digest(x));
  }

  @Test
  void shouldTellACopyFromAnotherAttribute() throws Exception {
    try (OpenDirectory open = OpenDirectory.open(x)) {
      attribute(open, "d", "user.of", "x");
    }
    try (OpenDirectory open = OpenDirectory.open(y)) {
      attribute(open, "d", "user.of", "y");
    }

    assertConflict(clash("d"));
  }

  private static void attribute(OpenDirectory in, String child, String name, String value)
      throws Exception {
    try (OpenDirectory open = in.openChild(child)) {
      open.setXattr(name, value.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void shouldBringAnyTreeToWhatItsOnlyBranchMadeOfIt() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.printf("random merges, -Dbaton.seed=%d%n", seed);
    for (int i = 0; i < 30; i++) {
      try (ScratchDirectory scratch = new ScratchDirectory()) {
        // given
        OddTree tree = OddTree.make(scratch.resolve("x"), seed + i);
        TreeCopier.copy(scratch.resolve("x"), scratch.resolve("target"));
        TreeListing before = list(scratch.resolve("target"));
        tree.change();
        List<TreeMerger.Branch> branches = List.of(branch("x", scratch.resolve("x")));

        // when
        TreeMerger.merge(before, branches, scratch.resolve("target"));

        // then
        List<String> special = List.of("special-*", "unreadable-*", "closed-*/**");
        assertThat(DirectoryComparator.of(scratch, "x", "target", special, true))
            .as("tree %d", seed + i)
            .isEmpty();
        assertThat(digest(scratch.resolve("target"))).isEqualTo(digest(scratch.resolve("x")));
      }
    }
  }
}
