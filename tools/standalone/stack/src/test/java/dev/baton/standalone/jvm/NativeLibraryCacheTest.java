/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryCacheTest {

  @TempDir Path folder;

  @BeforeEach
  void onlyOnLinux() {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
  }

  @Test
  void shouldUnpackALibraryOnceAndAgainWhenItIsSpoiled() throws Exception {
    String entry = "linux/" + System.getProperty("os.arch") + "/libzstd-jni-1.5.7-28.so";
    Path jar = jar("com.github.luben.zstd-jni-1.5.7-28.jar", entry);
    Path library =
        folder.resolve("native/com.github.luben.zstd-jni-1.5.7-28/libzstd-jni-1.5.7-28.so");

    assertThat(flags(jar)).containsExactly("-DZstdNativePath=" + library);
    assertThat(library).hasContent("library");
    var first = Files.getAttribute(library, "unix:ino");
    assertThat(flags(jar)).hasSize(1);
    assertThat(Files.getAttribute(library, "unix:ino")).isEqualTo(first);

    Files.writeString(library, "libr");
    assertThat(flags(jar)).hasSize(1);
    assertThat(library).hasContent("library");
    assertThat(library.getParent()).isDirectoryNotContaining("glob:**unpacking*");
  }

  @Test
  void shouldLeaveAloneWhatHasNoLibraryForThisMachine() throws Exception {
    assertThat(flags(jar("zstd-jni-1.5.7-28.jar", "win/amd64/libzstd-jni-1.5.7-28.dll"))).isEmpty();
    assertThat(flags(jar("jackson-core-2.21.1.jar", "linux/amd64/libzstd-jni-1.so"))).isEmpty();
  }

  @Test
  void shouldDoWithoutWhereNothingCanBeUnpacked() throws Exception {
    String entry = "linux/" + System.getProperty("os.arch") + "/libzstd-jni-1.5.7-28.so";
    Path jar = jar("zstd-jni-1.5.7-28.jar", entry);
    // Not even root can create folders in it.
    Files.createFile(folder.resolve("native"));

    assertThat(flags(jar)).isEmpty();
  }

  private List<String> flags(Path jar) throws Exception {
    return new NativeLibraryCache(folder.resolve("native"))
        .flags(new JvmProgram("program", List.of(jar), new JvmProgram.Start.Jar(jar)));
  }

  private Path jar(String name, String entry) throws Exception {
    Path jar = folder.resolve(name);
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      zip.putNextEntry(new ZipEntry(entry));
      zip.write("library".getBytes(StandardCharsets.UTF_8));
    }
    return jar;
  }
}
