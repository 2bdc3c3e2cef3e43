/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.restore.InMemoryPackSource;
import dev.baton.snapshot.restore.ScratchDirectory;
import dev.baton.snapshot.restore.SnapshotReader;
import dev.baton.snapshot.restore.TestCapture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TreeDiffTest {
  private final ScratchDirectory scratch;
  private final InMemoryPackSource packs = new InMemoryPackSource();

  TreeDiffTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldNameWhatDiffers() throws Exception {
    // given
    scratch.run(
        "mkdir -p t/same/deep t/gone/d t/turns t/dir && cd t && echo 1 > same/deep/f && echo 1 > a "
            + "&& echo 1 > gone/d/f && echo 1 > mode && echo 1 > time && echo 1 > turns/x "
            + "&& ln -s x link && echo 1 > f && ln f hard && touch -h -d 2020-01-01 a mode time f . *");
    Snapshot before = TestCapture.of(scratch.resolve("t"), packs);
    scratch.run(
        "cd t && echo 2 > a && touch -d 2020-01-01 a && rm -r gone turns && echo 1 > turns "
            + "&& chmod 600 mode && touch -d 2021-01-01 time && ln -sfn y link "
            + "&& touch -h -d 2020-01-01 link "
            + "&& mkdir -p new/n && echo 3 > new/n/f && rm hard && ln a hard "
            + "&& touch -d 2020-01-01 . && chmod 700 dir");

    // when
    List<String> changes = diff(before, TestCapture.of(scratch.resolve("t"), packs));

    // then
    assertThat(changes)
        .containsExactly(
            "a [CONTENT]",
            "dir [MODE]",
            "-gone",
            "-gone/d",
            "-gone/d/f",
            "hard [TARGET]",
            "link [TARGET]",
            "mode [MODE]",
            "+new",
            "+new/n",
            "+new/n/f",
            "time [MTIME]",
            "turns [TYPE]",
            "-turns/x");
  }

  @Test
  void shouldNotReadWhatIsEqual() throws Exception {
    scratch.run("mkdir t; cd t; for i in $(seq 30); do mkdir d$i; echo $i > d$i/f; done");
    Snapshot before = TestCapture.of(scratch.resolve("t"), packs);
    scratch.run("echo x > t/d7/f; touch t/d7");
    Snapshot after = TestCapture.of(scratch.resolve("t"), packs);

    assertThat(diff(before, before)).isEmpty();
    assertThat(diff(before, after))
        .first(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .startsWith("d7");
  }

  @Test
  void shouldListInWalkOrderAndReadFiles() throws Exception {
    scratch.run(
        "mkdir -p t/a t/a.b; cd t; for i in $(seq 6000); do echo $i > a/$i; done; ln a/17 zz; "
            + "head -c 3000000 /dev/urandom > big; truncate -s 4000000 big; ln -s q l");
    Snapshot snapshot = TestCapture.of(scratch.resolve("t"), packs);
    List<String> paths = new ArrayList<>();
    ByteArrayOutputStream big = new ByteArrayOutputStream();

    try (SnapshotReader open = SnapshotReader.open(snapshot, packs)) {
      SnapshotWalker.walk(
          open,
          (path, entry) -> {
            paths.add(path);
            if (entry instanceof NodeEntry.File file && path.equals("big")) {
              open.copy(file, big);
            }
          });
    }

    assertThat(paths).hasSize(6006).startsWith("", "a", "a/1").endsWith("big", "l", "zz");
    List<String> inA = paths.stream().filter(path -> path.startsWith("a/")).toList();
    assertThat(inA).containsExactlyElementsOf(new TreeSet<>(inA));
    assertThat(big.toByteArray()).isEqualTo(Files.readAllBytes(scratch.resolve("t/big")));
  }

  private List<String> diff(Snapshot a, Snapshot b) throws IOException, InterruptedException {
    List<String> changes = new ArrayList<>();
    try (SnapshotReader before = SnapshotReader.open(a, packs);
        SnapshotReader after = SnapshotReader.open(b, packs)) {
      TreeDiff.diff(before, after, change -> changes.add(show(change)));
    }
    return changes;
  }

  private static String show(TreeChange change) {
    return switch (change) {
      case TreeChange.Added(String path, NodeEntry entry) -> "+" + path;
      case TreeChange.Removed(String path, NodeEntry entry) -> "-" + path;
      case TreeChange.Changed changed -> changed.path() + " " + new TreeSet<>(changed.what());
    };
  }
}
