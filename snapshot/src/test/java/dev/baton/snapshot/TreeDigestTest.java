/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeDigestTest {
  private static final Instant TIME = Instant.ofEpochSecond(1_700_000_000, 5);
  private static final String WORKED =
      "sha256:71179f86583b8ce596fa73894163935e7bca8217060214ec1e5bf3280ed81a14";
  @TempDir Path work;
  private Path root = Path.of("");

  /** The tree of DESIGN.md. */
  @BeforeEach
  void makeTree() throws IOException {
    root = Files.createDirectory(work.resolve("root"));
    Files.writeString(root.resolve("a.txt"), "hello");
    Files.createLink(root.resolve("b"), root.resolve("a.txt"));
    Files.createSymbolicLink(root.resolve("l"), Path.of("a.txt"));
    Attributes.setMode(root.resolve("a.txt"), 0644);
    Attributes.setMode(root, 0755);
    Attributes.setMtime(root.resolve("a.txt"), TIME);
    Attributes.setMtime(root.resolve("l"), TIME);
    Attributes.setMtime(root, TIME);
  }

  private String digest() throws IOException {
    return new TreeArchive(Excludes.defaults(), new StatCache()).digest(root);
  }

  @Test
  void shouldBeTheDigestThatTheDesignPageWorksOut() throws Exception {
    String script =
        """
        printf 'baton-tree 1\\n'
        printf 'd 0755 1700000000.000000005 - \\0\\0'
        printf 'f 0644 1700000000.000000005 %s a.txt\\0\\0' "$(printf hello | sha256sum | cut -c1-64)"
        printf 'h 0000 0.000000000 - b\\0a.txt\\0'
        printf 'l 0000 1700000000.000000005 - l\\0a.txt\\0'
        """;
    String sum = Shell.run(work, "{ " + script + "} | sha256sum | cut -c1-64").strip();
    assertThat(digest()).isEqualTo("sha256:" + sum).isEqualTo(WORKED);
  }

  @Test
  void shouldChangeWithEveryPropertyThatIsRestored() throws IOException {
    String before = digest();
    Attributes.setMode(root.resolve("a.txt"), 0600);
    String mode = digest();
    Attributes.setMtime(root.resolve("a.txt"), TIME.plusNanos(1));
    String mtime = digest();
    Attributes.setMtime(root, TIME.plusNanos(1));
    String directoryTime = digest();
    Files.delete(root.resolve("b"));
    Files.copy(root.resolve("a.txt"), root.resolve("b"));
    Attributes.setMtime(root.resolve("b"), TIME.plusNanos(1));
    Attributes.setMtime(root, TIME.plusNanos(1));
    String unlinked = digest();
    Files.delete(root.resolve("l"));
    Files.createSymbolicLink(root.resolve("l"), Path.of("b"));
    Attributes.setMtime(root.resolve("l"), TIME);
    Attributes.setMtime(root, TIME.plusNanos(1));
    String target = digest();
    Files.writeString(root.resolve("a.txt"), "hallo");
    Attributes.setMtime(root.resolve("a.txt"), TIME.plusNanos(1));
    String content = digest();

    assertThat(new String[] {before, mode, mtime, directoryTime, unlinked, target, content})
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldSeeNothingOfExcludedDirectoriesButKeepFilesOfTheirName() throws IOException {
    Path sub = Files.createDirectory(root.resolve("sub"));
    Files.writeString(Files.createDirectory(sub.resolve("node_modules")).resolve("x"), "x");
    Files.writeString(sub.resolve("target"), "a file");

    TreeListing listing = new TreeArchive(Excludes.defaults(), new StatCache()).list(root);

    assertThat(listing.entries())
        .extracting(e -> e.path().raw())
        .containsExactly("", "a.txt", "b", "l", "sub", "sub/target");
  }

  @Test
  void shouldTakeAnUnchangedFilesDigestFromTheCache() throws IOException {
    StatCache cache = new StatCache();
    StatCache.Pass pass = cache.begin();
    Stat stat = Stat.of(root.resolve("a.txt"));
    pass.learn(stat, "f".repeat(64), stat.ctime().plusSeconds(1));
    pass.commit();

    TreeListing listing = new TreeArchive(Excludes.none(), cache).list(root);

    assertThat(listing.entries().get(1))
        .isEqualTo(new TreeEntry.RegularFile(TreePath.of("a.txt"), 0644, TIME, 5, "f".repeat(64)));
  }

  @Test
  void shouldReadAFileAgainWhoseSizeAndTimeWereForged() throws IOException {
    TreeArchive archive = new TreeArchive(Excludes.none(), new StatCache(Duration.ofDays(-1)));
    String before = archive.digest(root);
    Instant ctime = Stat.of(root.resolve("a.txt")).ctime();
    do {
      // The kernel's clock ticks every few milliseconds; the forgery is one in another tick.
      Files.writeString(root.resolve("a.txt"), "hallo");
      Attributes.setMtime(root.resolve("a.txt"), TIME);
    } while (Stat.of(root.resolve("a.txt")).ctime().equals(ctime));

    assertThat(archive.digest(root)).isNotEqualTo(before);
  }

  @Test
  void shouldNotTrustAFileChangedInTheTickItWasReadIn() throws IOException {
    StatCache cache = new StatCache();
    Stat stat = Stat.of(root.resolve("a.txt"));
    StatCache.Pass pass = cache.begin();
    pass.learn(stat, "f".repeat(64), stat.ctime().plusMillis(50));
    pass.commit();

    assertThat(cache.begin().lookup(stat)).isNull();
  }

  @Test
  void shouldForgetWhatTheLastScanDidNotSee() throws IOException {
    StatCache cache = new StatCache(Duration.ofDays(-1));
    Stat stat = Stat.of(root.resolve("a.txt"));
    TreeScan.scan(root, Excludes.none(), cache);
    assertThat(cache.begin().lookup(stat)).isNotNull();

    TreeScan.scan(Files.createDirectory(work.resolve("other")), Excludes.none(), cache);

    assertThat(cache.begin().lookup(stat)).isNull();
  }
}
