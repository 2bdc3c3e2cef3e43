/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenFileTest {
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

  @Test
  void shouldWriteAndReadMoreThanOnePiece() throws IOException {
    byte[] bytes = new byte[1_000_003];
    new Random(1).nextBytes(bytes);
    try (OpenFile file = directory.create("file", 0600)) {
      file.write(bytes, 0, 600_000);
      file.write(bytes, 600_000, 400_003);
    }
    assertThat(Files.readAllBytes(temp.resolve("file"))).isEqualTo(bytes);
    try (OpenFile file = directory.openForReading("file", stat)) {
      byte[] back = new byte[1_000_010];
      assertThat(file.read(back, 7, 300_000)).isEqualTo(300_000);
      assertThat(file.read(back, 300_007, 700_003)).isEqualTo(700_003);
      assertThat(file.read(back, 0, 7)).isZero();
      assertThat(java.util.Arrays.copyOfRange(back, 7, 1_000_010)).isEqualTo(bytes);
      assertThat(file.readAt(1_000_000, back, 0, 100)).isEqualTo(3);
      assertThat(back[2]).isEqualTo(bytes[1_000_002]);
    }
  }

  @Test
  void shouldFindAndMakeHoles() throws IOException {
    byte[] data = new byte[8192];
    java.util.Arrays.fill(data, (byte) 1);
    try (OpenFile file = directory.create("sparse", 0600)) {
      file.writeAt(1 << 20, data, 0, data.length);
      file.truncate(3L << 30);
    }
    try (OpenFile file = directory.openForReading("sparse", stat)) {
      assertThat(stat.size).isEqualTo(3L << 30);
      assertThat(stat.allocated).isLessThan(1 << 20);
      assertThat(file.seekData(0)).isEqualTo(1 << 20);
      assertThat(file.seekHole(1 << 20)).isEqualTo((1 << 20) + 8192);
      assertThat(file.seekData((1 << 20) + 8192)).isEqualTo(-1);
      assertThat(file.seekHole(4L << 30)).isEqualTo(-1);
      file.seek(0);
      byte[] zeros = new byte[10];
      assertThat(file.read(zeros, 0, 10)).isEqualTo(10);
      assertThat(zeros).containsOnly(0);
    }
  }

  @Test
  void shouldKeepExtendedAttributes() throws IOException {
    byte[] value = {0, 1, (byte) 255};
    try (OpenFile file = directory.create("file", 0600)) {
      assertThat(file.xattrs(name -> true)).isEmpty();
      try {
        file.setXattr("user.b", value);
      } catch (PosixException e) {
        assumeThat(e.isUnsupported()).as("no attributes here").isFalse();
        throw e;
      }
      file.setXattr("user.a", new byte[0]);
      assertThat(file.xattrs(name -> true).keySet()).containsExactly("user.a", "user.b");
      assertThat(file.xattrs(name -> true).get("user.b")).isEqualTo(value);
    }
    assertThat(directory.xattrs("file", "user.a"::equals).keySet()).containsExactly("user.a");
    directory.symlink("link", "file");
    assertThat(directory.xattrs("link", name -> true)).isEmpty();
    directory.setXattr("user.of-directory", value);
    assertThat(directory.xattrs(name -> name.startsWith("user."))).hasSize(1);
    assertThatExceptionOfType(PosixException.class)
        .isThrownBy(() -> directory.setXattr("nonsense.x", value))
        .matches(PosixException::isUnsupported);
  }
}
