/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeCaptureTest {
  @TempDir Path work;
  private Path root = Path.of("");
  private Path file = Path.of("");
  private final TreeArchive archive = new TreeArchive(Excludes.defaults(), new StatCache());

  @BeforeEach
  void makeTree() throws IOException {
    root = Files.createDirectory(work.resolve("root"));
    file = work.resolve("tree.tar.zst");
    Files.writeString(root.resolve("a"), "aaaa");
    Files.createLink(root.resolve("b"), root.resolve("a"));
    Files.writeString(root.resolve("c"), "cccc");
  }

  @Test
  void shouldCountEachFilesBytesOnce() throws IOException {
    Capture capture = archive.capture(root, file);

    assertThat(capture.treeBytes()).isEqualTo(8);
    assertThat(capture.fileCount()).isEqualTo(3);
    assertThat(capture.storedBytes()).isEqualTo(Files.size(file));
  }

  @Test
  void shouldSkipAndListSpecialFiles() throws Exception {
    Shell.run(root, "mkfifo pipe");

    Capture capture = archive.capture(root, file);

    assertThat(capture.skipped())
        .containsExactly(
            new Skipped("pipe", Skipped.Reason.SPECIAL_FILE, "a socket, FIFO or device"));
  }

  @Test
  void shouldRecordUnreadableFilesAndGoOn() throws IOException {
    assumeFalse(Superuser.IS, "root may read everything");
    Attributes.setMode(root.resolve("c"), 0);

    Capture capture = archive.capture(root, file);

    assertThat(capture.skipped())
        .extracting(Skipped::path, Skipped::reason)
        .containsExactly(org.assertj.core.groups.Tuple.tuple("c", Skipped.Reason.UNREADABLE));
    assertThat(capture.fileCount()).isEqualTo(2);
  }

  @Test
  void shouldMarkAFileThatIsWrittenAllTheTime() throws Exception {
    // given
    try (RandomAccessFile busy = new RandomAccessFile(root.resolve("busy").toFile(), "rw")) {
      busy.setLength(64 << 20);
      AtomicBoolean done = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!done.get()) {
                      try {
                        busy.seek(0);
                        busy.writeLong(System.nanoTime());
                      } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                      }
                    }
                  });

      // when
      Capture capture;
      TreeListing listing;
      try {
        listing = archive.list(root);
        capture = archive.capture(root, file);
      } finally {
        done.set(true);
        writer.join();
      }

      // then
      assertThat(listing.skipped())
          .extracting(Skipped::reason)
          .containsExactly(Skipped.Reason.CHANGED_WHILE_READ);
      assertThat(capture.skipped())
          .isNotEmpty()
          .allSatisfy(
              s -> {
                assertThat(s.path()).isEqualTo("busy");
                assertThat(s.reason()).isEqualTo(Skipped.Reason.CHANGED_WHILE_READ);
              });
      restore(capture.digest());
      assertThat(work.resolve("target/busy")).hasSize(64 << 20);
    }
  }

  @Test
  void shouldWriteTheAnnouncedSizeWhenAFileShrinksMeanwhile() throws IOException {
    TreeListing listing = archive.list(root);
    Files.writeString(root.resolve("c"), "c");

    TarWriter.Written written = TarWriter.write(root, listing, file);

    assertThat(written.moved()).isTrue();
    assertThat(written.listing().skipped()).extracting(Skipped::path).containsExactly("c");
    restore(written.listing().digest());
    assertThat(Files.readAllBytes(work.resolve("target/c"))).containsExactly('c', 0, 0, 0);
  }

  @Test
  void shouldIgnoreWhatIsAppendedMeanwhile() throws IOException {
    TreeListing listing = archive.list(root);
    Files.writeString(root.resolve("c"), "cccc and more");

    TarWriter.Written written = TarWriter.write(root, listing, file);

    assertThat(written.moved()).isFalse();
    assertThat(written.listing()).isEqualTo(listing);
    restore(listing.digest());
  }

  @Test
  void shouldLeaveOutEveryNameOfAFileThatVanishesMeanwhile() throws IOException {
    TreeListing listing = archive.list(root);
    Files.delete(root.resolve("a"));

    TarWriter.Written written = TarWriter.write(root, listing, file);

    assertThat(written.moved()).isTrue();
    assertThat(written.listing().skipped()).extracting(Skipped::path).containsExactly("a", "b");
    restore(written.listing().digest());
  }

  @Test
  void shouldRefuseToWriteTheArchiveIntoTheTree() {
    assertThatThrownBy(() -> archive.capture(root, root.resolve("x.tar.zst")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be in the tree");
  }

  @Test
  void shouldSayWhichRootIsMissingAndLeaveNoArchive() {
    assertThatThrownBy(() -> archive.capture(work.resolve("nowhere"), file))
        .hasMessageContaining("nowhere");
    assertThat(file).doesNotExist();
  }

  private void restore(String digest) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      archive.restore(in, work.resolve("target"), digest, Limits.defaults());
    }
  }
}
