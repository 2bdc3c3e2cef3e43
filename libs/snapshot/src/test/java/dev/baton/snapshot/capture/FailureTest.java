/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.PackRef;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests failing captures and the captures after them. */
class FailureTest {
  private final ScratchDirectory scratch;
  private final Path source;
  private final InMemoryPackStore store = new InMemoryPackStore();
  private final TreeSnapshotter tree = new TreeSnapshotter(ExcludePolicy.none());

  FailureTest() throws IOException {
    scratch = new ScratchDirectory();
    source = Files.createDirectory(scratch.resolve("source"));
  }

  @AfterEach
  void removeScratch() throws IOException {
    scratch.close();
  }

  @Test
  void shouldGoOnAfterAnyPutThatFails() throws Exception {
    // given more packs than are uploaded at once
    long seed = System.nanoTime();
    Random random = new Random(seed);
    fill(random, 36, 2 << 20);
    int all = packsOfAll();
    assertThat(all).isGreaterThan(4);
    for (int put = 1; put <= all; put++) {
      // when
      InMemoryPackStore fresh = new InMemoryPackStore();
      TreeSnapshotter other = new TreeSnapshotter(ExcludePolicy.none());
      fresh.failFrom(put, "no space left");
      assertThatThrownBy(() -> other.capture(source, fresh))
          .as("seed %d, put %d", seed, put)
          .isInstanceOf(IOException.class)
          .hasMessage("no space left");
      fresh.heal();
      CapturedTree captured = other.capture(source, fresh);

      // then
      restoreAndCompare(captured, fresh);
      assertThat(fresh.packs()).containsAll(captured.snapshot().packs());
      long wasted = fresh.bytes() - size(captured);
      assertThat(wasted).isLessThan(size(captured) / 4);
    }
  }

  private int packsOfAll() throws IOException, InterruptedException {
    InMemoryPackStore whole = new InMemoryPackStore();
    new TreeSnapshotter(ExcludePolicy.none()).capture(source, whole);
    return whole.puts();
  }

  @Test
  void shouldPutEverythingAgainWhenTheStoreHasLostIt() throws Exception {
    // given
    fill(new Random(2), 300, 20_000);
    CapturedTree first = tree.capture(source, store);
    store.clear();

    // when
    tree.forgetPacks();
    CapturedTree second = tree.capture(source, store);

    // then
    assertThat(second.snapshot().root()).isEqualTo(first.snapshot().root());
    restoreAndCompare(second, store);
    assertThat(tree.capture(source, store).storedBytes()).isZero();
  }

  @Test
  void shouldFindWhatAnotherTreeHasPut() throws Exception {
    fill(new Random(3), 50, 200_000);
    CapturedTree first = tree.capture(source, store);

    CapturedTree second = new TreeSnapshotter(ExcludePolicy.none()).capture(source, store);

    assertThat(second.snapshot().root()).isEqualTo(first.snapshot().root());
    assertThat(second.storedBytes()).isLessThan(first.storedBytes() / 10);
    restoreAndCompare(second, store);
  }

  @Test
  void shouldEndSoonWhenInterrupted() throws Exception {
    // given a store that blocks all callers
    fill(new Random(4), 60, 2 << 20);
    CountDownLatch waiting = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread capture =
        new Thread(
            () -> {
              try {
                tree.capture(
                    source,
                    new SlowStore(
                        store,
                        () -> {
                          waiting.countDown();
                          never.await();
                        }));
              } catch (IOException | InterruptedException | RuntimeException e) {
                thrown.set(e);
              }
            });
    capture.start();
    waiting.await();

    // when
    capture.interrupt();
    capture.join(10_000);

    // then
    assertThat(capture.isAlive()).isFalse();
    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertThat(threads()).isZero();
    restoreAndCompare(tree.capture(source, store), store);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("baton-"))
        .count();
  }

  @Test
  void shouldLeaveNoFilesOpen() throws Exception {
    fill(new Random(5), 1000, 2000);
    tree.capture(source, store);
    long before = open();
    for (int i = 0; i < 5; i++) {
      fill(new Random(6 + i), 400, 2000);
      tree.capture(source, store);
      InMemoryPackStore broken = new InMemoryPackStore();
      broken.failFrom(1, "broken");
      assertThatThrownBy(() -> new TreeSnapshotter(ExcludePolicy.none()).capture(source, broken))
          .hasMessage("broken");
    }
    assertThat(open()).isLessThanOrEqualTo(before + 5);
  }

  private static long open() throws IOException {
    try (var files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  @Test
  void shouldKeepFewPacksOverManyCaptures() throws Exception {
    // given
    Random random = new Random(7);
    fill(random, 400, 30_000);
    CapturedTree first = tree.capture(source, store);
    long changed = 0;
    int most = 0;
    for (int i = 1; i <= 300; i++) {
      byte[] content = new byte[40_000];
      random.nextBytes(content);
      Files.write(source.resolve("d" + i % 7).resolve("f" + random.nextInt(50)), content);
      changed += content.length;

      // when
      CapturedTree captured = tree.capture(source, store);

      // then
      most = Math.max(most, captured.snapshot().packs().size());
      if (i % 25 == 0) {
        restoreAndCompare(captured, store);
      }
    }
    assertThat(most).isBetween(StoredTreeIndex.MANY, StoredTreeIndex.MANY + 10);
    assertThat(store.bytes() - size(first)).isLessThan(3 * changed);
  }

  @Test
  void shouldSurviveFailuresWhilePacksAreMerged() throws Exception {
    fill(new Random(8), 100, 3000);
    for (int i = 1; i <= 150; i++) {
      Files.writeString(source.resolve("d0").resolve("f" + i), "content " + i);
      if (i % 3 == 0) {
        store.failFrom(1, "broken");
        assertThatThrownBy(() -> tree.capture(source, store)).hasMessage("broken");
        store.heal();
      }
      CapturedTree captured = tree.capture(source, store);
      assertThat(captured.snapshot().packs().size()).isLessThan(StoredTreeIndex.MANY + 10);
    }
    restoreAndCompare(tree.capture(source, store), store);
  }

  private void restoreAndCompare(CapturedTree captured, InMemoryPackStore from)
      throws IOException, InterruptedException {
    new TreeSnapshotter(ExcludePolicy.none())
        .restore(captured.snapshot(), from, scratch.resolve("target"), RestoreOptions.defaults());
    // The restore has verified the target against the root.
    assertThat(new TreeSnapshotter(ExcludePolicy.none()).digest(source))
        .isEqualTo(captured.snapshot().root());
  }

  private static long size(CapturedTree captured) {
    return captured.snapshot().packs().stream().mapToLong(PackRef::size).sum();
  }

  private void fill(Random random, int files, int bytes) throws IOException {
    for (int i = 0; i < files; i++) {
      Path directory = Files.createDirectories(source.resolve("d" + i % 7));
      byte[] content = new byte[bytes];
      random.nextBytes(content);
      Files.write(directory.resolve("f" + i), content);
    }
  }
}
