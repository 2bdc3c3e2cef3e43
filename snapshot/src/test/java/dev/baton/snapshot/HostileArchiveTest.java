/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class HostileArchiveTest {
  private static final String ANY = "sha256:" + "0".repeat(64);
  @TempDir Path work;
  private Path target = Path.of("");
  private final TreeArchive archive = new TreeArchive(Excludes.none(), new StatCache());

  /** An archive as an attacker writes it. */
  private static final class Evil {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar;

    Evil() throws IOException {
      tar =
          new TarArchiveOutputStream(
              new ZstdOutputStreamNoFinalizer(bytes), StandardCharsets.ISO_8859_1.name());
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    }

    Evil add(String name, byte type, String link, String content) throws IOException {
      TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
      byte[] data = content.getBytes(StandardCharsets.ISO_8859_1);
      entry.setSize(data.length);
      entry.setLinkName(link);
      tar.putArchiveEntry(entry);
      tar.write(data);
      tar.closeArchiveEntry();
      return this;
    }

    Evil root() throws IOException {
      return dir("./");
    }

    Evil dir(String name) throws IOException {
      return add(name, TarConstants.LF_DIR, "", "");
    }

    Evil file(String name) throws IOException {
      return add(name, TarConstants.LF_NORMAL, "", "evil");
    }

    Evil symlink(String name, String to) throws IOException {
      return add(name, TarConstants.LF_SYMLINK, to, "");
    }

    Evil link(String name, String to) throws IOException {
      return add(name, TarConstants.LF_LINK, to, "");
    }

    byte[] bytes() throws IOException {
      tar.close();
      return bytes.toByteArray();
    }
  }

  @BeforeEach
  void makeTarget() throws IOException {
    target = Files.createDirectory(work.resolve("target"));
    Files.writeString(target.resolve("kept"), "kept");
  }

  @AfterEach
  void shouldLeaveTheTargetAndItsSurroundingsAlone() throws IOException {
    assertThat(target.resolve("kept")).hasContent("kept");
    try (Stream<Path> files = Files.list(work)) {
      assertThat(files).containsExactly(target);
    }
  }

  static Stream<Arguments> hostile() throws IOException {
    Class<?> unsafe = SnapshotException.UnsafeName.class;
    Class<?> outside = SnapshotException.NotInDirectory.class;
    Class<?> link = SnapshotException.LinkEscapes.class;
    Class<?> twice = SnapshotException.DuplicateEntry.class;
    Class<?> kind = SnapshotException.UnsupportedEntry.class;
    return Stream.of(
        Arguments.of("absolute", unsafe, new Evil().root().file("/evil")),
        Arguments.of("dot dot", unsafe, new Evil().root().file("../evil")),
        Arguments.of("dot dot inside", unsafe, new Evil().root().dir("d/").file("d/../../evil")),
        Arguments.of("dot dot directory", unsafe, new Evil().root().dir("../")),
        Arguments.of("dot", unsafe, new Evil().root().file("./evil")),
        Arguments.of("double slash", unsafe, new Evil().root().dir("d/").file("d//evil")),
        Arguments.of("long name", unsafe, new Evil().root().file("x".repeat(256))),
        Arguments.of("empty symlink", unsafe, new Evil().root().symlink("s", "")),
        Arguments.of(
            "through symlink", outside, new Evil().root().symlink("s", "..").file("s/evil")),
        Arguments.of(
            "directory over symlink",
            twice,
            new Evil().root().symlink("s", "..").dir("s/").file("s/evil")),
        Arguments.of("through file", outside, new Evil().root().file("f").file("f/evil")),
        Arguments.of(
            "through hard link",
            outside,
            new Evil().root().file("f").link("h", "f").file("h/evil")),
        Arguments.of("no parent", outside, new Evil().root().file("d/evil")),
        Arguments.of("no root", outside, new Evil().file("evil")),
        Arguments.of("root a symlink", kind, new Evil().symlink("./", "/tmp")),
        Arguments.of("hard link outside", link, new Evil().root().link("h", "../target/kept")),
        Arguments.of("absolute hard link", link, new Evil().root().link("h", "/etc/passwd")),
        Arguments.of(
            "hard link to symlink",
            link,
            new Evil().root().symlink("s", "/etc/passwd").link("h", "s")),
        Arguments.of("hard link to directory", link, new Evil().root().dir("d/").link("h", "d")),
        Arguments.of("hard link to later file", link, new Evil().root().link("h", "z").file("z")),
        Arguments.of("duplicate", twice, new Evil().root().file("f").file("f")),
        Arguments.of("file over directory", twice, new Evil().root().dir("d/").file("d")),
        Arguments.of("FIFO", kind, new Evil().root().add("p", TarConstants.LF_FIFO, "", "")),
        Arguments.of("device", kind, new Evil().root().add("p", TarConstants.LF_CHR, "", "")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hostile")
  void shouldRefuse(String name, Class<? extends Throwable> error, Evil evil) throws IOException {
    byte[] bytes = evil.bytes();
    assertThatThrownBy(() -> restore(bytes, Limits.defaults()))
        .isInstanceOf(error)
        .isInstanceOf(SnapshotException.class);
  }

  @Test
  void shouldRefuseABombBeforeWritingIt() throws IOException {
    Evil evil = new Evil().root();
    TarArchiveEntry bomb = new TarArchiveEntry("bomb", TarConstants.LF_NORMAL, true);
    bomb.setSize(100L << 30);
    evil.tar.putArchiveEntry(bomb);
    evil.tar.write(new byte[1 << 20]);
    evil.tar.flush();
    byte[] bytes = evil.bytes.toByteArray();

    assertThatThrownBy(() -> restore(bytes, new Limits(99L << 30, 10)))
        .isInstanceOf(SnapshotException.TooLarge.class)
        .hasMessageContaining("bomb");
  }

  @Test
  void shouldCountAllFilesTogether() throws IOException {
    byte[] bytes = new Evil().root().file("a").file("b").file("c").bytes();

    assertThatThrownBy(() -> restore(bytes, new Limits(11, 10)))
        .isInstanceOf(SnapshotException.TooLarge.class)
        .hasMessageContaining("'c'");
    assertThatThrownBy(() -> restore(bytes, new Limits(12, 3)))
        .isInstanceOf(SnapshotException.TooLarge.class)
        .hasMessageContaining("3 entries");
    assertThatThrownBy(() -> restore(bytes, new Limits(12, 4)))
        .isInstanceOf(SnapshotException.DigestMismatch.class);
  }

  @Test
  void shouldRefuseAHeaderThatWouldFillTheMemory() throws IOException {
    Evil evil = new Evil().root();
    evil.add("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME, "", "x".repeat(10 << 20));
    byte[] bytes = evil.file("f").bytes();

    assertThatThrownBy(() -> restore(bytes, Limits.defaults()))
        .isInstanceOf(SnapshotException.TooLarge.class)
        .hasMessageContaining("header");
  }

  @Test
  void shouldRefuseGarbageAndEveryTruncation() throws IOException {
    byte[] good = new Evil().root().dir("d/").file("d/f").bytes();

    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> restore(cut, Limits.defaults()))
          .isInstanceOf(SnapshotException.class);
    }
    assertThatThrownBy(
            () -> restore("no archive".getBytes(StandardCharsets.UTF_8), Limits.defaults()))
        .isInstanceOf(SnapshotException.Corrupt.class);
  }

  @Test
  void shouldRefuseAnotherTree() throws IOException {
    byte[] bytes = new Evil().root().file("f").bytes();

    assertThatThrownBy(() -> restore(bytes, Limits.defaults()))
        .isInstanceOf(SnapshotException.DigestMismatch.class)
        .hasMessageContaining("in the archive")
        .hasMessageContaining(ANY);
  }

  @Test
  void shouldTellABrokenSourceFromABrokenArchive() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }
        };

    assertThatThrownBy(() -> archive.restore(broken, target, ANY, Limits.defaults()))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(SnapshotException.class)
        .hasMessage("connection reset");
  }

  @Test
  void shouldNameWhatADigestIs() {
    assertThatThrownBy(
            () ->
                archive.restore(InputStream.nullInputStream(), target, "md5:0", Limits.defaults()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'md5:0' must be sha256:");
  }

  private void restore(byte[] bytes, Limits limits) throws IOException {
    archive.restore(new ByteArrayInputStream(bytes), target, ANY, limits);
  }
}
