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
import dev.baton.snapshot.FileContentScanner;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileContentScannerTest {
  private static final byte[] REFUSED = "refused-content".getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;

  private final InMemoryPackStore store = new InMemoryPackStore();
  private final TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());
  private final AtomicBoolean active = new AtomicBoolean(true);

  /** Finds the bytes also across the borders of pieces. */
  private FileContentScanner.ContentScan begin() {
    int[] matched = {0};
    return (bytes, offset, length) -> {
      for (int i = offset; i < offset + length; i++) {
        matched[0] = bytes[i] == REFUSED[matched[0]] ? matched[0] + 1 : bytes[i] == 'r' ? 1 : 0;
        if (matched[0] == REFUSED.length) {
          return false;
        }
      }
      return true;
    };
  }

  private static List<String> refused(CapturedTree captured) {
    return captured.skipped().stream()
        .filter(entry -> entry.reason() == SkippedEntry.Reason.CONTENT_REFUSED)
        .map(SkippedEntry::path)
        .sorted()
        .toList();
  }

  @Test
  void shouldLeaveOutFilesWithRefusedContent() throws Exception {
    Path source = folder.resolve("source");
    Files.createDirectories(source.resolve("in"));
    byte[] large = new byte[6 << 20];
    new Random(1).nextBytes(large);
    Files.write(source.resolve("clean"), large);
    // Wherever the chunks begin, some of these are on their borders.
    for (int at = 0; at + REFUSED.length < large.length; at += 16) {
      System.arraycopy(REFUSED, 0, large, at, REFUSED.length);
    }
    Files.write(source.resolve("large"), large);
    Files.write(source.resolve("in/small"), REFUSED);
    Files.writeString(source.resolve("in/other"), "refused-conten");
    tree.scan(() -> active.get() ? begin() : null);

    CapturedTree captured = tree.capture(source, store);

    assertThat(refused(captured)).containsExactly("in/small", "large");
    assertThat(captured.storedBytes()).isLessThan(7 << 20);
    tree.restore(captured.snapshot(), store, folder.resolve("restored"), RestoreOptions.defaults());
    assertThat(folder.resolve("restored/large")).doesNotExist();
    assertThat(folder.resolve("restored/in/small")).doesNotExist();
    assertThat(folder.resolve("restored/in/other")).hasContent("refused-conten");
    assertThat(folder.resolve("restored/clean")).hasSameBinaryContentAs(source.resolve("clean"));
  }

  @Test
  void shouldReportAFileWithEachCaptureUntilItsContentIsGood() throws Exception {
    Path source = Files.createDirectories(folder.resolve("source"));
    Files.write(source.resolve("a"), REFUSED);
    Files.writeString(source.resolve("b"), "good");
    tree.scan(() -> active.get() ? begin() : null);

    CapturedTree first = tree.capture(source, store);

    assertThat(refused(first)).containsExactly("a");
    assertThat(tree.digest(source)).isEqualTo(first.snapshot().root());
    Files.writeString(source.resolve("b"), "changed");
    assertThat(refused(tree.capture(source, store))).containsExactly("a");
    assertThat(refused(tree.capture(source, store))).containsExactly("a");
    Files.writeString(source.resolve("a"), "good, too");
    CapturedTree last = tree.capture(source, store);
    assertThat(refused(last)).isEmpty();
    assertThat(last.snapshot().fileCount()).isEqualTo(2);
    assertThat(tree.list(source).entries()).hasSize(3);
  }

  @Test
  void shouldReadNothingTwiceWithoutAScan() throws Exception {
    Path source = Files.createDirectories(folder.resolve("source"));
    Files.write(source.resolve("a"), REFUSED);
    active.set(false);
    tree.scan(() -> active.get() ? begin() : null);

    assertThat(refused(tree.capture(source, store))).isEmpty();
  }
}
