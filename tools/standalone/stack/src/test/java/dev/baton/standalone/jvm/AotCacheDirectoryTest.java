/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AotCacheDirectoryTest {

  private static final List<String> FLAGS = List.of("-Xmx64m");

  @TempDir Path folder;

  @Test
  void shouldRemoveTheCachesOfEarlierBuildsButNotThoseOfOtherCheckouts() throws Exception {
    AotCacheDirectory caches = new AotCacheDirectory(Files.createDirectory(folder.resolve("aot")));
    JvmProgram here = program("here");
    JvmProgram there = program("there");
    Path earlier = Files.createFile(caches.file(here, FLAGS));
    Path elsewhere = Files.createFile(caches.file(there, FLAGS));
    Path forgotten = Files.createFile(caches.folder().resolve("runner-0123456789abcdef.aot"));
    Files.setLastModifiedTime(forgotten, FileTime.from(Instant.now().minusSeconds(30L * 86_400)));
    assertThat(caches.flags(here, FLAGS, AotMode.USE)).containsExactly("-XX:AOTCache=" + earlier);

    Files.writeString(here.jars().getFirst(), "built again");
    assertThat(caches.flags(here, FLAGS, AotMode.USE)).isEmpty();
    Path fresh = caches.file(here, FLAGS);
    assertThat(caches.flags(here, FLAGS, AotMode.TRAIN)).contains("-XX:AOTCacheOutput=" + fresh);

    assertThat(earlier).doesNotExist();
    assertThat(forgotten).doesNotExist();
    assertThat(elsewhere).exists();

    Files.createFile(fresh);
    assertThat(caches.flags(here, FLAGS, AotMode.TRAIN)).isNotEmpty();
    assertThat(fresh).exists();
  }

  @Test
  void shouldNotUseACacheWhoseJvmWasKilledWhileItWroteIt() throws Exception {
    AotCacheDirectory caches = new AotCacheDirectory(Files.createDirectory(folder.resolve("aot")));
    JvmProgram program = program("here");
    Path cache = Files.createFile(caches.file(program, FLAGS));
    Path configuration = Files.createFile(folder.resolve("aot/" + cache.getFileName() + ".config"));

    assertThat(caches.flags(program, FLAGS, AotMode.USE)).isEmpty();
    assertThat(AotCacheDirectory.isComplete(cache)).isFalse();

    AotCacheDirectory.delete(cache);
    assertThat(cache).doesNotExist();
    assertThat(configuration).doesNotExist();
  }

  private JvmProgram program(String place) throws Exception {
    Path jar = Files.createDirectory(folder.resolve(place)).resolve("runner.jar");
    Files.writeString(jar, "built");
    return new JvmProgram("runner", List.of(jar), new JvmProgram.Start.Jar(jar));
  }
}
