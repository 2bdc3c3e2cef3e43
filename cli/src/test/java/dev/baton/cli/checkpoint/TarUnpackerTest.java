/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.baton.snapshot.RestoreLimits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Untrusted archives. */
class TarUnpackerTest {
  @TempDir Path folder;
  private Path into;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private TarArchiveOutputStream tar;

  @BeforeEach
  void start() throws IOException {
    into = Files.createDirectory(folder.resolve("into"));
    tar = new TarArchiveOutputStream(bytes, StandardCharsets.ISO_8859_1.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
  }

  private void file(String name, String content) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, true);
    byte[] data = content.getBytes(StandardCharsets.UTF_8);
    entry.setSize(data.length);
    entry.setMode(04755);
    entry.setLastModifiedTime(java.nio.file.attribute.FileTime.from(Instant.ofEpochSecond(1000)));
    tar.putArchiveEntry(entry);
    tar.write(data);
    tar.closeArchiveEntry();
  }

  private void link(String name, byte kind, String target) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
    entry.setLinkName(target);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private void unpack(RestoreLimits limits) throws IOException {
    tar.close();
    TarUnpacker.unpack(new ByteArrayInputStream(Zstd.compress(bytes.toByteArray())), into, limits);
  }

  @Test
  void shouldUnpackFilesLinksAndDirectoriesWithModesAndTimes() throws Exception {
    TarArchiveEntry locked = new TarArchiveEntry("./locked/", true);
    locked.setMode(0555);
    tar.putArchiveEntry(locked);
    tar.closeArchiveEntry();
    file("./locked/inside", "x");
    file("missing/parent/file", "y");
    link("hard", TarConstants.LF_LINK, "./locked/inside");
    link("soft", TarConstants.LF_SYMLINK, "/nowhere");

    unpack(RestoreLimits.defaults());

    assertThat(into.resolve("locked/inside")).hasContent("x");
    assertThat(into.resolve("missing/parent/file")).hasContent("y");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(into.resolve("locked"))))
        .isEqualTo("r-xr-xr-x");
    assertThat(Files.getAttribute(into.resolve("locked/inside"), "unix:mode")).isEqualTo(0100755);
    assertThat(Files.getLastModifiedTime(into.resolve("hard")).toInstant())
        .isEqualTo(Instant.ofEpochSecond(1000));
    assertThat(Files.getAttribute(into.resolve("hard"), "unix:nlink")).isEqualTo(2);
    assertThat(Files.readSymbolicLink(into.resolve("soft"))).isEqualTo(Path.of("/nowhere"));
    Files.setPosixFilePermissions(
        into.resolve("locked"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../out", "a/../../out", "/out", "a/.."})
  void shouldRefuseNamesThatLeaveTheDirectory(String name) throws Exception {
    file(name, "x");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults()))
        .hasMessage("the archive has an entry outside of its root: '" + name + "'");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void shouldFollowNoLinkOfTheArchive() throws Exception {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    link("door", TarConstants.LF_SYMLINK, outside.toString());
    file("door/in", "x");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults()))
        .hasMessageContaining("is not a directory of the archive");
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void shouldNotWriteThroughALinkOfTheSameName() throws Exception {
    Path outside = Files.writeString(folder.resolve("outside"), "mine");
    link("a", TarConstants.LF_SYMLINK, outside.toString());
    file("a", "x");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults())).isInstanceOf(IOException.class);
    assertThat(outside).hasContent("mine");
  }

  @Test
  void shouldLinkOnlyToFilesOfTheArchive() throws Exception {
    Path outside = Files.writeString(folder.resolve("outside"), "mine");
    link("soft", TarConstants.LF_SYMLINK, outside.toString());
    link("hard", TarConstants.LF_LINK, "soft");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults()))
        .hasMessageContaining("must name an earlier entry of the archive");
  }

  @Test
  void shouldRefuseWhatIsNoFile() throws Exception {
    link("pipe", TarConstants.LF_FIFO, "");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults()))
        .hasMessage("'pipe' is neither file, directory nor link (type 54)");
  }

  @Test
  void shouldStopAtTheLimits() throws Exception {
    file("a", "123456");
    file("b", "x");

    assertThatThrownBy(() -> unpack(new RestoreLimits(5, 10)))
        .hasMessageContaining("more than 5 bytes");
  }

  @Test
  void shouldStopAtTheLimitOfEntries() throws Exception {
    file("a", "");
    file("b", "");

    assertThatThrownBy(() -> unpack(new RestoreLimits(5, 1)))
        .hasMessageContaining("more than 1 entries");
  }

  @Test
  void shouldReadNoHeaderWithoutBound() throws Exception {
    // GNU tar's header for a name that is longer than the header's field.
    TarArchiveEntry name = new TarArchiveEntry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME);
    name.setSize(100_000_000);
    tar.putArchiveEntry(name);
    for (int i = 0; i < 100; i++) {
      tar.write(new byte[1_000_000]);
    }
    tar.closeArchiveEntry();
    file("x", "");

    assertThatThrownBy(() -> unpack(RestoreLimits.defaults()))
        .hasMessageContaining("larger than allowed");
  }

  @Test
  void shouldReadWhatPlainTarWrites() throws Exception {
    Path source = Files.createDirectory(folder.resolve("source"));
    Files.writeString(source.resolve("a\nb"), "newline");
    Files.createSymbolicLink(source.resolve("dangling"), Path.of("gone"));
    Path archive = folder.resolve("plain.tar.zst");
    Process process =
        new ProcessBuilder("tar", "--zstd", "-cf", archive.toString(), "-C", source.toString(), ".")
            .start();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();

    try (var in = Files.newInputStream(archive)) {
      TarUnpacker.unpack(in, into, RestoreLimits.defaults());
    }

    assertThat(into.resolve("a\nb")).hasContent("newline");
    assertThat(into.resolve("dangling")).isSymbolicLink();
  }
}
