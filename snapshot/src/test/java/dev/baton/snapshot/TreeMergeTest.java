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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeMergeTest {
  @TempDir Path work;
  private Path target = Path.of("");
  private Path x = Path.of("");
  private Path y = Path.of("");
  private TreeListing base = new TreeListing(List.of(), List.of());

  @BeforeEach
  void fork() throws IOException {
    target = Files.createDirectory(work.resolve("target"));
    Files.writeString(Files.createDirectory(target.resolve("d")).resolve("one"), "1");
    Files.writeString(target.resolve("d/two"), "2");
    Files.createLink(target.resolve("d/two-again"), target.resolve("d/two"));
    Files.writeString(target.resolve("three"), "3");
    Files.createSymbolicLink(target.resolve("link"), Path.of("three"));
    Files.createDirectory(target.resolve("empty"));
    base = list(target);
    x = work.resolve("x");
    y = work.resolve("y");
    TreeCopy.copy(target, x, Excludes.none());
    TreeCopy.copy(target, y, Excludes.none());
  }

  private static TreeListing list(Path root) throws IOException {
    return new TreeArchive(Excludes.defaults(), new StatCache()).list(root);
  }

  private MergeResult merge() throws IOException {
    return TreeMerge.merge(base, List.of(branch("x", x), branch("y", y)), target);
  }

  private static TreeMerge.Branch branch(String name, Path root) throws IOException {
    return new TreeMerge.Branch(name, root, list(root));
  }

  private void assertConflict(Clash... clashes) throws IOException {
    String before = list(target).digest();
    assertThat(merge()).isEqualTo(new MergeConflict(List.of(clashes)));
    assertThat(list(target).digest()).isEqualTo(before);
  }

  private static Clash clash(String path) {
    return new Clash(TreePath.of(path), List.of("x", "y"));
  }

  @Test
  void shouldChangeNothingWhenNoBranchDid() throws IOException {
    assertThat(merge()).isEqualTo(new Merged(List.of(), List.of(), List.of()));
    assertThat(list(target).digest()).isEqualTo(base.digest());
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
    Shell.run(x, "mkdir $'\\xff' && echo > $'\\xff'/f && chmod 711 d && touch -h link");

    // when
    MergeResult result = merge();

    // then
    assertThat(result).isInstanceOf(Merged.class);
    assertThat(Shell.describe(target)).isEqualTo(Shell.describe(x));
    assertThat(list(target).digest()).isEqualTo(list(x).digest());
  }

  @Test
  void shouldApplyWhatEachBranchDid() throws IOException {
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
  void shouldNotDependOnTheOrderOfBranches() throws IOException {
    Files.writeString(x.resolve("same"), "same");
    Files.writeString(y.resolve("same"), "same");
    Files.writeString(x.resolve("d/one"), "x");
    Files.delete(y.resolve("d/two"));
    Path other = work.resolve("other");
    TreeCopy.copy(target, other, Excludes.none());

    merge();
    TreeMerge.merge(base, List.of(branch("y", y), branch("x", x)), other);

    assertThat(list(other).digest()).isEqualTo(list(target).digest());
    assertThat(target.resolve("same")).hasContent("same");
    assertThat(target.resolve("d/two-again")).hasContent("2");
  }

  @Test
  void shouldNameEveryPathThatBranchesChangedDifferently() throws IOException {
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
  void shouldClashWhereOneRemovesADirectoryThatAnotherFills() throws IOException {
    Files.delete(x.resolve("empty"));
    Files.writeString(y.resolve("empty/new"), "y");

    assertConflict(clash("empty/new"));
  }

  @Test
  void shouldClashOnModes() throws IOException {
    Attributes.setMode(x.resolve("three"), 0600);
    Attributes.setMode(y.resolve("three"), 0755);

    assertConflict(clash("three"));
  }

  @Test
  void shouldLetAChangeWinOverAMereNewTime() throws IOException {
    Attributes.setMtime(x.resolve("three"), Instant.ofEpochSecond(5));
    Attributes.setMtime(x.resolve("d/one"), Instant.ofEpochSecond(5));
    Attributes.setMtime(y.resolve("d/one"), Instant.ofEpochSecond(6));
    Files.delete(y.resolve("three"));

    assertThat(merge()).isEqualTo(new Merged(List.of(), List.of(), List.of(TreePath.of("three"))));
    assertThat(Files.getLastModifiedTime(target.resolve("d/one")).toInstant())
        .isEqualTo(Instant.ofEpochSecond(6));
  }

  @Test
  void shouldDescribeAConflict() {
    assertThat(new MergeConflict(List.of(clash("a"), clash("b"))).describe())
        .isEqualTo("branches changed the same paths differently: a (x, y); b (x, y)");
  }

  @Test
  void shouldRefuseTwoBranchesOfOneName() throws IOException {
    List<TreeMerge.Branch> twins = List.of(branch("x", x), branch("x", y));
    assertThatThrownBy(() -> TreeMerge.merge(base, twins, target))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'x'");
  }

  @Test
  void shouldTakeTheLatestTime() throws IOException {
    Attributes.setMtime(x.resolve("d/one"), Instant.ofEpochSecond(6));
    Attributes.setMtime(y.resolve("d/one"), Instant.ofEpochSecond(5));
    for (Path branch : List.of(x, y)) {
      Files.writeString(branch.resolve("same"), "same");
    }
    Attributes.setMtime(x.resolve("same"), Instant.ofEpochSecond(5));
    Attributes.setMtime(y.resolve("same"), Instant.ofEpochSecond(6));

    merge();

    for (String name : List.of("d/one", "same")) {
      assertThat(Stat.of(target.resolve(name)).mtime()).isEqualTo(Instant.ofEpochSecond(6));
    }
  }
}
