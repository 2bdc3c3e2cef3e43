/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.restore.ScratchDirectory;
import java.util.List;
import org.junit.jupiter.api.Test;

class UncapturedFileMoverTest {
  @Test
  void shouldMoveWhatNoSnapshotHasIntoTheTreeThatReplacesIt() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir -p old/{a/node_modules/x,b/target,c/target,d/target} new/{a,c/target,d} other
          echo 1 | tee old/{a/node_modules/x/f,b/target/f,c/target/f,d/target/f} > /dev/null
          rmdir new/d && ln -s ../other new/d && touch -d @77 new/a
          """);
      List<String> paths =
          List.of("a/node_modules", "b/target", "c/target", "d/target", "gone/target");
      List<String> placed;
      try (UncapturedFileMover kept =
          UncapturedFileMover.take(scratch.resolve("old"), paths, scratch.resolve("kept"))) {
        placed = kept.putInto(scratch.resolve("new"));
      }

      assertThat(placed).containsExactly("a/node_modules");
      assertThat(scratch.run("find new other -type f; stat -c %Y new/a; ls kept | wc -l").lines())
          .containsExactly("new/a/node_modules/x/f", "77", "3");
    }
  }

  @Test
  void shouldMergeWhatABranchBeganToTrackInALeftOutDirectory() throws Exception {
    try (ScratchDirectory scratch = new ScratchDirectory()) {
      scratch.run(
          """
          mkdir base && cd base && git init -q && mkdir target && echo 1 | tee target/f target/g > /dev/null
          cp -a ../base ../branch && cd ../branch && echo 2 > target/f && git add -f target/f
          """);
      TreeListing base =
          new TreeSnapshotter(ExcludePolicy.defaults()).list(scratch.resolve("base"));
      TreeListing branch =
          new TreeSnapshotter(ExcludePolicy.defaults()).list(scratch.resolve("branch"));

      MergeResult result =
          TreeMerger.merge(
              base,
              List.of(new TreeMerger.Branch("b", scratch.resolve("branch"), branch)),
              scratch.resolve("base"));

      assertThat(result).isInstanceOf(MergeResult.Merged.class);
      assertThat(scratch.run("cd base && cat target/f target/g").lines()).containsExactly("2", "1");
    }
  }
}
