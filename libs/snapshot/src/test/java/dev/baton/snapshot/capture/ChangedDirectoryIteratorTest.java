/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.format.ChunkSizes;
import dev.baton.snapshot.scan.DirState;
import dev.baton.snapshot.scan.KernelClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangedDirectoryIteratorTest {
  @TempDir Path temp;

  private Path root;
  private final TreeCapturer tree = new TreeCapturer(ExcludePolicy.none(), ChunkSizes.STANDARD);

  @BeforeEach
  void makeTree() throws IOException {
    root = Files.createDirectory(temp.resolve("root"));
    for (String file : List.of("a/f", "b/f", "b/deep/er/f", "b/deep/still/f", "c/f", "d/f", "z")) {
      write(file);
    }
  }

  @Test
  void shouldNameAllDirectoriesOfATreeThatIsNew() throws Exception {
    DirState state = read();

    assertThat(changed(state, null))
        .containsExactly("a", "b", "b/deep", "b/deep/er", "b/deep/still", "c", "d");
  }

  @Test
  void shouldNameNoneOfATreeThatIsTheSame() throws Exception {
    DirState before = read();

    assertThat(changed(read(), before)).isEmpty();
  }

  @Test
  void shouldNameDirectoriesOnTheWayToWhatHasChanged() throws Exception {
    DirState before = read();
    write("b/deep/still/f");

    assertThat(changed(read(), before)).containsExactly("b", "b/deep", "b/deep/still");
  }

  @Test
  void shouldNameDirectoriesThatWereNotThere() throws Exception {
    // given names before, between and after those that remain
    DirState before = read();
    Files.move(root.resolve("c"), root.resolve("bb"));
    Files.delete(root.resolve("z"));
    write("z/f");
    write("_/f");
    Files.delete(root.resolve("d/f"));
    Files.delete(root.resolve("d"));
    write("d");

    assertThat(changed(read(), before)).containsExactly("_", "bb", "z");
  }

  private void write(String path) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, path + System.nanoTime());
  }

  /** Reads the tree after its times have become reliable. */
  private DirState read() throws IOException, InterruptedException {
    KernelClock.awaitSettled(temp);
    return tree.read(root);
  }

  private static List<String> changed(DirState state, @Nullable DirState before) {
    List<String> names = new ArrayList<>();
    add(state, before, "", names);
    return names;
  }

  private static void add(
      DirState state, @Nullable DirState before, String prefix, List<String> names) {
    ChangedDirectoryIterator each = new ChangedDirectoryIterator(state, before);
    for (ChangedDirectoryIterator.Changed next = each.next(); next != null; next = each.next()) {
      names.add(prefix + next.name());
      add(next.state(), next.before(), prefix + next.name() + "/", names);
    }
  }
}
