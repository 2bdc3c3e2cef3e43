/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenDirectoryTest {
  @TempDir Path temp;

  private OpenDirectory directory;
  private final StatBuffer stat = new StatBuffer();

  @BeforeEach
  void open() throws IOException {
    directory = OpenDirectory.open(temp);
  }

  @AfterEach
  void close() throws IOException {
    directory.close();
  }

  private void write(String name, String content) throws IOException {
    try (OpenFile file = directory.create(name, 0644)) {
      file.write(content.getBytes(ISO_8859_1), 0, content.length());
    }
  }

  private String read(String name) throws IOException {
    try (OpenFile file = directory.openForReading(name, stat)) {
      byte[] bytes = new byte[(int) stat.size + 1];
      return new String(bytes, 0, file.read(bytes, 0, bytes.length), ISO_8859_1);
    }
  }

  private List<String> names() throws IOException {
    return directory.list().stream().map(DirEntry::name).sorted().toList();
  }

  @Test
  void shouldKeepAnyNameByteForByte() throws IOException {
    List<String> odd =
        List.of("\u00ff\u00fe", "a\nb", "x".repeat(255), " ", "-rf", "...", "\\", "\u0001");
    for (String name : odd) {
      write(name, name);
    }
    assertThat(names()).containsExactlyElementsOf(new TreeSet<>(odd));
    for (String name : odd) {
      assertThat(read(name)).isEqualTo(name);
    }
  }

  @Test
  void shouldRefuseNamesThatLeaveTheDirectory() {
    for (String bad : List.of("", ".", "..", "a/b", "/etc", "a\0b", "x".repeat(256), "\u20ac")) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .as(bad)
          .isThrownBy(() -> directory.mkdir(bad, 0755));
    }
  }

  @Test
  void shouldSayWhatStatSays() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "12345");
    Files.createLink(temp.resolve("second"), file);
    directory.stat("file", stat);
    assertThat(stat.kind()).isEqualTo(FileKind.FILE);
    assertThat(stat.size).isEqualTo(5);
    assertThat(stat.allocated).isPositive();
    assertThat(stat.links).isEqualTo(2);
    assertThat(stat.mode).isEqualTo(Files.getAttribute(file, "unix:mode"));
    assertThat(stat.inode).isEqualTo(Files.getAttribute(file, "unix:ino"));
    assertThat(stat.device).isNotZero();
    assertThat(stat.uid).isEqualTo(ProcessCredentials.effectiveUser());
    assertThat(stat.uid).isEqualTo(Files.getAttribute(file, "unix:uid"));
    assertThat(stat.gid).isEqualTo(ProcessCredentials.effectiveGroup());
    assertThat(Instant.ofEpochSecond(stat.mtimeSeconds, stat.mtimeNanos))
        .isEqualTo(Files.getLastModifiedTime(file).toInstant());
    assertThat(Instant.ofEpochSecond(stat.ctimeSeconds, stat.ctimeNanos))
        .isEqualTo(
            ((java.nio.file.attribute.FileTime) Files.getAttribute(file, "unix:ctime"))
                .toInstant());
    directory.stat(stat);
    assertThat(stat.kind()).isEqualTo(FileKind.DIRECTORY);
    assertThat(directory.statIfPresent("nothing", stat)).isFalse();
  }

  @Test
  void shouldListAgainAfterAChangeAndInManyRecords() throws IOException {
    assertThat(directory.list()).isEmpty();
    for (int i = 0; i < 3000; i++) {
      write("a-name-of-some-length-so-that-one-buffer-is-not-enough-" + "y".repeat(100) + i, "");
    }
    directory.mkdir("d", 0755);
    directory.symlink("l", "d");
    assertThat(directory.list())
        .hasSize(3002)
        .contains(new DirEntry("d", FileKind.DIRECTORY), new DirEntry("l", FileKind.SYMLINK));
  }

  @Test
  void shouldFollowNoLink() throws IOException {
    directory.mkdir("real", 0755);
    directory.symlink("to-directory", "real");
    write("file", "secret");
    directory.symlink("to-file", "file");
    PosixException entered =
        catchThrowableOfType(
            PosixException.class, () -> directory.openChild("to-directory").close());
    assertThat(entered.isAbsent() || entered.isLink() || entered.errno() == 20).isTrue();
    assertThatExceptionOfType(NotRegularException.class).isThrownBy(() -> read("to-file"));
    assertThatExceptionOfType(PosixException.class)
        .isThrownBy(() -> directory.openForWriting("to-file").close())
        .matches(PosixException::isLink);
    assertThatExceptionOfType(PosixException.class)
        .isThrownBy(() -> directory.create("to-file", 0644).close())
        .matches(PosixException::isTaken);
    assertThatExceptionOfType(PosixException.class)
        .isThrownBy(() -> OpenDirectory.open(temp.resolve("to-directory")).close());
  }

  @Test
  void shouldNotWaitForAFifo() throws Exception {
    new ProcessBuilder("mkfifo", temp.resolve("fifo").toString()).start().waitFor();
    assertThatExceptionOfType(NotRegularException.class)
        .isThrownBy(() -> read("fifo"))
        .withMessageContaining("fifo");
    assertThatExceptionOfType(NotRegularException.class)
        .isThrownBy(() -> directory.openForReading("fifo", stat).close());
  }

  @Test
  void shouldReachPathsOfAnyLength() throws IOException {
    List<OpenDirectory> open = new ArrayList<>();
    try {
      OpenDirectory at = directory;
      String name = "n".repeat(200);
      for (int depth = 0; depth < 60; depth++) {
        at.mkdir(name, 0755);
        at = at.openChild(name);
        open.add(at);
      }
      at.symlink("link", "t".repeat(4095));
      assertThat(at.readlink("link")).hasSize(4095);
      assertThat(at.path()).hasSizeGreaterThan(12_000);
      at.unlink("link");
      for (int depth = 59; depth >= 0; depth--) {
        open.get(depth).close();
        (depth == 0 ? directory : open.get(depth - 1)).rmdir(name);
      }
    } finally {
      for (OpenDirectory each : open) {
        each.close();
      }
    }
    assertThat(directory.list()).isEmpty();
  }

  @Test
  void shouldKeepTimesExactlyAlsoBefore1970AndOfLinks() throws IOException {
    write("file", "");
    directory.symlink("dangling", "//no//where/");
    directory.setModified("file", -5, 999_999_999);
    directory.setModified("dangling", 3, 1);
    directory.stat("file", stat);
    assertThat(stat.mtimeSeconds).isEqualTo(-5);
    assertThat(stat.mtimeNanos).isEqualTo(999_999_999);
    directory.stat("dangling", stat);
    assertThat(stat.mtimeSeconds).isEqualTo(3);
    assertThat(stat.mtimeNanos).isEqualTo(1);
    assertThat(directory.readlink("dangling")).isEqualTo("//no//where/");
    directory.setModified(77, 5);
    directory.stat(stat);
    assertThat(stat.mtimeSeconds * 10 + stat.mtimeNanos).isEqualTo(775);
  }

  @Test
  void shouldSetAllTwelveBits() throws IOException {
    write("file", "");
    directory.chmod("file", 06751);
    directory.stat("file", stat);
    assertThat(stat.permissions()).isEqualTo(06751);
    try (OpenFile file = directory.openForReading("file", stat)) {
      file.chmod(0);
    }
    directory.stat("file", stat);
    assertThat(stat.permissions()).isZero();
    directory.mkdir("closed", 0);
    directory.chmod("closed", 01777);
    directory.stat("closed", stat);
    assertThat(stat.permissions()).isEqualTo(01777);
  }

  @Test
  void shouldLinkRenameAndRemove() throws IOException {
    directory.mkdir("sub", 0755);
    write("file", "content");
    try (OpenDirectory sub = directory.openChild("sub")) {
      sub.link(directory, "file", "other");
      sub.stat("other", stat);
      assertThat(stat.links).isEqualTo(2);
      assertThatExceptionOfType(PosixException.class)
          .isThrownBy(() -> sub.link(directory, "file", "other"))
          .matches(PosixException::isTaken);
      directory.rename("file", sub, "moved");
      assertThat(sub.list()).hasSize(2);
      assertThatExceptionOfType(PosixException.class)
          .isThrownBy(() -> directory.rmdir("sub"))
          .matches(PosixException::isTaken);
      sub.unlink("other");
      sub.unlink("moved");
    }
    directory.rmdir("sub");
    assertThat(directory.list()).isEmpty();
    assertThatExceptionOfType(PosixException.class)
        .isThrownBy(() -> directory.unlink("sub"))
        .matches(PosixException::isAbsent)
        .withMessageContaining(temp + "/sub")
        .withMessageContaining("ENOENT");
  }

  @Test
  void shouldSayThatItIsClosed() throws IOException {
    OpenDirectory other = OpenDirectory.open(temp);
    other.close();
    other.close();
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(other::list)
        .withMessageContaining("closed");
  }

  @Test
  void shouldServeManyThreadsAtOnce() throws Exception {
    for (int i = 0; i < 50; i++) {
      write("f" + i, "x".repeat(i));
    }
    List<Callable<Long>> work = new ArrayList<>();
    for (int t = 0; t < 16; t++) {
      work.add(
          () -> {
            StatBuffer mine = new StatBuffer();
            long sum = 0;
            for (int i = 0; i < 20_000; i++) {
              directory.stat("f" + i % 50, mine);
              sum += mine.size;
              if (i % 1000 == 0 && directory.statIfPresent("absent", mine)) {
                sum = Long.MIN_VALUE;
              }
            }
            return sum;
          });
    }
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(OpenDirectoryTest::thread)) {
      for (Future<Long> sum : threads.invokeAll(work)) {
        assertThat(sum.get()).isEqualTo(20_000 / 50 * (49 * 50 / 2));
      }
    }
  }

  /** Alternates between platform and virtual threads. */
  private static Thread thread(Runnable work) {
    return work.hashCode() % 2 == 0
        ? Thread.ofVirtual().unstarted(work)
        : Thread.ofPlatform().unstarted(work);
  }

  @Test
  void shouldWarmUpTwice() {
    ProcessCredentials.warmUp();
    ProcessCredentials.warmUp();
    assertThat(Files.exists(temp, LinkOption.NOFOLLOW_LINKS)).isTrue();
  }
}
