/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeRestoreTest {
  @TempDir Path work;
  private final TreeArchive archive = new TreeArchive(Excludes.defaults(), new StatCache());

  private Capture capture(Path root) throws IOException {
    return archive.capture(root, work.resolve("tree.tar.zst"));
  }

  private Restored restore(String digest, Path target) throws IOException {
    try (InputStream in = Files.newInputStream(work.resolve("tree.tar.zst"))) {
      return archive.restore(in, target, digest, Limits.defaults());
    }
  }

  @Test
  void shouldReplaceTheWholeTarget() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Files.writeString(root.resolve("a"), "a");
    Capture capture = capture(root);
    Files.writeString(root.resolve("a"), "changed");
    Path locked = Files.createDirectory(root.resolve("locked"));
    Files.writeString(locked.resolve("x"), "x");
    Attributes.setMode(locked, 0500);

    Restored restored = restore(capture.digest(), root);

    assertThat(restored.leftovers()).isEmpty();
    assertThat(archive.digest(root)).isEqualTo(capture.digest());
    assertThat(root.resolve("a")).hasContent("a");
    try (Stream<Path> files = Files.list(work)) {
      assertThat(files).containsExactlyInAnyOrder(root, work.resolve("tree.tar.zst"));
    }
  }

  @Test
  void shouldRestoreTimesJustAfterTheEpoch() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Instant time = Instant.ofEpochSecond(0, 5);
    Files.writeString(root.resolve("a"), "a");
    Attributes.setMtime(root.resolve("a"), time);

    restore(capture(root).digest(), work.resolve("target"));

    assertThat(Stat.of(work.resolve("target/a")).mtime()).isEqualTo(time);
  }

  @Test
  void shouldSeeAChangeMadeRightAfterTheRestore() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Instant time = Instant.ofEpochSecond(1_700_000_000);
    Files.writeString(root.resolve("a"), "before");
    Attributes.setMtime(root.resolve("a"), time);
    String digest = capture(root).digest();
    Path target = work.resolve("target");

    restore(digest, target);
    Files.writeString(target.resolve("a"), "after!");
    Attributes.setMtime(target.resolve("a"), time);

    assertThat(archive.digest(target)).isNotEqualTo(digest);
  }

  @Test
  void shouldDropSetuidAndSetgidBits() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Files.writeString(root.resolve("a"), "a");
    Attributes.setMode(root.resolve("a"), 06755);
    String digest = capture(root).digest();

    restore(digest, work.resolve("target"));

    assertThat(Stat.of(work.resolve("target/a")).mode() & 07777).isEqualTo(0755);
  }

  @Test
  void shouldRestoreModesThatKeepTheirOwnerOut() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Path dir = Files.createDirectory(root.resolve("d"));
    Files.writeString(dir.resolve("f"), "f");
    // As a superuser would capture it: the modes are those of the listing, the files still
    // readable.
    TreeListing open = archive.list(root);
    TreeListing shut =
        new TreeListing(
            open.entries().stream()
                .map(
                    e ->
                        switch (e) {
                          case TreeEntry.RegularFile f ->
                              new TreeEntry.RegularFile(
                                  f.path(), 0, f.mtime(), f.size(), f.sha256());
                          case TreeEntry.Directory d when !d.path().isRoot() ->
                              (TreeEntry) new TreeEntry.Directory(d.path(), 0, d.mtime());
                          case TreeEntry.Directory d -> d;
                          case TreeEntry.Symlink l -> l;
                          case TreeEntry.HardLink h -> h;
                        })
                .toList(),
            open.skipped());
    TarWriter.write(root, shut, work.resolve("tree.tar.zst"));

    restore(shut.digest(), work.resolve("target"));

    Path restored = work.resolve("target/d");
    assertThat(Stat.of(restored).permissions()).isZero();
    Attributes.setMode(restored, 0700);
    assertThat(Stat.of(restored.resolve("f")).permissions()).isZero();
  }

  @Test
  void shouldSurviveANameThatIsNoText() throws Exception {
    Path root = Files.createDirectory(work.resolve("root"));
    Shell.run(root, "printf x > $'\\xff\\xfe' && ln -s $'\\xff\\xfe' l && ln -s l// m");
    Capture capture = capture(root);

    restore(capture.digest(), work.resolve("target"));

    assertThat(capture.skipped()).isEmpty();
    String names =
        Shell.run(
            work.resolve("target"), "find . -mindepth 1 -printf '%f>%l ' | tr ' ' '\\n' | sort");
    assertThat(names.strip().lines()).containsExactly("l>\u00ff\u00fe", "m>l/", "\u00ff\u00fe>");
  }

  @Test
  void shouldDropSetuidBitsThatAnArchiveBrings() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    Files.writeString(root.resolve("a"), "a");
    Attributes.setMode(root.resolve("a"), 0755);
    TreeListing honest = archive.list(root);
    TreeEntry.RegularFile a = (TreeEntry.RegularFile) honest.entries().getLast();
    TreeEntry setuid = new TreeEntry.RegularFile(a.path(), 06755, a.mtime(), a.size(), a.sha256());
    TreeListing forged = new TreeListing(List.of(honest.entries().getFirst(), setuid), List.of());
    TarWriter.write(root, forged, work.resolve("tree.tar.zst"));

    restore(honest.digest(), work.resolve("target"));

    assertThat(Stat.of(work.resolve("target/a")).mode() & 07777).isEqualTo(0755);
  }

  @Test
  void shouldTakeATimeBefore1970AsItsWholeSecond() throws Exception {
    Path root = Files.createDirectory(work.resolve("root"));
    Shell.run(root, "touch -d @-5.25 a");
    String digest = capture(root).digest();

    restore(digest, work.resolve("target"));

    assertThat(Shell.run(work.resolve("target"), "stat -c %Y a")).isEqualTo("-6\n");
  }

  @Test
  void shouldCheckWhatIsOnDiskAndNotOnlyWhatWasRead() throws IOException {
    Path root = Files.createDirectory(work.resolve("root"));
    TreeEntry link = new TreeEntry.Symlink(TreePath.of("l"), Instant.EPOCH, "not//restorable");
    TreeListing listing =
        new TreeListing(List.of(archive.list(root).entries().getFirst(), link), List.of());
    TarWriter.write(root, listing, work.resolve("tree.tar.zst"));

    assertThatThrownBy(() -> restore(listing.digest(), work.resolve("target")))
        .isInstanceOf(SnapshotException.DigestMismatch.class)
        .hasMessageContaining("as restored");
    assertThat(work.resolve("target")).doesNotExist();
  }
}
