/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.format.NodeEntry;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeScannerTest {
  @TempDir Path temp;

  private Path root;
  private final TreeScanner scanner = TreeScanner.leavingOut(ExcludePolicy.defaults());

  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createDirectory(temp.resolve("root"));
  }

  private Path write(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.writeString(file, content);
  }

  private DirState captured(DirState previous) throws IOException, InterruptedException {
    DirState state = scanner.scan(root, previous).root();
    SealingTreeReader.of(state, root);
    return state;
  }

  private DirState captured() throws IOException, InterruptedException {
    KernelClock.awaitSettled(temp);
    DirState state = scanner.scan(root, null).root();
    SealingTreeReader.of(state, root);
    return state;
  }

  private static List<String> paths(DirState state) {
    List<String> paths = new ArrayList<>();
    collect(state, "", paths);
    return paths;
  }

  private static void collect(DirState state, String prefix, List<String> into) {
    for (int i = 0; i < state.size(); i++) {
      into.add(prefix + state.name(i));
      if (state.kind(i) == FileKind.DIRECTORY) {
        collect(state.child(i), prefix + state.name(i) + "/", into);
      }
    }
  }

  private static DirState at(DirState root, String path) {
    DirState state = root;
    for (String name : path.split("/")) {
      state = state.child(state.entries().find(name));
    }
    return state;
  }

  @Test
  void shouldFindEverythingInOrder() throws Exception {
    write("b/inner", "12");
    write("a", "1");
    write("b.c", "");
    Files.createSymbolicLink(root.resolve("link"), Path.of("no/where"));
    ScanResult result = scanner.scan(root, null);
    assertThat(paths(result.root())).containsExactly("a", "b", "b/inner", "b.c", "link");
    assertThat(result.filesToRead()).isEqualTo(3);
    assertThat(result.skipped()).isEmpty();
    assertThat(result.root().target(3)).isEqualTo("no/where");
    SealingTreeReader.of(result.root(), root);
    assertThat(result.root().treeBytes()).isEqualTo(3);
    assertThat(result.root().entry(0)).isInstanceOf(NodeEntry.File.class);
  }

  @Test
  void shouldGiveBackTheSameObjectWhereNothingChanged() throws Exception {
    for (int i = 0; i < 20_000; i++) {
      write("d%02d/e%d/f%d".formatted(i % 50, i % 7, i), "content " + i);
    }
    DirState first = captured();
    ScanResult again = scanner.scan(root, first);
    assertThat(again.root()).isSameAs(first);
    assertThat(again.filesToRead()).isZero();
    assertThat(paths(first)).hasSize(20_000 + 50 + 350);
  }

  @Test
  void shouldReadAndSealOnlyWhatChanged() throws Exception {
    write("a/x/1", "one");
    write("a/x/2", "two");
    write("a/y/3", "three");
    write("b/4", "four");
    DirState first = captured();
    write("a/x/2", "TWO");
    write("a/x/5", "five");
    Files.delete(root.resolve("b/4"));
    KernelClock.awaitSettled(temp);
    DirState second = scanner.scan(root, first).root();
    assertThat(second).isNotSameAs(first);
    assertThat(at(second, "a/y")).isSameAs(at(first, "a/y"));
    SealingTreeReader reader = SealingTreeReader.of(second, root);
    assertThat(reader.read).containsExactly("a/x/2", "a/x/5");
    assertThat(reader.sealed).containsExactly("a/x/", "a/", "b/", "");
    assertThat(paths(second))
        .containsExactly("a", "a/x", "a/x/1", "a/x/2", "a/x/5", "a/y", "a/y/3", "b");
    assertThat(first.node()).isNotEqualTo(second.node());
  }

  @Test
  void shouldNoticeModesTimesAndAttributesOfUnchangedBytes() throws Exception {
    Path file = write("d/file", "x");
    DirState first = captured();
    Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(5, 7)));
    KernelClock.awaitSettled(temp);
    DirState second = captured(first);
    assertThat(at(second, "d").meta(0).nanos()).isEqualTo(7);
    Files.setAttribute(file, "unix:mode", 0600);
    KernelClock.awaitSettled(temp);
    DirState third = captured(second);
    assertThat(at(third, "d").meta(0).mode()).isEqualTo(0600);
    try (OpenDirectory directory = OpenDirectory.open(root.resolve("d"))) {
      try {
        directory.setXattr("user.x", new byte[] {1});
      } catch (PosixException e) {
        assertThat(e.isUnsupported()).isTrue();
        return;
      }
    }
    KernelClock.awaitSettled(temp);
    assertThat(at(captured(third), "d").meta().xattrs()).hasSize(1);
  }

  @Test
  void shouldNotRelyOnWhatChangedThisInstant() throws Exception {
    Path file = write("d/file", "old");
    Instant now = Instant.now();
    Files.setLastModifiedTime(file, FileTime.from(now));
    DirState first = scanner.scan(root, null).root();
    SealingTreeReader.of(first, root);
    ScanResult second = scanner.scan(root, first);
    assertThat(second.filesToRead()).isEqualTo(1);
    KernelClock.awaitSettled(temp);
    DirState third = scanner.scan(root, second.root()).root();
    SealingTreeReader.of(third, root);
    assertThat(scanner.scan(root, third).root()).isSameAs(third);
  }

  @Test
  void shouldReadAgainWhatWasNotSealed() throws Exception {
    write("d/1", "1");
    write("e/2", "2");
    KernelClock.awaitSettled(temp);
    DirState abandoned = scanner.scan(root, null).root();
    ScanResult again = scanner.scan(root, abandoned);
    assertThat(again.filesToRead()).isEqualTo(2);
    SealingTreeReader.of(again.root(), root);
    assertThat(scanner.scan(root, again.root()).root()).isSameAs(again.root());
  }

  @Test
  void shouldMakeLaterNamesOfAFileLinksToItsFirst() throws Exception {
    Path file = write("m/file", "content");
    Files.createLink(root.resolve("z"), file);
    Files.createDirectory(root.resolve("a"));
    DirState first = captured();
    DirState m = at(first, "m");
    assertThat(m.linkTo(0)).isNull();
    assertThat(first.linkTo(2)).isEqualTo("m/file");
    assertThat(first.entry(2)).isEqualTo(new NodeEntry.HardLink("z", "m/file"));
    assertThat(scanner.scan(root, first).root()).isSameAs(first);

    Files.createLink(root.resolve("a/earlier"), file);
    KernelClock.awaitSettled(temp);
    DirState second = captured(first);
    assertThat(at(second, "a").linkTo(0)).isNull();
    assertThat(at(second, "m").linkTo(0)).isEqualTo("a/earlier");
    assertThat(second.treeBytes()).isEqualTo(7);

    Files.delete(root.resolve("a/earlier"));
    Files.delete(file);
    KernelClock.awaitSettled(temp);
    DirState third = captured(second);
    assertThat(third.linkTo(2)).isNull();
    assertThat(third.content(2)).isNotNull();
    assertThat(scanner.scan(root, third).root()).isSameAs(third);
  }

  @Test
  void shouldRenameTheFirstNameInUnchangedDirectoriesToo() throws Exception {
    Path file = write("a/x/file", "content");
    Files.createDirectory(root.resolve("z"));
    Files.createLink(root.resolve("z/other"), file);
    DirState first = captured();
    Hash node = at(first, "z").node();
    Files.move(root.resolve("a"), root.resolve("b"));
    KernelClock.awaitSettled(temp);
    DirState second = captured(first);
    assertThat(at(second, "z").linkTo(0)).isEqualTo("b/x/file");
    assertThat(at(second, "z").node()).isNotEqualTo(node);
  }

  @Test
  void shouldNotReadARenamedDirectoryAgain() throws Exception {
    write("a/x/1", "1");
    write("a/2", "2");
    DirState first = captured();
    Files.createDirectory(root.resolve("deep"));
    Files.move(root.resolve("a"), root.resolve("deep/b"));
    KernelClock.awaitSettled(temp);
    ScanResult second = scanner.scan(root, first);
    assertThat(second.filesToRead()).isZero();
    assertThat(paths(second.root()))
        .containsExactly("deep", "deep/b", "deep/b/2", "deep/b/x", "deep/b/x/1");
    SealingTreeReader.of(second.root(), root);
    assertThat(at(second.root(), "deep/b/x")).isSameAs(at(first, "a/x"));
  }

  @Test
  void shouldListSpecialFilesEachTime() throws Exception {
    write("d/file", "x");
    new ProcessBuilder("mkfifo", root.resolve("d/fifo").toString()).start().waitFor();
    KernelClock.awaitSettled(temp);
    ScanResult first = scanner.scan(root, null);
    assertThat(first.skipped())
        .containsExactly(
            new SkippedEntry(
                "d/fifo", SkippedEntry.Reason.SPECIAL_FILE, "a socket, FIFO or device"));
    SealingTreeReader.of(first.root(), root);
    ScanResult second = scanner.scan(root, first.root());
    assertThat(second.root()).isSameAs(first.root());
    assertThat(second.skipped()).isEqualTo(first.skipped());
    assertThat(at(second.root(), "d").isPresent(0)).isFalse();
  }

  @Test
  void shouldRefuseARootThatIsNoDirectory() throws Exception {
    Path file = write("file", "");
    Path link = Files.createSymbolicLink(temp.resolve("link"), root);
    for (Path bad : List.of(file, link, temp.resolve("absent"))) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> scanner.scan(bad, null))
          .withMessageContaining(bad.toString());
    }
  }

  @Test
  void shouldSeeAChangeBesideHoweverManyScansRun() throws Exception {
    for (int i = 0; i < 2000; i++) {
      write("d%d/f%d".formatted(i % 100, i), "" + i);
    }
    DirState first = captured();
    List<Callable<DirState>> scans = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      int threads = 1 + i % 4;
      boolean scratch = i % 3 == 0;
      scans.add(() -> scanner.with(threads).scan(root, scratch ? null : first).root());
    }
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      int i = 0;
      for (Future<DirState> scan : pool.invokeAll(scans)) {
        if (i++ % 3 == 0) {
          SealingTreeReader.of(scan.get(), root);
          assertThat(scan.get().node()).isEqualTo(first.node());
        } else {
          assertThat(scan.get()).isSameAs(first);
        }
      }
    }
  }

  @Test
  void shouldReachTheDeepestPathsAndNoDeeper() throws Exception {
    String name = "n".repeat(100);
    List<OpenDirectory> open = new ArrayList<>();
    open.add(OpenDirectory.open(root));
    for (int i = 0; i < NodeEntry.MAX_DEPTH + 3; i++) {
      open.getLast().mkdir(name, 0755);
      open.add(open.getLast().openChild(name));
    }
    ScanResult result = scanner.scan(root, null);
    DirState state = result.root();
    int depth = 0;
    for (; state.size() == 1; depth++) {
      state = state.child(0);
    }
    for (int i = open.size() - 2; i >= 0; i--) {
      open.get(i).rmdir(name);
    }
    for (OpenDirectory each : open) {
      each.close();
    }
    assertThat(depth).isEqualTo(NodeEntry.MAX_DEPTH);
    assertThat(result.skipped()).hasSize(1);
    assertThat(result.skipped().getFirst().detail()).contains("2048");
  }

  @Test
  void shouldNotFollowLinksOutOfTheTree() throws Exception {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "x");
    Files.createSymbolicLink(root.resolve("way-out"), outside);
    DirState state = captured();
    assertThat(paths(state)).containsExactly("way-out");
    assertThat(state.kind(0)).isEqualTo(FileKind.SYMLINK);
    assertThat(Files.exists(outside.resolve("secret"), LinkOption.NOFOLLOW_LINKS)).isTrue();
  }

  @Test
  void shouldSayOfRemovedDirectoriesThatTheyVanished() throws Exception {
    for (int i = 32; i < 64; i++) {
      Files.createDirectory(root.resolve("d" + i));
    }
    AtomicBoolean stop = new AtomicBoolean();
    Thread remover =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 0; !stop.get(); i = (i + 1) % 64) {
                      Path directory = root.resolve("d" + i);
                      Files.createDirectory(directory);
                      Files.delete(root.resolve("d" + (i + 32) % 64));
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
    try {
      DirState previous = null;
      for (int i = 0; i < 500; i++) {
        ScanResult result = scanner.scan(root, previous);

        assertThat(result.skipped())
            .allMatch(skipped -> skipped.reason() == SkippedEntry.Reason.VANISHED);
        List<String> vanished = result.skipped().stream().map(SkippedEntry::path).toList();
        assertThat(vanished).noneMatch(paths(result.root())::contains);
        previous = result.root();
      }
    } finally {
      stop.set(true);
      remover.join();
    }
  }
}
