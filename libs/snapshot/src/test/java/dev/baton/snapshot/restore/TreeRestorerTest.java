/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.Snapshot;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.scan.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TreeRestorerTest {
  /** Every unusual property that a file system allows. */
  private static final String ODDITIES =
      """
      mkdir source && cd source
      mkdir -p empty d/e/f sticky setgid $'odd\\n\\xff\\xfe name'
      printf x > one; printf '' > nothing; head -c 600000 /dev/urandom > chunked
      head -c 30000000 /dev/urandom > large
      head -c 70000 /dev/zero > zeros
      truncate -s 5000000 hole; truncate -s 4000000 sparse
      printf abc | dd of=sparse bs=1 seek=2000000 conv=notrunc status=none
      printf abc | dd of=ends bs=1 seek=3000000 status=none
      ln one d/linked; ln one d/e/linked; ln d/e/linked zzz; ln chunked a-first
      ln -s nowhere dangling; ln -s ../.. d/up; ln -s /etc/passwd d/absolute
      ln -s $'\\xff\\n' raw-link
      touch "$(printf 'x%.0s' $(seq 255))" -- '-rf *' $'tab\\t'
      for i in $(seq 700); do echo $i > d/f$i; done
      for i in $(seq 40); do mkdir d/e/sub$i; echo $i > d/e/sub$i/same; echo s > d/e/sub$i/s; done
      chmod 1777 sticky; chmod 0555 d/e/f; chmod 0750 d/e; chmod 0444 one; chmod 0755 nothing
      chmod 0640 zeros; chmod 01644 d/f3
      setfattr -n user.note -v hello d/f1 2>/dev/null || true
      setfattr -n user.dir -v 0x00ff d/e/sub1 2>/dev/null || true
      touch -h -d '1960-01-02 03:04:05.123456789' dangling d/f2
      touch -d '2030-05-06 07:08:09.000000001' d/e/sub2 d/f4 .
      """;

  private ScratchDirectory scratch;

  TreeRestorerTest() throws IOException {
    scratch = new ScratchDirectory();
  }

  @BeforeEach
  void makeScratch() throws IOException {
    assertThat(scratch.names()).isEmpty();
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldRestoreEveryOddity() throws Exception {
    // given
    scratch.run(ODDITIES);
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);
    List<String> progress = new ArrayList<>();

    // when
    RestoredTree restored =
        TreeRestorer.restore(
            snapshot,
            packs,
            scratch.resolve("target"),
            RestoreOptions.defaults()
                .withProgress((bytes, files) -> progress.add(bytes + "/" + files)));

    // then
    assertThat(differences("source", "target")).isEmpty();
    assertThat(restored.degraded()).isEmpty();
    assertThat(restored.fileCount()).isEqualTo(snapshot.fileCount());
    assertThat(restored.treeBytes()).isEqualTo(snapshot.treeBytes());
    assertThat(progress.getLast()).isEqualTo(snapshot.treeBytes() + "/" + snapshot.fileCount());
    assertThat(TestCapture.of(scratch.resolve("target"), new InMemoryPackSource()).root())
        .isEqualTo(snapshot.root());
    assertThat(scratch.names()).containsExactly("source", "target");
    assertThat(scratch.run("cd target && stat -c %b hole sparse ends").lines())
        .allMatch(blocks -> Integer.parseInt(blocks) < 200);
  }

  @Test
  void shouldKnowWhatItHasWritten() throws Exception {
    scratch.run(ODDITIES);
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    RestoredTree restored = restore(snapshot, packs);

    assertThat(restored.state().node()).isNotNull();
    assertThat(restored.chunks().contains(snapshot.root())).isTrue();
    assertThat(restored.composites().values()).anyMatch(parts -> parts.size() > 16);
    scratch.run("sleep 0.1; touch target/d/f5");
    var scan = TreeScanner.ofEverything().scan(scratch.resolve("target"), restored.state());
    // Files written last may be too recent to be trusted.
    assertThat(scan.filesToRead()).isBetween(1L, snapshot.fileCount());
  }

  @Test
  void shouldReadPacksOnceThoughTheirChunksAreInManyFiles() throws Exception {
    // Between a file and its copy are more blocks than the cache holds.
    scratch.run(
        """
        mkdir -p source/a source/m source/z && cd source
        for i in $(seq 300); do head -c 3000 /dev/urandom > a/$i; done
        head -c 100000000 /dev/urandom > m/large
        for i in $(seq 300); do cp a/$i z/$i; done; cp m/large z/large; cp a/7 z/written
        for i in $(seq 3); do cat a/1; head -c 200000000 /dev/zero; done > z/zeros
        """);
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);
    long stored = snapshot.packs().stream().mapToLong(PackRef::size).sum();

    restore(snapshot, packs);

    assertThat(differences("source", "target")).isEmpty();
    assertThat(packs.bytesRead.get()).isBetween(stored / 2, stored + stored / 20);
  }

  @Test
  void shouldReplaceWhatIsThereWhole() throws Exception {
    scratch.run("mkdir -p source/d target/old/x && echo 1 > source/d/f && echo 2 > target/old/x/y");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    RestoredTree restored = restore(snapshot, packs);

    assertThat(restored.leftovers()).isEmpty();
    assertThat(differences("source", "target")).isEmpty();
    assertThat(scratch.names()).containsExactly("source", "target");
  }

  @Test
  void shouldDropSetuidUnlessAskedToKeepIt() throws Exception {
    scratch.run(
        "mkdir -p source/d && touch source/f && chmod 6755 source/f && chmod 6755 source/d");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    RestoredTree dropped = restore(snapshot, packs);
    String modes = scratch.run("stat -c %a target/f target/d");
    TreeRestorer.restore(
        snapshot, packs, scratch.resolve("target"), RestoreOptions.defaults().keepingSetuid());

    assertThat(modes).isEqualTo("755\n2755\n");
    assertThat(dropped.state().node()).isNull();
    assertThat(scratch.run("stat -c %a target/f target/d")).isEqualTo("6755\n6755\n");
  }

  @Test
  void shouldRestoreDeepDirectories() throws Exception {
    scratch.run(
        "mkdir source && cd source && for i in $(seq 60); do mkdir "
            + "d".repeat(200)
            + " && cd d*; done && echo deep > file && ln file link");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    restore(snapshot, packs);

    assertThat(TestCapture.of(scratch.resolve("target"), new InMemoryPackSource()).root())
        .isEqualTo(snapshot.root());
  }

  @Test
  void shouldRestoreOwnersAsSuperuser() throws Exception {
    assumeThat(ProcessCredentials.isSuperuser()).isTrue();
    scratch.run("mkdir source && touch source/f && chown 1234:2345 source/f");
    InMemoryPackSource packs = new InMemoryPackSource();

    restore(TestCapture.of(scratch.resolve("source"), packs), packs);

    assertThat(scratch.run("stat -c %u:%g target/f")).isEqualTo("1234:2345\n");
  }

  @Test
  void shouldFetchASmallPackOnce() throws Exception {
    scratch.run("mkdir -p source/d && echo 1 > source/d/f && ln -s x source/l");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    restore(snapshot, packs);

    assertThat(packs.requests).hasValue(1);
  }

  @Test
  void shouldLeaveTheTargetAloneWhenAnyByteOfAPackIsWrong() throws Exception {
    scratch.run("mkdir -p source target && echo kept > target/kept && echo 1 > source/f");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);
    PackRef pack = snapshot.packs().getFirst();
    byte[] bytes = packs.bytes(pack);

    for (int i = 4; i < bytes.length; i++) {
      bytes[i] ^= 0x40;
      assertThatThrownBy(() -> restore(snapshot, packs)).isInstanceOf(SnapshotException.class);
      bytes[i] ^= 0x40;
    }

    assertThat(scratch.resolve("target/kept")).hasContent("kept");
    assertThat(scratch.names()).containsExactly("source", "target");
    restore(snapshot, packs);
  }

  @Test
  void shouldPassOnWhatTheSourceSays() throws Exception {
    scratch.run("mkdir source && head -c 3000000 /dev/urandom > source/f");
    InMemoryPackSource packs = new InMemoryPackSource();
    Snapshot snapshot = TestCapture.of(scratch.resolve("source"), packs);

    assertThatThrownBy(
            () ->
                TreeRestorer.restore(
                    snapshot,
                    (pack, offset, into, length) -> {
                      if (offset == 4) {
                        throw new IOException("connection reset");
                      }
                      packs.read(pack, offset, into, length);
                    },
                    scratch.resolve("target"),
                    RestoreOptions.defaults()))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(SnapshotException.class)
        .hasMessage("connection reset");
    assertThat(scratch.names()).containsExactly("source");
  }

  private RestoredTree restore(Snapshot snapshot, InMemoryPackSource packs)
      throws IOException, InterruptedException {
    return TreeRestorer.restore(
        snapshot, packs, scratch.resolve("target"), RestoreOptions.defaults());
  }

  /** Compares with an independent program. */
  private String differences(String a, String b) throws IOException, InterruptedException {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/rsync"))).as("rsync is there").isTrue();
    return scratch.run("rsync -aHAXcn --delete --itemize-changes " + a + "/ " + b + "/");
  }
}
