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
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that a snapshot contains all files that git tracks, regardless of exclude rules. */
class TrackedInLeftOutTest {
  private static final String GIT =
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      set -e
      """;

  private final ScratchDirectory scratch;
  private final TreeScanner scanner = TreeScanner.leavingOut(ExcludePolicy.defaults());

  TrackedInLeftOutTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeAll() throws IOException {
    scratch.close();
  }

  private void git(String script) throws Exception {
    scratch.run(GIT + script);
  }

  private static void add(DirState state, String prefix, List<String> files) {
    for (int i = 0; i < state.size(); i++) {
      String path = prefix + state.name(i);
      if (state.kind(i) == FileKind.DIRECTORY) {
        if (!state.name(i).equals(".git")) {
          add(state.child(i), path + "/", files);
        }
      } else {
        files.add(path);
      }
    }
  }

  private static List<String> files(DirState state) {
    List<String> files = new ArrayList<>();
    add(state, "", files);
    return files;
  }

  private DirState scan(TreeScanner with, @Nullable DirState last) throws Exception {
    return with.scan(scratch.resolve("tree"), last).root();
  }

  private List<String> files() throws Exception {
    return files(scan(scanner, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "git init -q",
        "git init -q && git config index.version 4 && git config feature.manyFiles true",
        "git init -q && git config core.splitIndex true && git config splitIndex.maxPercentChange 100",
        "git init -q --object-format=sha256",
        "git init -q --separate-git-dir ../elsewhere",
      })
  void shouldKeepWhatIsTrackedAndNothingElse(String init) throws Exception {
    git(
        """
        mkdir tree && cd tree && %s
        mkdir -p action/node_modules/dep/target src/target .venv/bin deep/a/b/__pycache__
        echo 1 | tee action/node_modules/dep/index.js action/node_modules/dep/target/x \
          action/node_modules/z src/target/kept .venv/bin/python deep/a/b/__pycache__/m.pyc plain > /dev/null
        git add -A -f
        echo 2 > src/target/later && git add -f src/target/later
        git add -f --intent-to-add plain
        mkdir -p src/target/out other/target action/node_modules/more
        echo 3 | tee src/target/out/o src/target/untracked other/target/o action/node_modules/more/m > /dev/null
        """
            .formatted(init));

    assertThat(files())
        .filteredOn(file -> !file.equals(".git"))
        .containsExactlyInAnyOrder(
            ".venv/bin/python",
            "action/node_modules/dep/index.js",
            "action/node_modules/dep/target/x",
            "action/node_modules/z",
            "deep/a/b/__pycache__/m.pyc",
            "plain",
            "src/target/kept",
            "src/target/later");
  }

  @Test
  void shouldAskTheNearestRepository() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q outer && cd outer
        mkdir -p target && echo 1 > target/outer && git add -f target
        git init -q inner && cd inner && mkdir -p target/deep && echo 1 > target/deep/inner
        echo 1 > target/untracked && git add -f target/deep && git commit -qm 1
        cd ../.. && git -C outer/inner worktree add -q --detach ../../linked
        mkdir -p linked/target && echo 1 > linked/target/no
        git init -q target/inside && echo 1 > target/inside/f && git -C target/inside add f
        """);

    assertThat(files())
        .filteredOn(file -> !file.endsWith(".git"))
        .containsExactlyInAnyOrder(
            "linked/target/deep/inner", "outer/inner/target/deep/inner", "outer/target/outer");
  }

  @Test
  void shouldKeepASubmoduleInALeftOutDirectory() throws Exception {
    git(
        """
        git init -q lib && mkdir lib/target && echo 1 | tee lib/f lib/target/t > /dev/null
        git -C lib add -f . && git -C lib commit -qm 1
        mkdir tree && cd tree && git init -q
        git -c protocol.file.allow=always submodule --quiet add -f ../lib node_modules/lib
        mkdir -p node_modules/lib/__pycache__ && echo 1 > node_modules/lib/__pycache__/no
        echo 1 > node_modules/lib/untracked
        """);

    assertThat(files())
        .filteredOn(file -> !file.endsWith(".git"))
        .containsExactlyInAnyOrder(
            ".gitmodules",
            "node_modules/lib/f",
            "node_modules/lib/target/t",
            "node_modules/lib/untracked");
  }

  @Test
  void shouldSeeWhatIsTrackedSinceTheLastScan() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q && mkdir -p sub/target && echo 1 > sub/target/f
        git commit -q --allow-empty -m 1
        """);
    DirState first = scan(scanner, null);
    assertThat(files(first)).isEmpty();

    git("cd tree && git add -f sub/target/f");
    DirState second = scan(scanner, first);
    assertThat(files(second)).containsExactly("sub/target/f");
    assertThat(files(scan(scanner, second))).containsExactly("sub/target/f");

    git("cd tree && git commit -qm 2 && git rm -q --cached sub/target/f && git commit -qm 3");
    assertThat(files(scan(scanner, second))).isEmpty();
  }

  @Test
  void shouldKeepTheStateWhereAnIndexChangesThatTracksTheSame() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q && mkdir -p sub/target && echo 1 > sub/target/f
        echo 1 > g && git add -f sub
        """);
    KernelClock.awaitSettled(scratch.resolve("."));
    DirState first = scan(scanner, null);
    SealingTreeReader.of(first, scratch.resolve("tree"));
    DirState sub = first.child(2);

    git("cd tree && git add g");

    assertThat(scan(scanner, first).child(2)).isSameAs(sub);
  }

  @Test
  void shouldKeepWhatIsTrackedInSpiteOfPatterns() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q && mkdir -p build a/out && printf '*.log\nbuild/\n' > .batonignore
        echo 1 | tee a/x.log a/y.log build/kept build/no a/out/kept > /dev/null
        git add -f a/x.log build/kept a/out/kept && echo 1 > a/out/no
        """);

    assertThat(files())
        .containsExactlyInAnyOrder(
            ".batonignore", "a/out/kept", "a/out/no", "a/x.log", "build/kept");
    assertThat(files(scan(TreeScanner.leavingOut(ExcludePolicy.matching(List.of("out/"))), null)))
        .containsExactlyInAnyOrder(".batonignore", "a/out/kept", "a/x.log", "build/kept");
  }

  @Test
  void shouldLeaveNothingOutWhereTheIndexCannotBeRead() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q && mkdir -p target && echo 1 | tee target/f target/g > /dev/null
        git add -f target/f
        """);
    Files.write(scratch.resolve("tree/.git/index"), new byte[] {1, 2, 3});

    assertThat(files()).containsExactly("target/f", "target/g");
  }

  @Test
  void shouldNameWhatIsLeftOut() throws Exception {
    git(
        """
        mkdir tree && cd tree && git init -q && mkdir -p a/target/sub b/node_modules
        echo 1 | tee a/target/f a/target/sub/g b/node_modules/h > /dev/null && git add -f a/target/f
        """);

    ScanResult result = scanner.scan(scratch.resolve("tree"), null);

    assertThat(result.leftOut()).containsExactlyInAnyOrder("a/target/sub", "b/node_modules");
    assertThat(result.skipped()).isEmpty();
  }
}
