/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.restore.ScratchDirectory;
import org.junit.jupiter.api.Test;

class TreeRelocatorTest {
  private static TreeRelocator.Result moved(ScratchDirectory scratch) throws Exception {
    return new TreeRelocator(scratch.resolve("old"), scratch.resolve("new"))
        .apply(scratch.resolve("new"));
  }

  @Test
  void shouldCommitInTheCopyOfALinkedWorkTree() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
          mkdir old && cd old && git init -q repo && git -C repo commit -q --allow-empty -m first
          git -C repo worktree add -q ../feature && git clone -q --shared repo clone
          cp -a ../old ../new
          """);

      TreeRelocator.Result result = moved(scratch);

      assertThat(result.failed()).isEmpty();
      assertThat(result.rewritten())
          .containsExactlyInAnyOrder(
              "feature/.git",
              "repo/.git/worktrees/feature/gitdir",
              "clone/.git/objects/info/alternates",
              "clone/.git/config");
      assertThat(
              scratch
                  .run(
                      """
                      export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
                      git -C new/feature commit -q --allow-empty -m second
                      git -C new/repo log --all --format=%s; git -C old/repo log --all --format=%s; git -C new/clone fsck --no-dangling 2>&1
                      """)
                  .lines())
          .containsExactly("second", "first", "first");
    }
  }

  @Test
  void shouldRewriteLinksEnvironmentsAndBuildFoldersAndKeepTheRest() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir -p old/env/bin old/build/CMakeFiles old/a && cd old && here=$PWD
          echo "home = /usr/bin" > env/pyvenv.cfg; echo "command = python3 -m venv $here/env" >> env/pyvenv.cfg
          printf '#!%s/env/bin/python\n' "$here" > env/bin/pip && chmod 755 env/bin/pip
          echo "CMAKE_HOME_DIRECTORY:INTERNAL=$here" > build/CMakeCache.txt
          echo "cd $here/build && $here-other/x" > build/CMakeFiles/Makefile
          echo "$here" > a/notes; ln -s "$here/a/notes" abs; ln -s a rel; ln -s "$here-other" sibling; ln -s "$here" root
          touch -h -d @77 abs env/bin/pip
          cp -a ../old ../new
          """);

      TreeRelocator.Result result = moved(scratch);

      assertThat(result.rewritten())
          .containsExactlyInAnyOrder(
              "abs",
              "root",
              "env/pyvenv.cfg",
              "env/bin/pip",
              "build/CMakeCache.txt",
              "build/CMakeFiles/Makefile");
      String root = scratch.resolve("new").toString();
      String old = scratch.resolve("old").toString();
      assertThat(
              scratch
                  .run(
                      """
                      cd new && readlink abs root sibling && cat env/bin/pip build/CMakeFiles/Makefile a/notes
                      stat -c '%Y %a' env/bin/pip && stat -c %Y abs
                      """)
                  .lines())
          .containsExactly(
              root + "/a/notes",
              root,
              old + "-other",
              "#!" + root + "/env/bin/python",
              "cd " + root + "/build && " + old + "-other/x",
              old,
              "77 755",
              "77");
    }
  }
}
