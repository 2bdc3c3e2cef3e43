/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.posix.FileKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IgnoreRuleSetTest {
  @TempDir Path root;

  private final TreeScanner scanner = TreeScanner.leavingOut(ExcludePolicy.defaults());

  private void write(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, content);
  }

  private static List<String> files(DirState state, String prefix) {
    List<String> files = new ArrayList<>();
    for (int i = 0; i < state.size(); i++) {
      String path = prefix + state.name(i);
      if (state.kind(i) == FileKind.DIRECTORY) {
        files.addAll(files(state.child(i), path + "/"));
      } else {
        files.add(path);
      }
    }
    return files;
  }

  private List<String> files() throws IOException, InterruptedException {
    return files(scanner.scan(root, null).root(), "");
  }

  @Test
  void shouldLeaveOutDirectoriesOfTheseNamesOnly() throws Exception {
    write("node_modules/a", "");
    write("x/target/b", "");
    write("y/target", "a file");
    write(".venv/c", "");
    write("src/d", "");
    assertThat(files()).containsExactly("src/d", "y/target");
  }

  @Test
  void shouldTakeARepositoryWhole() throws Exception {
    write(".batonignore", "*.pack\n.git\nHEAD\n.*\n");
    write(".git/refs/heads/target/x", "");
    write(".git/objects/a.pack", "");
    write(".git/node_modules/y", "");
    write("server.git/HEAD", "");
    write("server.git/objects/b.pack", "");
    write("server.git/refs/heads/target/main", "");
    write("c.pack", "");
    assertThat(files())
        .containsExactly(
            ".batonignore",
            ".git/node_modules/y",
            ".git/objects/a.pack",
            ".git/refs/heads/target/x",
            "server.git/HEAD",
            "server.git/objects/b.pack",
            "server.git/refs/heads/target/main");
  }

  @Test
  void shouldFollowTheSyntaxOfGit() throws Exception {
    write(
        ".batonignore",
        "# comment\n*.log\n!keep.log\n/build/\ndoc/**/*.pdf\n\\#odd\nr\u00e9\n!target/\r\n");
    write("a.log", "");
    write("keep.log", "");
    write("x/b.log", "");
    write("build/c", "");
    write("x/build/d", "");
    write("doc/a/b/c.pdf", "");
    write("doc/c.txt", "");
    write("#odd", "");
    write("r\u00e9", "");
    write("target/e", "");
    assertThat(files())
        .containsExactly(".batonignore", "doc/c.txt", "keep.log", "target/e", "x/build/d");
  }

  @Test
  void shouldLetTheNearestFileDecide() throws Exception {
    write(".batonignore", "*.tmp\n/only-here\n");
    write("only-here", "");
    write("sub/only-here", "");
    write("sub/.batonignore", "!important.tmp\nextra\n");
    write("sub/important.tmp", "");
    write("sub/deep/important.tmp", "");
    write("sub/other.tmp", "");
    write("sub/extra", "");
    write("extra", "");
    assertThat(files())
        .containsExactly(
            ".batonignore",
            "extra",
            "sub/.batonignore",
            "sub/deep/important.tmp",
            "sub/important.tmp",
            "sub/only-here");
  }

  @Test
  void shouldFollowAChangeThoughDirectoriesAreUnchanged() throws Exception {
    write("a/b/c.log", "");
    write("a/b/d", "");
    DirState first = scanner.scan(root, null).root();
    SealingTreeReader reader = new SealingTreeReader(true);
    reader.capture(first, root);
    write(".batonignore", "*.log\n");
    DirState second = scanner.scan(root, first).root();
    new SealingTreeReader(true).capture(second, root);
    assertThat(files(second, "")).containsExactly(".batonignore", "a/b/d");
    write(".batonignore", "d\n");
    DirState third = scanner.scan(root, second).root();
    new SealingTreeReader(true).capture(third, root);
    assertThat(files(third, "")).containsExactly(".batonignore", "a/b/c.log");
    Files.delete(root.resolve(".batonignore"));
    DirState fourth = scanner.scan(root, third).root();
    assertThat(files(fourth, "")).containsExactly("a/b/c.log", "a/b/d");
  }

  @Test
  void shouldKeepWhatIsKnownWhenAnotherScannerLooks() throws Exception {
    write("a/b/c", "x");
    DirState restored = TreeScanner.ofEverything().scan(root, null).root();
    new SealingTreeReader(true).capture(restored, root);
    ScanResult next = scanner.scan(root, restored);
    assertThat(next.root()).isSameAs(restored);
    assertThat(next.root().node()).isNotNull();
  }

  @Test
  void shouldNotFollowAFileThatIsTooLarge() throws Exception {
    write(".batonignore", "*\n".repeat(600_000));
    write("a", "");
    ScanResult result = scanner.scan(root, null);
    assertThat(files(result.root(), "")).containsExactly(".batonignore", "a");
    assertThat(result.skipped()).hasSize(1);
  }
}
