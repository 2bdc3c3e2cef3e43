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
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that git reports the same state of a repository after a restore. */
class GitTest {
  private static final String MAKE =
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q --bare -b main remote.git
      git init -q -b main source && cd source
      printf 'target/\nnode_modules/\n' > .gitignore
      for i in $(seq 300); do mkdir -p d$((i % 9)); echo $i > d$((i % 9))/f$i; done
      chmod 755 d1/f1; ln -s d1/f1 link
      git add . && git commit -qm one
      git remote add origin ../remote.git && git push -q origin main && git fetch -q
      git gc -q
      git branch target; git branch node_modules; git tag -a v1 -m v1
      git checkout -qb build/target && echo more > more && git add . && git commit -qm unpushed
      git checkout -q main
      echo stashed > d2/f2 && git stash -q
      echo again > d3/f3 && echo untracked > u && git stash -q -u
      mkdir -p target node_modules/x && echo 1 > target/out && echo 1 > node_modules/x/y
      echo staged > d4/f4 && git add d4/f4 && echo unstaged > d4/f4
      git mv d5/f5 moved; git rm -q d6/f6; echo new > untracked
      git worktree add -q ../source/tree target && echo changed > tree/d7/f7
      git config core.hooksPath hooks
      """;

  private static final String SEE =
      """
      git fsck --strict 2>&1; git status --porcelain=v2 --branch; git stash list; git stash show -p
      git diff; git diff --cached; git log --branches --not --remotes; git for-each-ref
      git reflog --all | head -50; git -C tree status --porcelain; git -C tree diff
      git show stash@{1}; cat .git/HEAD; git count-objects -v
      """;

  private final ScratchDirectory scratch;

  GitTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldKeepARepositoryAsGitSeesIt() throws Exception {
    // given
    scratch.run(MAKE);
    InMemoryPackStore store = new InMemoryPackStore();
    TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.defaults());

    // when Reading the state refreshes the index, so that comes first.
    String expected = see();
    CapturedTree captured = tree.capture(scratch.resolve("source"), store);
    Files.move(scratch.resolve("source"), scratch.resolve("original"));
    // To the same path: a worktree refers to its repository by an absolute path.
    new TreeSnapshotter(ExcludePolicy.defaults())
        .restore(captured.snapshot(), store, scratch.resolve("source"), RestoreOptions.defaults());

    // then
    assertThat(DirectoryComparator.of(scratch, "original/.git", "source/.git", List.of(), true))
        .isEmpty();
    assertThat(see()).isEqualTo(expected).contains("stash@{1}", "unpushed", "refs/heads/target");
    assertThat(expected).doesNotContain("error", "missing", "broken");
    assertThat(scratch.resolve("source/target")).doesNotExist();
    assertThat(scratch.resolve("source/.git/refs/heads/node_modules")).exists();
  }

  private String see() throws IOException, InterruptedException {
    return scratch.run(
        "export GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_GLOBAL=/dev/null; cd source; " + SEE);
  }
}
