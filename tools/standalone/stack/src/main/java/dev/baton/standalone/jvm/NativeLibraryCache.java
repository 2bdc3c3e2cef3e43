/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The folder of native libraries from the jars of Java programs: unpacked here once, instead of by
 * every process at its start, which costs a tenth of a second and leaves a copy behind when the
 * process is killed.
 *
 * <p>Optional: a program that finds no library here unpacks its own.
 */
public record NativeLibraryCache(Path folder) {

  private static final Pattern ZSTD = Pattern.compile("(?:.*\\.)?zstd-jni-([0-9][0-9.-]*)\\.jar");
  private static final Pattern ROCKSDB = Pattern.compile("(?:.*\\.)?rocksdbjni-[0-9][0-9.]*\\.jar");

  /**
   * Returns the flags for the program's command line; unpacks missing libraries. Several processes
   * may do so concurrently.
   */
  List<String> flags(JvmProgram program) {
    List<String> flags = new ArrayList<>();
    for (Path jar : program.jars()) {
      String name = jar.getFileName().toString();
      Matcher zstd = ZSTD.matcher(name);
      if (zstd.matches()) {
        library(jar, zstdEntry(zstd.group(1))).ifPresent(so -> flags.add("-DZstdNativePath=" + so));
      }
      if (ROCKSDB.matcher(name).matches()) {
        // The program searches the library path before its own jar.
        library(jar, rocksdbEntry())
            .ifPresent(so -> flags.add("-Djava.library.path=" + so.getParent()));
      }
    }
    return flags;
  }

  private static String zstdEntry(String version) {
    return "linux/%s/libzstd-jni-%s.so".formatted(System.getProperty("os.arch"), version);
  }

  private static String rocksdbEntry() {
    return System.getProperty("os.arch").equals("amd64")
        ? "librocksdbjni-linux64.so"
        : "librocksdbjni-linux-%s.so".formatted(System.getProperty("os.arch"));
  }

  /** Returns the library's path; empty when it does not exist and cannot be unpacked. */
  private Optional<Path> library(Path jar, String name) {
    try {
      return unpack(jar, name);
    } catch (IOException _) {
      // The cache is read-only or full: the program unpacks its own.
      return Optional.empty();
    }
  }

  /** Unpacks a library; empty when the jar has none for this machine. */
  private Optional<Path> unpack(Path jar, String name) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      ZipEntry entry = zip.getEntry(name);
      if (entry == null || !System.getProperty("os.name").equals("Linux")) {
        return Optional.empty();
      }
      String file = name.substring(name.lastIndexOf('/') + 1);
      Path home = folder.resolve(jar.getFileName().toString().replaceFirst("\\.jar$", ""));
      Path library = home.resolve(file);
      if (Files.isReadable(library) && Files.size(library) == entry.getSize()) {
        return Optional.of(library);
      }
      Files.createDirectories(home);
      Path fresh = Files.createTempFile(home, "unpacking-", ".so");
      try (InputStream content = zip.getInputStream(entry)) {
        Files.copy(content, fresh, StandardCopyOption.REPLACE_EXISTING);
        // Replaced atomically: a process that has loaded the earlier one keeps it.
        Files.move(
            fresh, library, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(fresh);
      }
      return Optional.of(library);
    }
  }
}
