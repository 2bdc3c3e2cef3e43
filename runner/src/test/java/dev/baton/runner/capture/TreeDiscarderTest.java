/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeDiscarderTest {
  @TempDir Path work;
  private Path folder = Path.of("");
  private Path root = Path.of("");

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(work.resolve("run"));
    root = folder.resolve("workspace");
  }

  @Test
  void shouldTakeATreeAway() throws IOException {
    Files.createDirectories(root.resolve("inner"));

    TreeDiscarder.discard(root);

    assertThat(root).doesNotExist();
    assertThat(discarded()).singleElement().satisfies(it -> assertThat(it).isDirectory());
    TreeDiscarder.deleteDiscarded(folder);
    assertThat(discarded()).isEmpty();
  }

  @Test
  void shouldTakeALinkAwayAndLeaveWhatItPointsTo() throws IOException {
    Path elsewhere = Files.createDirectory(work.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("file"), "text");
    Files.createSymbolicLink(root, elsewhere);

    TreeDiscarder.discard(root);

    assertThat(Files.exists(root, LinkOption.NOFOLLOW_LINKS)).isFalse();
    TreeDiscarder.deleteDiscarded(folder);
    assertThat(discarded()).isEmpty();
    assertThat(elsewhere.resolve("file")).hasContent("text");
  }

  @Test
  void shouldTakeAFileAway() throws IOException {
    Files.writeString(root, "not a directory");

    TreeDiscarder.discard(root);

    assertThat(root).doesNotExist();
  }

  @Test
  void shouldLeaveAFolderAloneThatHasNoTree() throws IOException {
    TreeDiscarder.discard(root);
    TreeDiscarder.discard(work.resolve("missing/workspace"));

    assertThat(discarded()).isEmpty();
    assertThat(work.resolve("missing")).doesNotExist();
  }

  @Test
  void shouldTakeAwayWhatKilledProcessesLeft() throws Exception {
    Files.createDirectories(folder.resolve(".baton-new-1/inner"));
    Files.createDirectory(folder.resolve(".baton-old-1"));
    Files.createDirectory(folder.resolve(".discarded-1"));
    Files.createDirectory(folder.resolve("kept"));
    // A replacement's process finds them.
    Process next =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Discarding.class.getName(),
                folder.toString())
            .inheritIO()
            .start();

    assertThat(next.waitFor()).isZero();

    assertThat(discarded()).extracting(it -> it.getFileName().toString()).containsExactly("kept");
  }

  /** Does what a restore does first, and the deletion that follows later. */
  static final class Discarding {
    private Discarding() {}

    public static void main(String[] args) throws IOException {
      Path folder = Path.of(args[0]);
      Path root = folder.resolve("workspace");
      TreeDiscarder.discard(root);
      Path underWay = Files.createDirectory(folder.resolve(".baton-new-2"));
      TreeDiscarder.discard(root);
      if (!Files.exists(underWay)) {
        throw new AssertionError("files in progress were moved aside");
      }
      Files.delete(underWay);
      TreeDiscarder.deleteDiscarded(folder);
    }
  }

  private List<Path> discarded() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }
}
